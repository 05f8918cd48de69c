// CREATE, ALTER and DROP SERVER and USER MAPPING as SQL.
#include <string>

#include "tests/unit/extension/fdw_fixture.h"

namespace table_storage::test {
namespace {

using FdwServers = FdwTest;

const std::string kEndpoint = "endpoint 'http://127.0.0.1:1/devstoreaccount1'";

TEST_F(FdwServers, ALifeOfAServer) {
  EXPECT_EQ(fdw(kServer + " OPTIONS (" + kEndpoint + ")"), "CREATE SERVER");
  EXPECT_EQ(servers(), "s(" + kEndpoint + ")");
  EXPECT_EQ(refusal(kServer), "server \"s\" already exists");
  EXPECT_EQ(fdw("CREATE SERVER IF NOT EXISTS S FOREIGN DATA WRAPPER table_storage"), "CREATE SERVER");
  EXPECT_EQ(servers(), "s(" + kEndpoint + ")");
  EXPECT_EQ(fdw("ALTER SERVER s OPTIONS (ADD page_size '5', max_retries '1')"), "ALTER SERVER");
  EXPECT_EQ(fdw("ALTER SERVER s OPTIONS (SET page_size '7', DROP max_retries)"), "ALTER SERVER");
  EXPECT_EQ(servers(), "s(" + kEndpoint + ", page_size '7')");
  EXPECT_EQ(fdw("ALTER SERVER s RENAME TO t"), "ALTER SERVER");
  EXPECT_EQ(servers(), "t(" + kEndpoint + ", page_size '7')");
  EXPECT_EQ(fdw("DROP SERVER t"), "DROP SERVER");
  EXPECT_EQ(servers(), "");
  EXPECT_EQ(refusal("DROP SERVER t"), "server \"t\" does not exist");
  EXPECT_EQ(fdw("DROP SERVER IF EXISTS t, u"), "DROP SERVER");
}

TEST_F(FdwServers, OptionsThatAreWrong) {
  fdw(kServer + " OPTIONS (page_size '5')");
  EXPECT_EQ(refusal("ALTER SERVER s OPTIONS (page_size '6')"),
            "option page_size of server \"s\" is there already; SET changes it");
  EXPECT_EQ(refusal("ALTER SERVER s OPTIONS (SET max_retries '6')"),
            "option max_retries of server \"s\" is not set; ADD sets it");
  EXPECT_EQ(refusal("ALTER SERVER s OPTIONS (DROP max_retries)"),
            "option max_retries of server \"s\" is not set");
  EXPECT_EQ(refusal("CREATE SERVER t FOREIGN DATA WRAPPER table_storage OPTIONS (endpont 'https://x')")
                .substr(0, 56),
            "server t has no option endpont; did you mean endpoint? O");
  EXPECT_EQ(refusal("CREATE SERVER t TYPE 'x' FOREIGN DATA WRAPPER table_storage"),
            "TYPE means nothing for a table service and is not kept; leave it out");
  EXPECT_EQ(refusal("ALTER SERVER s VERSION '2'"),
            "VERSION means nothing for a table service and is not kept; leave it out");
  EXPECT_EQ(refusal("CREATE SERVER local FOREIGN DATA WRAPPER table_storage"),
            "server \"local\" is built in; give this one another name");
  EXPECT_EQ(servers(), "s(page_size '5')");
}

TEST_F(FdwServers, SecretsAreNotKeptInTheFile) {
  const std::string key = "c2VjcmV0c2VjcmV0c2VjcmV0";
  for (const std::string& script :
       {kServer + " OPTIONS (connection_string 'AccountName=a;AccountKey=" + key + "')",
        kServer + " OPTIONS (account_key '" + key + "')",
        kServer + " OPTIONS (endpoint 'https://a.table.core.windows.net/?sig=" + key + "%3D')",
        "CREATE FOREIGN TABLE abc () SERVER local OPTIONS (connection_string 'AccountName=a;AccountKey=" +
            key + "')",
        "CREATE FOREIGN TABLE abc () SERVER local OPTIONS (account_key '" + key + "')"}) {
    const std::string message = refusal(script);
    EXPECT_EQ(message.find(key), std::string::npos) << message;
  }
  EXPECT_NE(refusal(kServer + " OPTIONS (connection_string 'AccountName=a;AccountKey=" + key + "')")
                .find("CREATE USER MAPPING FOR CURRENT_USER SERVER"),
            std::string::npos);

  fdw(kServer + " OPTIONS (account 'a'); CREATE USER MAPPING FOR USER SERVER s OPTIONS (account_key '" + key +
      "')");
  EXPECT_EQ(servers(), "s(account 'a')");
  EXPECT_EQ(db_.value("SELECT instr(options, '" + key + "') FROM temp.table_storage_user_mappings"), "0");
  fdw("ALTER USER MAPPING FOR USER SERVER s OPTIONS (SET account_key 'env:K')");
  EXPECT_EQ(servers(), "s(account 'a')account_key 'env:K'");
}

TEST_F(FdwServers, UserMappings) {
  fdw(kServer);
  EXPECT_EQ(fdw("CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (account_key 'env:K')"),
            "CREATE USER MAPPING");
  EXPECT_NE(refusal("CREATE USER MAPPING FOR PUBLIC SERVER s").find("already exists for server \"s\""),
            std::string::npos);
  EXPECT_EQ(fdw("CREATE USER MAPPING IF NOT EXISTS FOR PUBLIC SERVER s OPTIONS (account_key 'env:L')"),
            "CREATE USER MAPPING");
  EXPECT_EQ(servers(), "s()account_key 'env:K'");
  EXPECT_EQ(fdw("ALTER USER MAPPING FOR USER SERVER s OPTIONS (DROP account_key, sas_token 'file:/x')"),
            "ALTER USER MAPPING");
  EXPECT_EQ(servers(), "s()sas_token 'file:/x'");
  // What depends on a server keeps it, as in PostgreSQL.
  EXPECT_EQ(
      refusal("DROP SERVER s"),
      "cannot drop server \"s\" because other objects depend on it: its user mapping; DROP SERVER … CASCADE "
      "drops these too, entities stay");
  EXPECT_EQ(fdw("DROP USER MAPPING FOR USER SERVER s"), "DROP USER MAPPING");
  EXPECT_EQ(refusal("DROP USER MAPPING FOR USER SERVER s"), "there is no user mapping for server \"s\"");
  EXPECT_EQ(fdw("DROP USER MAPPING IF EXISTS FOR USER SERVER s"), "DROP USER MAPPING");
  EXPECT_EQ(fdw("DROP USER MAPPING IF EXISTS FOR USER SERVER nobody"), "DROP USER MAPPING");
  EXPECT_EQ(refusal("CREATE USER MAPPING FOR USER SERVER nobody"),
            "server \"nobody\" does not exist; there is \"s\"");
  EXPECT_NE(refusal("CREATE USER MAPPING FOR USER SERVER local").find("built in"), std::string::npos);
  fdw("CREATE USER MAPPING FOR USER SERVER s; DROP SERVER s CASCADE");
  EXPECT_EQ(servers(), "");
}

TEST_F(FdwServers, WhatDependsOnAServer) {
  fdw(kServer +
      "; CREATE FOREIGN TABLE abc () SERVER s; CREATE FOREIGN TABLE temp.abd () SERVER S;"
      "CREATE FOREIGN TABLE abe () SERVER local");
  EXPECT_EQ(
      refusal("DROP SERVER s RESTRICT"),
      "cannot drop server \"s\" because other objects depend on it: foreign table main.abc, foreign table "
      "temp.abd; DROP SERVER … CASCADE drops these too, entities stay");
  EXPECT_EQ(tables(), "main.abc, main.abe, temp.abd");
  fdw("ALTER SERVER s RENAME TO \"integer\"");
  EXPECT_EQ(definition("abc"), "CREATE VIRTUAL TABLE abc USING table_storage( SERVER \"integer\")");
  EXPECT_EQ(definition("abd", "temp"), "CREATE VIRTUAL TABLE abd USING table_storage( SERVER \"integer\")");
  fdw("DROP SERVER \"integer\" CASCADE");
  EXPECT_EQ(tables(), "main.abe");
}

TEST_F(FdwServers, ManyTablesAreCounted) {
  std::string script = kServer;
  for (int i = 10; i < 23; ++i) script += "; CREATE FOREIGN TABLE tab" + std::to_string(i) + " () SERVER s";
  fdw(script);
  const std::string message = refusal("DROP SERVER s");
  EXPECT_NE(message.find("foreign table main.tab19 and 3 more; DROP"), std::string::npos) << message;
}

TEST_F(FdwServers, Schemas) {
  db_.run("ATTACH ':memory:' AS aux");
  fdw(kServer + " OPTIONS (page_size '1')");
  fdw("CREATE SERVER aux.s FOREIGN DATA WRAPPER table_storage OPTIONS (page_size '2')");
  fdw("CREATE SERVER aux.only FOREIGN DATA WRAPPER table_storage; CREATE SERVER temp.t FOREIGN DATA WRAPPER "
      "table_storage");
  fdw("CREATE FOREIGN TABLE abc () SERVER s; CREATE FOREIGN TABLE aux.abd () SERVER s");
  // Each schema's own server first; without a schema, main.
  fdw("ALTER SERVER s OPTIONS (SET page_size '3'); ALTER SERVER only OPTIONS (ADD page_size '4')");
  EXPECT_EQ(servers(), "s(page_size '3')");
  EXPECT_EQ(servers("aux"), "only(page_size '4'); s(page_size '2')");
  EXPECT_NE(refusal("DROP SERVER aux.s").find("depend on it: foreign table aux.abd;"), std::string::npos);
  EXPECT_NE(refusal("DROP SERVER s").find("depend on it: foreign table main.abc;"), std::string::npos);
  EXPECT_NE(refusal("ALTER SERVER aux.s RENAME TO only").find("already exists"), std::string::npos);
  fdw("DROP SERVER aux.s, temp.t, only CASCADE");
  EXPECT_EQ(tables(), "main.abc");
  EXPECT_EQ(refusal("CREATE SERVER nowhere.x FOREIGN DATA WRAPPER table_storage"),
            "schema \"nowhere\" does not exist; there are main, temp, aux");
  EXPECT_EQ(refusal("DROP SERVER temp.s"), "server \"s\" does not exist in schema temp; there is \"s\"");
}

// A table may not come to mean another server by a renaming.
TEST_F(FdwServers, RenamingMayNotCross) {
  db_.run("ATTACH ':memory:' AS aux");
  fdw(kServer +
      "; CREATE SERVER aux.t FOREIGN DATA WRAPPER table_storage; CREATE FOREIGN TABLE aux.abc () SERVER s");
  EXPECT_NE(refusal("ALTER SERVER s RENAME TO t").find("aux.abc would find another server"),
            std::string::npos);
  EXPECT_EQ(servers(), "s()");
  EXPECT_EQ(definition("abc", "aux"), "CREATE VIRTUAL TABLE abc USING table_storage( SERVER s)");
}

TEST_F(FdwServers, ChangesTakeEffectAtOnce) {
  fdw("CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (backend 'local', updatable 'false');"
      "CREATE FOREIGN TABLE abc (a INT) SERVER s");
  sqlite3_stmt* insert = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "INSERT INTO abc(PartitionKey, RowKey, a) VALUES ('p', 'r', 1)",
                               -1, &insert, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_step(insert), SQLITE_READONLY);
  sqlite3_reset(insert);
  fdw("ALTER SERVER s OPTIONS (SET updatable 'true')");
  EXPECT_EQ(sqlite3_step(insert), SQLITE_DONE) << sqlite3_errmsg(db_.handle());
  sqlite3_finalize(insert);
  EXPECT_EQ(db_.value("SELECT a FROM abc"), "1");
}

}  // namespace
}  // namespace table_storage::test
