// CREATE, ALTER and DROP FOREIGN TABLE and IMPORT FOREIGN SCHEMA as SQL.
#include <string>

#include "tests/unit/extension/fdw_fixture.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

using FdwTables = FdwTest;

TEST_F(FdwTables, Create) {
  EXPECT_EQ(fdw("CREATE FOREIGN TABLE \"my t\" (Name TEXT, \"In use\" BOOLEAN OPTIONS (property 'InUse'), "
                "\"server\" "
                "VARCHAR(10)) SERVER local OPTIONS (table 'Things', estimated_rows '5')"),
            "CREATE FOREIGN TABLE");
  EXPECT_EQ(
      definition("my t"),
      "CREATE VIRTUAL TABLE \"my t\" USING table_storage( Name TEXT, \"In use\" BOOLEAN OPTIONS (property "
      "'InUse'), \"server\" VARCHAR(10), SERVER local, OPTIONS (table 'Things', estimated_rows '5'))");
  db_.run(
      "INSERT INTO \"my t\"(PartitionKey, RowKey, Name, \"In use\", server) VALUES ('p', 'r', 'n', 1, 's')");
  EXPECT_EQ(db_.value("SELECT Name, \"In use\", server, _properties ->> 'InUse' FROM \"my t\""), "n|1|s|1");
  EXPECT_EQ(refusal("CREATE FOREIGN TABLE \"MY T\" () SERVER local"),
            "foreign table \"my t\" already exists in schema main");
  EXPECT_EQ(fdw("CREATE FOREIGN TABLE IF NOT EXISTS \"MY T\" () SERVER local"), "CREATE FOREIGN TABLE");
  EXPECT_EQ(fdw("CREATE FOREIGN TABLE temp.abc () SERVER local"), "CREATE FOREIGN TABLE");
  EXPECT_EQ(tables(), "main.my t, temp.abc");
}

TEST_F(FdwTables, CreateRefused) {
  db_.run("CREATE TABLE plain(a); CREATE VIEW seen AS SELECT 1; CREATE INDEX ind ON plain(a)");
  EXPECT_EQ(refusal("CREATE FOREIGN TABLE plain () SERVER local"),
            "table \"plain\" already exists in schema main");
  EXPECT_EQ(refusal("CREATE FOREIGN TABLE seen () SERVER local"),
            "view \"seen\" already exists in schema main");
  EXPECT_NE(refusal("CREATE FOREIGN TABLE abc () SERVER nobody").find("server \"nobody\" does not exist"),
            std::string::npos);
  EXPECT_EQ(refusal("CREATE FOREIGN TABLE abc (a TEXT OPTIONS (colour 'red')) SERVER local"),
            "column a has no option colour. Options of a column are property");
  EXPECT_NE(
      refusal("CREATE FOREIGN TABLE abc () SERVER local OPTIONS (tabel 'x')").find("did you mean table?"),
      std::string::npos);
  EXPECT_NE(
      refusal("CREATE FOREIGN TABLE a_b () SERVER local").find("give its name with OPTIONS (table '…')"),
      std::string::npos);
  EXPECT_EQ(refusal("CREATE FOREIGN TABLE public.abc () SERVER local"),
            "schema \"public\" does not exist; there are main, temp");
  EXPECT_EQ(tables(), "");
}

TEST_F(FdwTables, AlterKeepsEntitiesAndEverythingElse) {
  fdw("CREATE FOREIGN TABLE abc (a INT, b TEXT, c TEXT) SERVER local OPTIONS (estimated_rows '5')");
  db_.run("INSERT INTO abc(PartitionKey, RowKey, a, b) VALUES ('p', 'r', 1, 'x')");
  EXPECT_EQ(
      fdw("ALTER FOREIGN TABLE abc ADD COLUMN d INT OPTIONS (property 'a'), DROP COLUMN a, ALTER b TYPE ANY, "
          "ALTER c OPTIONS (property 'C'), OPTIONS (updatable 'false')"),
      "ALTER FOREIGN TABLE");
  EXPECT_EQ(
      definition("abc"),
      "CREATE VIRTUAL TABLE abc USING table_storage( b ANY, c TEXT OPTIONS (property 'C'), d INT OPTIONS "
      "(property 'a'), SERVER local, OPTIONS (estimated_rows '5', updatable 'false'))");
  EXPECT_EQ(db_.value("SELECT d, b, c FROM abc"), "1|x|NULL");
  fdw("ALTER FOREIGN TABLE abc ALTER c OPTIONS (DROP property), OPTIONS (SET updatable 'true', DROP "
      "estimated_rows)");
  EXPECT_EQ(definition("abc"),
            "CREATE VIRTUAL TABLE abc USING table_storage( b ANY, c TEXT, d INT OPTIONS (property 'a'), "
            "SERVER local, "
            "OPTIONS (updatable 'true'))");
  const std::string before = definition("abc");
  fdw("ALTER FOREIGN TABLE abc ADD COLUMN IF NOT EXISTS B INT, DROP COLUMN IF EXISTS z");
  fdw("ALTER FOREIGN TABLE IF EXISTS nobody ADD COLUMN b INT");
  EXPECT_EQ(definition("abc"), before);
}

TEST_F(FdwTables, AlterRefused) {
  fdw("CREATE FOREIGN TABLE abc (alpha INT) SERVER local");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc ADD ALPHA INT"),
            "column \"ALPHA\" of foreign table \"abc\" already exists");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc DROP alhpa"),
            "column \"alhpa\" of foreign table \"abc\" does not exist; did you mean \"alpha\"?");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc DROP rowkey"),
            "column RowKey of foreign table \"abc\" is there by itself and cannot be changed");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc RENAME alpha TO RowKey"),
            "column \"RowKey\" of foreign table \"abc\" already exists");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc OPTIONS (SET updatable 'false')"),
            "option updatable of table \"abc\" is not set; ADD sets it");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc ADD beta INT OPTIONS (property 'alpha')"),
            "columns \"alpha\" and \"beta\" both stand for property 'alpha'; one property has one column "
            "(ANY shows "
            "every type)");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abd ADD a INT"),
            "foreign table \"abd\" does not exist; did you mean \"abc\"?");
  db_.run("CREATE TABLE plain(a)");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE plain ADD a INT"),
            "\"plain\" in schema main is not a foreign table of table_storage but another table; SQLite's "
            "own ALTER TABLE and DROP TABLE are for it");
  EXPECT_EQ(definition("abc"), "CREATE VIRTUAL TABLE abc USING table_storage( alpha INT, SERVER local)");
}

TEST_F(FdwTables, RenamingKeepsWhatIsShown) {
  fdw("CREATE FOREIGN TABLE abc (a INT) SERVER local");
  db_.run("INSERT INTO abc(PartitionKey, RowKey, a) VALUES ('p', 'r', 1)");
  EXPECT_EQ(fdw("ALTER FOREIGN TABLE abc RENAME COLUMN a TO \"the a\""), "ALTER FOREIGN TABLE");
  EXPECT_EQ(fdw("ALTER FOREIGN TABLE abc RENAME TO \"the table\""), "ALTER FOREIGN TABLE");
  EXPECT_EQ(
      definition("the table"),
      "CREATE VIRTUAL TABLE \"the table\" USING table_storage( \"the a\" INT OPTIONS (property 'a'), SERVER "
      "local, OPTIONS (table 'abc'))");
  EXPECT_EQ(db_.value("SELECT \"the a\" FROM \"the table\""), "1");
  db_.run("CREATE TABLE plain(a)");
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE \"the table\" RENAME TO plain"),
            "table \"plain\" already exists in schema main");
  // Another case is another name to nobody else.
  fdw("ALTER FOREIGN TABLE \"the table\" RENAME TO \"The Table\"");
  EXPECT_EQ(tables(), "main.The Table");
}

TEST_F(FdwTables, Drop) {
  fdw("CREATE FOREIGN TABLE abc (a INT) SERVER local; CREATE FOREIGN TABLE temp.abc () SERVER local OPTIONS "
      "(table "
      "'other'); CREATE FOREIGN TABLE abd () SERVER local");
  db_.run("INSERT INTO main.abc(PartitionKey, RowKey, a) VALUES ('p', 'r', 1)");
  // As SQLite looks for names: temp first.
  fdw("DROP FOREIGN TABLE abc");
  EXPECT_EQ(tables(), "main.abc, main.abd");
  EXPECT_NE(refusal("DROP FOREIGN TABLE abd, nobody").find("\"nobody\" does not exist"), std::string::npos);
  EXPECT_EQ(tables(), "main.abc, main.abd");
  EXPECT_EQ(fdw("DROP FOREIGN TABLE IF EXISTS nobody, abd, abc CASCADE"), "DROP FOREIGN TABLE");
  EXPECT_EQ(tables(), "");
  fdw("CREATE FOREIGN TABLE xyz (a INT) SERVER local OPTIONS (table 'abc')");
  EXPECT_EQ(db_.value("SELECT a FROM xyz"), "1");
  db_.run("CREATE TABLE plain(a); CREATE VIEW seen AS SELECT 1");
  EXPECT_EQ(refusal("DROP FOREIGN TABLE plain"),
            "\"plain\" in schema main is not a foreign table of table_storage but another table; SQLite's "
            "own ALTER TABLE and DROP TABLE are for it");
  EXPECT_EQ(refusal("DROP FOREIGN TABLE IF EXISTS seen"),
            "\"seen\" in schema main is not a foreign table of table_storage but a view; SQLite's own DROP "
            "VIEW is for it");
}

TEST_F(FdwTables, InUse) {
  fdw("CREATE FOREIGN TABLE abc (a INT) SERVER local");
  db_.run("INSERT INTO abc(PartitionKey, RowKey, a) VALUES ('p', 'r', 1), ('p', 's', 2), ('p', 't', 3)");
  sqlite3_stmt* reader = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT a FROM abc", -1, &reader, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(reader), SQLITE_ROW);
  EXPECT_EQ(refusal("ALTER FOREIGN TABLE abc ADD b INT"),
            "foreign table \"abc\" is in use by a statement of this connection that is still running");
  // It goes on. Where the schema itself was put back, SQLite ends readers, as after any ROLLBACK TO: what was
  // not read ahead is an error, and never missing without a word.
  EXPECT_NE(refusal("DROP SERVER IF EXISTS nobody; DROP SERVER nobody"), "");
  EXPECT_EQ(sqlite3_step(reader), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(reader, 0), 2);
  EXPECT_NE(refusal("CREATE FOREIGN TABLE abd () SERVER local; DROP SERVER nobody"), "");
  int rows = 2;
  int rc = SQLITE_OK;
  while ((rc = sqlite3_step(reader)) == SQLITE_ROW) ++rows;
  EXPECT_TRUE(rc == SQLITE_ABORT || (rc == SQLITE_DONE && rows == 3)) << rc;
  sqlite3_finalize(reader);
  EXPECT_EQ(fdw("ALTER FOREIGN TABLE abc ADD b INT"), "ALTER FOREIGN TABLE");
}

TEST_F(FdwTables, ImportFromLocal) {
  fdw("CREATE FOREIGN TABLE Abc (Num INT, Text TEXT) SERVER local");
  db_.run("INSERT INTO Abc(PartitionKey, RowKey, Num, Text) VALUES ('p', 'r', 5000000000, 'x')");
  fdw("DROP FOREIGN TABLE Abc");
  EXPECT_EQ(fdw("IMPORT FOREIGN SCHEMA tables FROM SERVER local INTO main"), "IMPORT FOREIGN SCHEMA");
  EXPECT_EQ(db_.value("SELECT Num, Text FROM Abc"), "5000000000|x");
  EXPECT_NE(
      refusal("IMPORT FOREIGN SCHEMA t LIMIT TO (Abd) FROM SERVER local INTO main").find("did you mean Abc?"),
      std::string::npos);
  EXPECT_EQ(refusal("IMPORT FOREIGN SCHEMA t FROM SERVER local INTO public"),
            "schema \"public\" does not exist; there are main, temp");
  // Again after a change of the user's own: that stays.
  fdw("ALTER FOREIGN TABLE Abc OPTIONS (estimated_rows '7'), DROP COLUMN Text; IMPORT FOREIGN SCHEMA t "
      "EXCEPT (x) FROM "
      "SERVER local INTO main");
  EXPECT_NE(definition("Abc").find("estimated_rows '7'"), std::string::npos);
  EXPECT_EQ(db_.value("SELECT Num, Text FROM Abc"), "5000000000|x");
}

class FdwRemoteTables : public RemoteTest {
 protected:
  std::string message(const std::string& script) { return db_.error("SELECT fdw('" + script + "')"); }
};

// Dropping a table forgets its buffered writes without a word: so fdw() does not.
TEST_F(FdwRemoteTables, WaitingWritesKeepTheTable) {
  db_.run("SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint \"" +
          service_.endpoint() +
          "\"); CREATE FOREIGN TABLE abc (N INT32) SERVER s OPTIONS (table \"Things\")')");
  db_.run("BEGIN; INSERT INTO abc(PartitionKey, RowKey, N) VALUES ('p', 'r', 5)");
  const std::string expected =
      "foreign table \"abc\" has writes of the open transaction waiting to be sent; COMMIT or ROLLBACK first";
  EXPECT_EQ(message("ALTER FOREIGN TABLE abc ADD x INT"), expected);
  EXPECT_EQ(message("DROP FOREIGN TABLE abc"), expected);
  EXPECT_EQ(message("DROP SERVER s CASCADE"), expected);
  EXPECT_EQ(message("ALTER SERVER s RENAME TO t"), expected);
  db_.run("COMMIT");
  EXPECT_EQ(stored("r"), "5");
  db_.run("SELECT fdw('ALTER FOREIGN TABLE abc ADD x INT')");
  EXPECT_EQ(db_.value("SELECT N, x FROM abc"), "5|NULL");
}

// A service that does not answer costs the import, not the transaction around it.
TEST_F(FdwRemoteTables, AFailedImportLeavesTheTransactionAlone) {
  db_.run(
      "CREATE TABLE plain(a); SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS "
      "(endpoint "
      "\"http://127.0.0.1:1/devstoreaccount1\", max_retries \"0\")')");
  db_.run("BEGIN; INSERT INTO plain VALUES (1)");
  EXPECT_NE(message("IMPORT FOREIGN SCHEMA t FROM SERVER s INTO main").find("127.0.0.1:1"),
            std::string::npos);
  EXPECT_EQ(sqlite3_get_autocommit(db_.handle()), 0);
  db_.run("COMMIT");
  EXPECT_EQ(db_.value("SELECT count(*) FROM plain"), "1");
}

TEST_F(FdwRemoteTables, Import) {
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(5)}});
  db_.run("SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (endpoint \"" +
          service_.endpoint() + "\"); IMPORT FOREIGN SCHEMA t LIMIT TO (things) FROM SERVER s INTO temp')");
  EXPECT_EQ(db_.value("SELECT N FROM temp.Things"), "5");
}

}  // namespace
}  // namespace table_storage::test
