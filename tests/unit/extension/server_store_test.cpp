// Servers in the database: the statements that change them, where they are looked for, and what a file may
// hold instead.
#include "extension/catalog/server_store.h"

#include <unistd.h>

#include <cstdio>

#include "tests/unit/extension/catalog_fixture.h"

namespace table_storage::catalog {
namespace {

using test::CatalogDatabase;
using test::error_of;
using test::options;
using Action = OptionChange::Action;

std::string text_of(const std::optional<StoredServer>& server) {
  return server ? server->schema + "." + server->name + ": " + options_text(server->options) : "none";
}

class ServerStoreTest : public ::testing::Test {
 protected:
  std::string find(const std::string& name, const std::string& schema = "main") {
    return text_of(find_server(db_.handle(), name, schema));
  }
  std::string creating(const std::string& name, std::vector<std::pair<std::string, std::string>> pairs,
                       const std::string& schema = "main") {
    return error_of([&] { create_server(db_.handle(), schema, name, options(std::move(pairs))); });
  }
  std::string altering(const std::string& name, std::vector<OptionChange> changes) {
    return error_of([&] { alter_server(db_.handle(), db_.server(name), changes); });
  }

  CatalogDatabase db_;
};

TEST_F(ServerStoreTest, IsARowOfAnOrdinaryTable) {
  EXPECT_EQ(find("prod"), "none");
  EXPECT_EQ(creating("Prod", {{"endpoint", "https://acct.table.core.windows.net"}, {"Page_Size", "10"}}),
            "nothing");
  EXPECT_EQ(find("pROD"), "main.Prod: endpoint 'https://acct.table.core.windows.net', page_size '10'");
  EXPECT_EQ(db_.rows("SELECT name, options, user_mapping FROM table_storage_servers"),
            "Prod|endpoint 'https://acct.table.core.windows.net', page_size '10'|NULL");
  EXPECT_EQ(creating("prod", {}), "server \"prod\" already exists");
  EXPECT_EQ(creating("it's \"quoted\"", {{"ca_file", "o'clock\n.pem"}}), "nothing");
  EXPECT_EQ(find("IT'S \"quoted\""), "main.it's \"quoted\": ca_file 'o''clock\n.pem'");
  drop_server(db_.handle(), db_.server("prod"));
  EXPECT_EQ(find("prod"), "none");
}

TEST_F(ServerStoreTest, FollowsTransactions) {
  db_.run("BEGIN");
  EXPECT_EQ(creating("prod", {{"account", "acct"}}), "nothing");
  EXPECT_EQ(find("prod"), "main.prod: account 'acct'");
  db_.run("ROLLBACK");
  EXPECT_EQ(find("prod"), "none");
  EXPECT_EQ(creating("prod", {{"account", "acct"}}), "nothing");
  db_.run("SAVEPOINT s");
  EXPECT_EQ(altering("prod", {{Action::set, "account", "other"}}), "nothing");
  EXPECT_EQ(find("prod"), "main.prod: account 'other'");
  db_.run("ROLLBACK TO s; RELEASE s");
  EXPECT_EQ(find("prod"), "main.prod: account 'acct'");
}

TEST_F(ServerStoreTest, AlterFollowsPostgres) {
  EXPECT_EQ(creating("prod", {{"account", "acct"}}), "nothing");
  EXPECT_EQ(altering("prod", {{Action::add, "page_size", "5"}, {Action::set, "ACCOUNT", "b"}}), "nothing");
  EXPECT_EQ(find("prod"), "main.prod: account 'b', page_size '5'");
  EXPECT_EQ(altering("prod", {{Action::add, "page_size", "6"}}),
            "option page_size of server \"prod\" is there already; SET changes it");
  EXPECT_EQ(altering("prod", {{Action::set, "proxy", "http://p:1"}}),
            "option proxy of server \"prod\" is not set; ADD sets it");
  EXPECT_EQ(altering("prod", {{Action::drop, "proxy", ""}}), "option proxy of server \"prod\" is not set");
  EXPECT_EQ(altering("prod", {{Action::drop, "prxy", ""}}).substr(0, 42),
            "server prod has no option prxy; did you me");
  EXPECT_EQ(altering("prod", {{Action::set, "page_size", "0"}}),
            "option page_size of server prod takes an integer from 1 up to 1000");
  EXPECT_EQ(altering("prod", {{Action::drop, "page_size", ""}, {Action::drop, "account", ""}}), "nothing");
  EXPECT_EQ(find("prod"), "main.prod: ");
  EXPECT_EQ(altering("nowhere", {}).substr(0, 32), "server \"nowhere\" does not exist;");
  rename_server(db_.handle(), db_.server("prod"), "live");
  EXPECT_EQ(find("prod"), "none");
  EXPECT_EQ(find("live"), "main.live: ");
}

TEST_F(ServerStoreTest, RefusesWhatCannotBe) {
  EXPECT_EQ(creating("local", {}), "server \"local\" is built in; give this one another name");
  EXPECT_EQ(creating("ENV", {}), "server \"ENV\" is built in; give this one another name");
  EXPECT_EQ(creating("", {}), "the name of a server is empty");
  EXPECT_NE(creating("https://x", {}).find("reads as an address"), std::string::npos);
  EXPECT_NE(creating("env:X", {}).find("reads as an address"), std::string::npos);
  EXPECT_EQ(creating("a", {{"table", "x"}}).substr(0, 50),
            "table is an option of a table, not of server a. Op");
  EXPECT_EQ(creating("a", {{"account", "x"}, {"Account", "y"}}),
            "option Account of server \"a\" is given twice");
  EXPECT_EQ(creating("a", {{"backend", "local"}, {"endpoint", "https://x"}}),
            "server \"a\" has backend 'local' and endpoint, which is for a remote service");
  EXPECT_EQ(creating("a", {{"database", "temp"}}),
            "server \"a\" has database, which is for a server with backend 'local'");
  EXPECT_EQ(creating("a", {{"connection_string", "env:X"}, {"account", "x"}}),
            "server \"a\" has connection_string and account; the first says it all");
  EXPECT_EQ(creating("a", {{"endpoint", "ftp://x"}}).substr(0, 12), "server \"a\": ");
  EXPECT_EQ(db_.rows("SELECT count(*) FROM sqlite_schema"), "0") << "a refusal leaves nothing behind";
}

TEST_F(ServerStoreTest, LooksInTheTablesSchemaThenMainThenTemp) {
  db_.run("ATTACH ':memory:' AS other");
  EXPECT_EQ(creating("a", {{"account", "temporary"}}, "temp"), "nothing");
  EXPECT_EQ(find("a"), "temp.a: account 'temporary'");
  EXPECT_EQ(find("a", "other"), "temp.a: account 'temporary'");
  EXPECT_EQ(creating("a", {{"account", "main"}}), "nothing");
  EXPECT_EQ(find("a", "other"), "main.a: account 'main'");
  EXPECT_EQ(find("a", "temp"), "temp.a: account 'temporary'");
  EXPECT_EQ(creating("a", {{"account", "other"}}, "other"), "nothing");
  EXPECT_EQ(find("a", "other"), "other.a: account 'other'");
  EXPECT_EQ(find("a"), "main.a: account 'main'");
  std::string all;
  for (const StoredServer& server : list_servers(db_.handle()))
    all += server.schema + "." + server.name + " ";
  EXPECT_EQ(all, "main.a temp.a other.a ");
}

TEST_F(ServerStoreTest, AReadOnlyFileSaysSo) {
  const std::string file = ::testing::TempDir() + "servers_" + std::to_string(getpid()) + ".db";
  {
    CatalogDatabase writer(file);
    writer.create_server("prod", {{"account", "acct"}});
  }
  {
    CatalogDatabase reader(file, true);
    EXPECT_EQ(text_of(find_server(reader.handle(), "prod", "main")), "main.prod: account 'acct'");
    const std::string error = error_of([&] { reader.create_server("other", {}); });
    EXPECT_EQ(error,
              "CREATE SERVER \"other\": schema main is read-only, and servers are kept in the database; temp "
              "can be written (CREATE SERVER temp.NAME …)");
    create_server(reader.handle(), "temp", "other", options({{"account", "b"}}));
    EXPECT_EQ(text_of(find_server(reader.handle(), "other", "main")), "temp.other: account 'b'");
  }
  std::remove(file.c_str());
}

// A database from a stranger.
TEST_F(ServerStoreTest, OnlyAnOrdinaryTableCounts) {
  db_.run(
      "CREATE VIEW table_storage_servers AS SELECT 'prod' AS name, 'account ''x''' AS options, NULL AS "
      "user_mapping");
  EXPECT_EQ(find("prod"), "none");
  EXPECT_EQ(db_.rows("SELECT name FROM ts_servers WHERE schema IS NOT NULL"), "");
  db_.run("DROP VIEW table_storage_servers");
  db_.run(
      "CREATE VIRTUAL TABLE table_storage_servers USING table_storage(name STRING, \"options\" STRING, "
      "user_mapping STRING, OPTIONS (table 'Things'))");
  EXPECT_NE(error_of([&] { find("prod"); }).find("may not be as CREATE SERVER makes it"), std::string::npos);
  db_.run("DROP TABLE table_storage_servers");
  db_.run("CREATE TABLE table_storage_servers(x)");
  EXPECT_NE(error_of([&] { find("prod"); }).find("may not be as CREATE SERVER makes it"), std::string::npos);
  db_.run("DROP TABLE table_storage_servers");
  db_.run(
      "CREATE TABLE table_storage_servers(name, options, user_mapping);"
      "INSERT INTO table_storage_servers VALUES ('bad', 'endpoint ''secret', NULL), ('local', '', NULL),"
      "('null', NULL, NULL), ('blob', x'00ff', x'ff')");
  EXPECT_EQ(
      error_of([&] { find("bad"); }),
      "server \"bad\" of schema main: the stored options do not parse; they are written as in OPTIONS (…), "
      "such as endpoint 'https://…'");
  EXPECT_EQ(find("local"), "none");
  EXPECT_EQ(find("null"), "main.null: ");
  EXPECT_NE(error_of([&] { find("blob"); }), "nothing");
}

TEST_F(ServerStoreTest, TheReaderSeesEveryChange) {
  const std::string file = ::testing::TempDir() + "reader_" + std::to_string(getpid()) + ".db";
  {
    CatalogDatabase here(file), there(file);
    ServerReader reader(here.handle(), "prod", "main");
    EXPECT_FALSE(reader.read());
    there.create_server("prod", {{"account", "a"}});
    ASSERT_TRUE(reader.read());
    EXPECT_EQ(reader.read()->options, "account 'a'");
    alter_server(there.handle(), there.server("prod"),
                 std::vector<OptionChange>{{Action::set, "account", "b"}});
    EXPECT_EQ(reader.read()->options, "account 'b'");
    here.run("DROP TABLE table_storage_servers");
    EXPECT_FALSE(reader.read());
    here.create_server("prod", {{"account", "c"}});
    EXPECT_EQ(reader.read()->options, "account 'c'");
    here.run("BEGIN; DELETE FROM table_storage_servers");
    EXPECT_FALSE(reader.read());
    here.run("ROLLBACK");
    EXPECT_TRUE(reader.read());
  }
  std::remove(file.c_str());
}

}  // namespace
}  // namespace table_storage::catalog
