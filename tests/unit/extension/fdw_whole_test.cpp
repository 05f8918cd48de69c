// A text of fdw() is a whole, in every kind of transaction; and what may not call it.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/unit/extension/fdw_fixture.h"

namespace table_storage::test {
namespace {

using FdwWhole = FdwTest;

const std::string kMapped =
    "CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (account 'a'); CREATE USER MAPPING FOR USER "
    "SERVER s "
    "OPTIONS (account_key 'c2VjcmV0'); CREATE FOREIGN TABLE abc (a INT) SERVER s";

TEST_F(FdwWhole, TheLastTagIsReturned) {
  EXPECT_EQ(fdw(kMapped), "CREATE FOREIGN TABLE");
  EXPECT_EQ(fdw(";; DROP FOREIGN TABLE abc; -- and\n DROP SERVER s CASCADE;"), "DROP SERVER");
}

TEST_F(FdwWhole, AFailureUndoesWhatWentBefore) {
  EXPECT_EQ(
      refusal(kMapped + ";\n  CREATE FOREIGN TABLE abc () SERVER s; DROP SERVER x"),
      "statement 4 of 5, CREATE FOREIGN TABLE at line 2, column 3, and nothing of the text was done: foreign "
      "table \"abc\" already exists in schema main");
  EXPECT_EQ(tables(), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_schema"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM temp.sqlite_schema"), "0");
  EXPECT_EQ(sqlite3_get_autocommit(db_.handle()), 1);
  // Syntax is looked at before anything runs.
  EXPECT_NE(refusal(kMapped + "; DORP SERVER s").find("line 1, column "), std::string::npos);
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_schema"), "0");
}

TEST_F(FdwWhole, InATransaction) {
  db_.run("BEGIN; CREATE TABLE plain(a)");
  EXPECT_NE(refusal(kMapped + "; DROP SERVER x"), "");
  EXPECT_EQ(sqlite3_get_autocommit(db_.handle()), 0);
  fdw(kMapped);
  EXPECT_EQ(db_.value("SELECT options FROM temp.table_storage_user_mappings").substr(0, 20),
            "account_key 'memory:");
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_schema"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM temp.sqlite_schema"), "0");
  fdw(kMapped);
  EXPECT_EQ(tables(), "main.abc");
}

TEST_F(FdwWhole, SavepointsAround) {
  fdw(kMapped);
  const std::string mapping = "SELECT options FROM temp.table_storage_user_mappings";
  const std::string before = db_.value(mapping);
  db_.run("SAVEPOINT a");
  fdw("ALTER USER MAPPING FOR USER SERVER s OPTIONS (SET account_key 'b3RoZXI='); ALTER FOREIGN TABLE abc "
      "ADD b INT");
  EXPECT_NE(db_.value(mapping), before);
  db_.run("ROLLBACK TO a");
  EXPECT_EQ(db_.value(mapping), before);
  EXPECT_EQ(definition("abc"), "CREATE VIRTUAL TABLE abc USING table_storage( a INT, SERVER s)");
  db_.run("RELEASE a");
}

// Rows that were written through a table survive its alteration, and a failed one.
TEST_F(FdwWhole, WritesOfTheSameTransaction) {
  fdw("CREATE FOREIGN TABLE abc (a INT) SERVER local");
  db_.run("BEGIN; INSERT INTO abc(PartitionKey, RowKey, a) VALUES ('p', '1', 1)");
  fdw("ALTER FOREIGN TABLE abc ADD b TEXT");
  db_.run("INSERT INTO abc(PartitionKey, RowKey, a, b) VALUES ('p', '2', 2, 'x')");
  EXPECT_NE(refusal("ALTER FOREIGN TABLE abc DROP a; DROP SERVER nobody"), "");
  db_.run("INSERT INTO abc(PartitionKey, RowKey, a, b) VALUES ('p', '3', 3, 'y')");
  db_.run("UPDATE abc SET a = a + 10 WHERE RowKey < '3'; COMMIT");
  EXPECT_EQ(db_.rows("SELECT a, b FROM abc"), (std::vector<std::string>{"11|NULL", "12|x", "3|y"}));
  db_.run("BEGIN");
  fdw("ALTER FOREIGN TABLE abc DROP b");
  db_.run("DELETE FROM abc; ROLLBACK");
  EXPECT_EQ(db_.value("SELECT count(b) FROM abc"), "2");
}

TEST_F(FdwWhole, StandsAlone) {
  db_.run("CREATE TABLE plain(a)");
  const std::string expected =
      "fdw() stands alone, SELECT fdw('…'); inside a statement that writes it cannot be undone if it fails";
  EXPECT_EQ(db_.error("INSERT INTO plain " + call(kServer)), expected);
  EXPECT_EQ(db_.error("CREATE TABLE made AS " + call(kServer)), expected);
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_schema"), "1");
  db_.run(
      "INSERT INTO plain VALUES ('CREATE SERVER a FOREIGN DATA WRAPPER table_storage'), ('DROP SERVER a')");
  EXPECT_EQ(db_.rows("SELECT fdw(a) FROM plain"), (std::vector<std::string>{"CREATE SERVER", "DROP SERVER"}));
  EXPECT_EQ(db_.error("SELECT fdw(5)"), "fdw wants its statements as text, not 5");
  EXPECT_EQ(db_.error("SELECT fdw(NULL)"), "fdw wants its statements as text, not NULL");
}

// A database file from a stranger acts only when its user does.
TEST_F(FdwWhole, NotFromTheSchema) {
  fdw(kServer);
  db_.run("CREATE TABLE plain(a); CREATE VIEW hostile AS " + call("DROP SERVER s"));
  EXPECT_EQ(db_.error("SELECT * FROM hostile"), "unsafe use of fdw()");
  db_.run("CREATE TRIGGER trap AFTER INSERT ON plain BEGIN " + call("DROP SERVER s") + "; END");
  EXPECT_EQ(db_.error("INSERT INTO plain VALUES (1)"), "unsafe use of fdw()");
  EXPECT_EQ(servers(), "s()");
  for (const char* const attempt :
       {"SELECT * FROM ts_schema('local', 'Abc')", "SELECT * FROM ts_import_notices",
        "SELECT * FROM ts_servers", "SELECT * FROM ts_options", "SELECT * FROM ts_connections",
        "SELECT * FROM ts_requests", "SELECT * FROM ts_pending", "SELECT * FROM ts_explain('SELECT 1')",
        "SELECT * FROM ts_tables('local')", "SELECT ts_create_table('local', 'Abc')",
        "SELECT ts_drop_table('local', 'Abc')", "SELECT ts_disconnect('local')"}) {
    db_.run(std::string("CREATE VIEW other AS ") + attempt);
    EXPECT_EQ(db_.error("SELECT * FROM other").substr(0, 13), "unsafe use of") << attempt;
    db_.run("DROP VIEW other");
  }
}

TEST_F(FdwWhole, DamagedDefinitions) {
  db_.run(
      "PRAGMA writable_schema = 1; INSERT INTO sqlite_schema VALUES ('table', 'bad', 'bad', 0, 'CREATE "
      "VIRTUAL "
      "TABLE bad USING table_storage(a wrong, SERVER s)'); PRAGMA writable_schema = 0");
  fdw(kServer);
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE bad ADD b INT").substr(0, 44),
            "the definition of foreign table \"bad\": argum");
  EXPECT_EQ(fdw("DROP SERVER s"), "DROP SERVER");
}

class FdwFile : public ::testing::Test {
 protected:
  FdwFile()
      : path_(std::filesystem::temp_directory_path() / ("fdw_test_" + std::to_string(getpid()) + ".db")) {
    std::filesystem::remove(path_);
  }
  ~FdwFile() override { std::filesystem::remove(path_); }
  static std::string call(const std::string& script) { return "SELECT fdw('" + script + "')"; }

  std::filesystem::path path_;
};

TEST_F(FdwFile, TravelsWithTheFileButNotItsSecrets) {
  {
    Database db(path_);
    db.run(call(
        "CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (account \"a\"); CREATE USER MAPPING FOR "
        "USER SERVER s OPTIONS (account_key \"c2VjcmV0\"); CREATE FOREIGN TABLE abc (a INT) SERVER s"));
  }
  Database db(path_);
  EXPECT_EQ(db.value("SELECT name, options, user_mapping FROM table_storage_servers"), "s|account 'a'|NULL");
  EXPECT_EQ(db.value("SELECT count(*) FROM pragma_table_list WHERE name = 'abc'"), "1");
  db.run(call("CREATE USER MAPPING FOR USER SERVER s OPTIONS (account_key \"c2VjcmV0\")"));
}

TEST_F(FdwFile, ReadOnly) {
  {
    Database db(path_);
    db.run(
        call("CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (account \"a\"); CREATE FOREIGN "
             "TABLE abc "
             "(a INT) SERVER s"));
  }
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  Database db("file:" + path_.string() + "?mode=ro");
  int code = 0;
  EXPECT_EQ(
      db.error(call("ALTER FOREIGN TABLE abc ADD b INT"), &code),
      "schema main is read-only, and foreign table \"abc\" is or would be kept in it; schema temp can be "
      "written");
  EXPECT_EQ(code & 0xFF, SQLITE_READONLY);
  EXPECT_NE(
      db.error(call("CREATE SERVER t FOREIGN DATA WRAPPER table_storage")).find("schema main is read-only"),
      std::string::npos);
  EXPECT_NE(
      db.error(call("IMPORT FOREIGN SCHEMA t FROM SERVER local INTO main")).find("schema main is read-only"),
      std::string::npos);
  // What is kept in memory and temp alone works.
  db.run(
      call("CREATE USER MAPPING FOR USER SERVER s OPTIONS (account_key \"c2VjcmV0\"); CREATE SERVER temp.t "
           "FOREIGN "
           "DATA WRAPPER table_storage; CREATE FOREIGN TABLE temp.abd () SERVER t"));
}

TEST_F(FdwFile, AnotherProcessHoldsTheLock) {
  Database db(path_);
  db.run(call("CREATE SERVER s FOREIGN DATA WRAPPER table_storage"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  // A reader lets the script run and stops its COMMIT.
  ASSERT_EQ(sqlite3_exec(other, "BEGIN; SELECT * FROM table_storage_servers", nullptr, nullptr, nullptr),
            SQLITE_OK);
  int code = 0;
  EXPECT_EQ(db.error(call("CREATE SERVER t FOREIGN DATA WRAPPER table_storage"), &code),
            "committing what fdw() did: database is locked");
  EXPECT_EQ(code & 0xFF, SQLITE_BUSY);
  sqlite3_close(other);
  EXPECT_EQ(db.value("SELECT count(*) FROM table_storage_servers"), "1");
  db.run(call("CREATE SERVER t FOREIGN DATA WRAPPER table_storage"));
}

}  // namespace
}  // namespace table_storage::test
