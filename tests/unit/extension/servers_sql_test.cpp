// Stored servers under foreign tables: found, changed, dropped, local and remote, and what is shown of them.
#include <unistd.h>

#include <cstdio>

#include "tests/service/fake_service.h"
#include "tests/unit/extension/catalog_fixture.h"

namespace table_storage::test {
namespace {

using Action = catalog::OptionChange::Action;
using edm::Value;

class ServersTest : public ::testing::Test {
 protected:
  ServersTest() {
    for (fake::FakeService* service : {&one_, &two_}) {
      service->create_table("Things");
      service->put("Things", {"p", "r"}, {{"N", Value::int32(service == &one_ ? 1 : 2)}});
    }
  }

  static void alter(const CatalogDatabase& db, const std::string& name, Action action,
                    const std::string& option, const std::string& value = {}) {
    const catalog::StoredServer before = db.server(name);
    const std::vector<catalog::OptionChange> changes{{action, option, value}};
    catalog::alter_server(db.handle(), before, changes);
    db.mappings().server_changed(before, db.server(name));
    db.connection().servers_changed();
  }

  void map(const std::string& server = "s", const std::string& more = {}) {
    db_.run("CREATE VIRTUAL TABLE t USING table_storage(N INT32, SERVER " + server +
            ", OPTIONS (table 'Things'" + more + "))");
  }

  fake::FakeService one_, two_;
  CatalogDatabase db_;  // last: it is closed before the services go
};

TEST_F(ServersTest, ATableFindsItsServer) {
  EXPECT_EQ(db_.rows("CREATE VIRTUAL TABLE t USING table_storage(SERVER s)"),
            "error: server \"s\" does not exist; there is \"local\"");
  db_.create_server("s", {{"endpoint", one_.endpoint()}, {"dialect", "storage"}});
  map();
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('s')"), "Things");
  EXPECT_EQ(db_.rows("SELECT ts_create_table('S', 'Others')"), "Others");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('s')"), "Others/Things");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('x')").substr(0, 58),
            "error: server \"x\" does not exist; there is \"local\", \"s\". C");
}

TEST_F(ServersTest, AServerOfAnAttachedSchema) {
  db_.run("ATTACH ':memory:' AS more");
  db_.create_server("s", {{"endpoint", one_.endpoint()}, {"dialect", "storage"}}, "more");
  EXPECT_EQ(
      db_.rows("SELECT name FROM ts_tables('s')"),
      "error: server \"s\" is in schema \"more\", and a name is looked for in main and temp; functions take "
      "the schema as their last argument, 'more' here");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('s', 'more')"), "Things");
  EXPECT_EQ(db_.rows("SELECT count(*) FROM ts_connections"), "1");
  EXPECT_EQ(db_.rows("SELECT ts_disconnect('s')"), "1");
  EXPECT_EQ(db_.rows("SELECT count(*) FROM ts_connections"), "0");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('x')").substr(0, 65),
            "error: server \"x\" does not exist; there is \"local\", \"more\".\"s\". C");
}

TEST_F(ServersTest, AChangeTakesEffectAtOnce) {
  db_.create_server("s", {{"endpoint", one_.endpoint()}});
  map();
  sqlite3_stmt* kept = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT N FROM t", -1, &kept, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(kept), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(kept, 0), 1);
  sqlite3_reset(kept);
  alter(db_, "s", Action::set, "endpoint", two_.endpoint());
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "2");
  ASSERT_EQ(sqlite3_step(kept), SQLITE_ROW) << sqlite3_errmsg(db_.handle());
  EXPECT_EQ(sqlite3_column_int(kept, 0), 2);
  sqlite3_finalize(kept);
  // From one machine to the service and back, as a table outgrows SQLite.
  alter(db_, "s", Action::drop, "endpoint");
  EXPECT_NE(db_.rows("SELECT N FROM t").find("server s: nothing says where it is"), std::string::npos);
  alter(db_, "s", Action::add, "backend", "local");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "");
  db_.run("INSERT INTO t(PartitionKey, RowKey, N) VALUES ('p', 'r', 3)");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "3");
}

TEST_F(ServersTest, AChangeIsSeenInsideATransactionAndUndoneByRollback) {
  db_.create_server("s", {{"endpoint", one_.endpoint()}});
  map();
  db_.run("BEGIN");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1");
  alter(db_, "s", Action::set, "endpoint", two_.endpoint());
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "2");
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1");
}

TEST_F(ServersTest, WritesGoWhereTheyWereMeantToGo) {
  db_.create_server("s", {{"endpoint", one_.endpoint()}});
  map();
  db_.run("BEGIN; INSERT INTO t(PartitionKey, RowKey, N) VALUES ('p', 'new', 5)");
  alter(db_, "s", Action::set, "endpoint", two_.endpoint());
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE RowKey = 'new'"), "5") << "still the service that is written to";
  db_.run("COMMIT");
  EXPECT_TRUE(one_.get("Things", {"p", "new"}));
  EXPECT_FALSE(two_.get("Things", {"p", "new"}));
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "2");
}

TEST_F(ServersTest, AnotherConnectionsChange) {
  const std::string file = ::testing::TempDir() + "servers_sql_" + std::to_string(getpid()) + ".db";
  std::remove(file.c_str());
  {
    CatalogDatabase here(file), there(file);
    there.create_server("s", {{"endpoint", one_.endpoint()}, {"dialect", "storage"}});
    here.run("CREATE VIRTUAL TABLE t USING table_storage(N INT32, SERVER s, OPTIONS (table 'Things'))");
    sqlite3_stmt* kept = nullptr;
    const char* sql = "SELECT N FROM t ORDER BY PartitionKey";
    ASSERT_EQ(sqlite3_prepare_v2(here.handle(), sql, -1, &kept, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(kept), SQLITE_ROW);
    sqlite3_reset(kept);
    alter(there, "s", Action::set, "endpoint", two_.endpoint());
    EXPECT_EQ(sqlite3_step(kept), SQLITE_ROW);
    EXPECT_EQ(sqlite3_column_int(kept, 0), 2);
    sqlite3_reset(kept);
    // Another kind of service: what was planned for the old one (an order, say) does not hold.
    alter(there, "s", Action::set, "dialect", "cosmos");
    EXPECT_EQ(sqlite3_step(kept), SQLITE_ABORT);
    EXPECT_NE(std::string(sqlite3_errmsg(here.handle())).find("run it again"), std::string::npos);
    sqlite3_reset(kept);
    EXPECT_EQ(sqlite3_step(kept), SQLITE_ROW) << sqlite3_errmsg(here.handle());
    sqlite3_finalize(kept);
    catalog::drop_server(there.handle(), there.server("s"));
    EXPECT_EQ(here.rows("SELECT N FROM t").substr(0, 30), "error: server \"s\" does not exi");
  }
  {
    CatalogDatabase again(file);
    EXPECT_EQ(again.rows("SELECT count(*) FROM pragma_table_info('t')"), "4") << "opening needs no server";
    EXPECT_EQ(again.rows("SELECT N FROM t").substr(0, 30), "error: server \"s\" does not exi");
    again.run("DROP TABLE t");
  }
  std::remove(file.c_str());
}

TEST_F(ServersTest, OptionsOfATableOverrideThoseOfItsServer) {
  db_.create_server("s",
                    {{"endpoint", one_.endpoint()}, {"updatable", "false"}, {"on_type_mismatch", "error"}});
  map();
  one_.put("Things", {"p", "text"}, {{"N", Value::string("x")}});
  EXPECT_NE(db_.rows("SELECT N FROM t").find("error: "), std::string::npos);
  EXPECT_NE(db_.rows("DELETE FROM t").find("t is not updatable"), std::string::npos);
  db_.run("DROP TABLE t");
  map("s", ", updatable 'true', on_type_mismatch 'null'");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1/NULL");
  db_.run("DELETE FROM t WHERE RowKey = 'text'");
  alter(db_, "s", Action::set, "updatable", "true");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1");
  EXPECT_EQ(
      db_.rows("CREATE VIRTUAL TABLE u USING table_storage(SERVER s, OPTIONS (table 'Things', proxy "
               "'http://x:1'))"),
      "error: u names SERVER \"s\", and then option proxy belongs to the server; a table of its own service "
      "names no SERVER");
}

TEST_F(ServersTest, LocalServersWithADatabaseOfTheirOwn) {
  db_.run("ATTACH ':memory:' AS archive");
  db_.create_server("old", {{"backend", "local"}, {"database", "archive"}});
  db_.create_server("here", {{"backend", "local"}});
  db_.run(
      "CREATE VIRTUAL TABLE a USING table_storage(N INT32, SERVER old, OPTIONS (table 'Things'));"
      "CREATE VIRTUAL TABLE b USING table_storage(N INT32, SERVER here, OPTIONS (table 'Things'));"
      "CREATE VIRTUAL TABLE c USING table_storage(N INT32, OPTIONS (table 'Things'));"
      "CREATE VIRTUAL TABLE archive.d USING table_storage(N INT32, OPTIONS (table 'Things'));"
      "INSERT INTO a(PartitionKey, RowKey, N) VALUES ('p', 'r', 1);"
      "INSERT INTO b(PartitionKey, RowKey, N) VALUES ('p', 'r', 2);");
  EXPECT_EQ(db_.rows("SELECT (SELECT N FROM a), (SELECT N FROM b), (SELECT N FROM c), (SELECT N FROM d)"),
            "1|2|2|1");
  EXPECT_EQ(db_.rows("SELECT ts_create_table('old', 'More')"), "More");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_tables('local', 'archive')"), "More/Things");
  db_.run("DROP TABLE archive.d; DROP TABLE a");
}

TEST_F(ServersTest, AUserMappingOpensIt) {
  const std::string key = one_.account().key;
  one_.configure([](fake::Settings& settings) { settings.key = "b3RoZXIta2V5"; });
  db_.create_server("s", {{"endpoint", one_.endpoint()}, {"max_retries", "0"}});
  map();
  EXPECT_NE(db_.rows("SELECT N FROM t").find("403"), std::string::npos) << "the public key is not this one's";
  db_.mappings().create(db_.server("s"), options({{"account_key", "b3RoZXIta2V5"}}));
  const std::string seen = db_.rows("SELECT N FROM t");
  EXPECT_EQ(seen, "1");
  db_.mappings().drop(db_.server("s"));
  EXPECT_NE(db_.rows("SELECT N FROM t").find("403"), std::string::npos);
  // A connection string that is pasted for the life of the connection, on a server that says nothing else.
  db_.create_server("pasted", {});
  db_.run("CREATE VIRTUAL TABLE p USING table_storage(N INT32, SERVER pasted, OPTIONS (table 'Things'))");
  EXPECT_NE(db_.rows("SELECT N FROM p").find("nothing says where it is"), std::string::npos);
  db_.mappings().create(
      db_.server("pasted"),
      options({{"connection_string", "TableEndpoint=" + one_.endpoint() +
                                         ";AccountName=devstoreaccount1;AccountKey=b3RoZXIta2V5"}}));
  EXPECT_EQ(db_.rows("SELECT N FROM p"), "1");
  EXPECT_EQ(
      db_.rows("SELECT sql LIKE '%b3RoZXIta2V5%' FROM sqlite_schema UNION SELECT options LIKE '%b3RoZXI%' OR "
               "user_mapping LIKE '%b3RoZXI%' FROM table_storage_servers"),
      "NULL/0");
}

TEST_F(ServersTest, WhatIsShown) {
  const Variable no_string("AZURE_STORAGE_CONNECTION_STRING", nullptr);
  const Variable account("AZURE_STORAGE_ACCOUNT", "mine");
  const Variable key("AZURE_STORAGE_KEY", "aHVudGVyMg==");
  db_.create_server("s", {{"backend", "remote"}, {"endpoint", one_.endpoint()}});
  db_.mappings().create(db_.server("s"), options({{"sas_token", "sv=2019-02-02&sig=aHVudGVyMg"}}));
  EXPECT_EQ(db_.rows("SELECT * FROM ts_servers"),
            "local|NULL|local||NULL|NULL/"
            "env|NULL|remote|account 'mine'|account_key 'env:AZURE_STORAGE_KEY'|NULL/"
            "s|main|remote|endpoint '" +
                one_.endpoint() + "'|sas_token '(in memory)'|1");
  EXPECT_EQ(
      db_.rows(
          "SELECT name, carriers, type, takes, default_value FROM ts_options WHERE name IN ('page_size', "
          "'property', 'credential')"),
      "credential|user mapping|choice|azure-cli, managed-identity, client-secret, workload-identity or "
      "default|NULL/property|column|text|a text that is not empty|NULL/page_size|server, table|integer|an "
      "integer from 1 up to 1000|1000");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_connections"), "");
  db_.mappings().drop(db_.server("s"));
  map();
  db_.rows("SELECT N FROM t");
  db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r'");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_connections"), "s|" + one_.endpoint() + "|azurite|2|1");
  db_.run("BEGIN; INSERT INTO t(PartitionKey, RowKey, N) VALUES ('p', 'new', 5)");
  EXPECT_EQ(db_.rows("SELECT ts_disconnect('s')"),
            "error: server s has writes of the open transaction waiting; COMMIT or ROLLBACK first");
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.rows("SELECT ts_disconnect('s')"), "1");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_connections"), "");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), "1");
  EXPECT_EQ(db_.rows("SELECT requests FROM ts_connections"), "1");
}

// The credentials go to the endpoint and not to where it sends on to.
TEST_F(ServersTest, RedirectsAreNotFollowed) {
  db_.create_server("s", {{"endpoint", one_.endpoint()}, {"max_retries", "0"}});
  map();
  const std::string elsewhere = two_.endpoint();
  for (const int status : {301, 302, 307, 308}) {
    one_.set_hook([&](const fake::Request&) -> std::optional<fake::Answer> {
      fake::Answer answer;
      answer.status = status;
      answer.headers = {{"Location", elsewhere + "/Things()"}};
      return answer;
    });
    EXPECT_NE(db_.rows("SELECT N FROM t").find("sends on to another address, which is not followed"),
              std::string::npos)
        << status;
  }
  one_.set_hook(nullptr);
  EXPECT_EQ(two_.request_count(), 0U);
}

// Nothing secret in plans, errors, the schema or what is listed.
TEST_F(ServersTest, ASecretIsShownNowhere) {
  constexpr const char* kSecret = "aHVudGVyMmh1bnRlcjI=";
  db_.create_server("s", {{"endpoint", one_.endpoint()}, {"max_retries", "0"}});
  db_.mappings().create(db_.server("s"), options({{"account_key", kSecret}}));
  map();
  for (const char* sql :
       {"SELECT N FROM t", "EXPLAIN QUERY PLAN SELECT N FROM t", "EXPLAIN SELECT N FROM t WHERE N > 1",
        "INSERT INTO t(PartitionKey, RowKey) VALUES ('a', 'b')", "SELECT * FROM ts_tables('s')",
        "SELECT ts_create_table('s', 'Made')", "SELECT * FROM ts_servers", "SELECT * FROM ts_connections",
        "SELECT * FROM sqlite_schema", "SELECT * FROM table_storage_servers",
        "SELECT * FROM sqlite_temp_schema", "SELECT * FROM temp.table_storage_user_mappings"}) {
    const std::string shown = db_.rows(sql);
    EXPECT_FALSE(shown.empty()) << sql;
    EXPECT_EQ(shown.find("aHVudGVy"), std::string::npos) << sql << ": " << shown;
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << sql << ": " << shown;
  }
}

// A view or trigger of a stranger's schema reaches nothing that acts or tells.
TEST_F(ServersTest, NothingThatActsRunsFromAView) {
  db_.create_server("s", {{"endpoint", one_.endpoint()}});
  const std::vector<std::string> attempts{"SELECT ts_create_table('s', 'Made')",
                                          "SELECT ts_drop_table('s', 'Things')",
                                          "SELECT ts_disconnect('s')",
                                          "SELECT * FROM ts_tables('s')",
                                          "SELECT * FROM ts_servers",
                                          "SELECT * FROM ts_connections"};
  for (const std::string& attempt : attempts) {
    db_.run("CREATE VIEW v AS " + attempt);
    EXPECT_NE(db_.rows("SELECT * FROM v").find("unsafe use"), std::string::npos) << attempt;
    db_.run("DROP VIEW v");
  }
  db_.run(
      "CREATE TABLE bait(x); CREATE TRIGGER g AFTER INSERT ON bait BEGIN SELECT ts_create_table('s', "
      "'Made'); END");
  EXPECT_NE(db_.rows("INSERT INTO bait VALUES (1)").find("unsafe use"), std::string::npos);
  EXPECT_EQ(one_.request_count(), 0U);
}

}  // namespace
}  // namespace table_storage::test
