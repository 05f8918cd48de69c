// Tables, schemas, the dictionary of names, other connections, transactions.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/extension/backend_fixture.h"

namespace table_storage::backend::local::testing {
namespace {

Write insert(const std::string& row, Properties properties = {}) {
  return {OperationKind::insert, "p", row, std::move(properties)};
}

TEST(LocalTables, CreateListDrop) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  EXPECT_TRUE(backend.list_tables().empty());
  for (const char* name : {"bbb", "Aaa", "ccc", "ABB"}) backend.create_table(name);
  EXPECT_EQ(backend.list_tables(), (Strings{"Aaa", "ABB", "bbb", "ccc"}));
  const Error error = error_of([&] { backend.create_table("aAA"); });
  EXPECT_EQ(error.kind(), Error::Kind::conflict);
  EXPECT_EQ(error.code(), "TableAlreadyExists");
  EXPECT_NE(error.message().find("Aaa"), std::string::npos);
  EXPECT_EQ(code_of([&] { backend.create_table("a"); }), "OutOfRangeInput");
  EXPECT_EQ(code_of([&] { backend.open_table("no good"); }), "InvalidResourceName");
  backend.drop_table("AAA");
  EXPECT_EQ(backend.list_tables(), (Strings{"ABB", "bbb", "ccc"}));
  const Error missing = error_of([&] { backend.drop_table("Aaa"); });
  EXPECT_EQ(missing.kind(), Error::Kind::missing);
  EXPECT_EQ(missing.code(), "ResourceNotFound");
}

TEST(LocalTables, OnlyTablesOfOursAreListed) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  db.run(
      "CREATE TABLE plain(x); CREATE TABLE \"ts_entities_no good\"(x); CREATE VIEW ts_entities_View AS "
      "SELECT 1");
  run(*backend.open_table("Made"), insert("1", {{"A", Value::int32(1)}}));
  EXPECT_EQ(backend.list_tables(), Strings{"Made"});
}

TEST(LocalTables, DroppingWhileOthersHoldIdleStatements) {
  Connection db;
  const auto database = std::make_shared<LocalDatabase>(db.get(), "main");
  LocalBackend backend(database);
  const auto one = backend.open_table("Things");
  const auto two = LocalBackend(database).open_table("Things");
  for (Table* table : {one.get(), two.get()}) {
    run(*table, {OperationKind::insert_or_merge, "p", "r", {{"A", Value::int32(1)}}});
    run(*table, {OperationKind::insert_or_replace, "p", "r", {}});
    EXPECT_EQ(read(*table).size(), 1u);
  }
  backend.drop_table("Things");
  EXPECT_TRUE(read(*one).empty());
  EXPECT_EQ(code_of([&] { run(*one, {OperationKind::remove, "p", "r", {}}); }), "ResourceNotFound");
  EXPECT_EQ(code_of([&] { run(*one, {OperationKind::merge, "p", "r", {}}); }), "ResourceNotFound");
  run(*two, insert("again"));
  EXPECT_EQ(read(*one), Strings{"p/again"});
}

TEST(LocalTables, DroppingWhileAScanReadsIsRefused) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  const auto table = backend.open_table("Things");
  run(*table, insert("1"));
  run(*table, insert("2"));
  auto scan = table->open_scan(everything());
  scan->next();
  const Error error = error_of([&] { backend.drop_table("Things"); });
  EXPECT_EQ(error.kind(), Error::Kind::storage);
  EXPECT_EQ(error.native_code() & 0xFF, SQLITE_LOCKED);
  scan.reset();
  backend.drop_table("Things");
}

TEST(LocalTables, ReleaseLetsTheConnectionClose) {
  auto db = std::make_unique<Connection>();
  LocalBackend backend(db->get(), "main");
  const auto table = backend.open_table("Things");
  run(*table, insert("1"));
  EXPECT_EQ(read(*table).size(), 1u);
  table->release();
  EXPECT_EQ(read(*table).size(), 1u) << "it can be used again";
  table->release();
  db.reset();
}

TEST(LocalTables, TempAndAttachedSchemas) {
  TemporaryFile file;
  Connection db;
  db.run("ATTACH '" + file.path() + "' AS \"odd \"\" name\"");
  for (const char* schema : {"temp", "odd \" name"}) {
    LocalBackend backend(db.get(), schema);
    const auto table = backend.open_table("Things");
    run(*table, insert("1", {{"A", Value::string(schema)}}));
    EXPECT_EQ(read(*table), Strings{"p/1 A='" + std::string(schema) + "'"});
    EXPECT_EQ(backend.list_tables(), Strings{"Things"});
    backend.create_table("Other");
    backend.drop_table("Other");
  }
  EXPECT_EQ(db.query("SELECT count(*) FROM main.sqlite_schema"), "0");
  EXPECT_EQ(db.query("SELECT name FROM temp.sqlite_schema WHERE type = 'table'"),
            "ts_property_names,ts_entities_Things");
}

TEST(LocalTables, ReadOnlyDatabase) {
  TemporaryFile file;
  {
    Connection db(file.path());
    run(*LocalBackend(db.get(), "main").open_table("Things"), insert("1", {{"A", Value::int32(1)}}));
  }
  Connection db(file.path(), SQLITE_OPEN_READONLY);
  LocalBackend backend(db.get(), "main");
  const auto table = backend.open_table("Things");
  EXPECT_EQ(read(*table), Strings{"p/1 A=1"});
  const auto expect_readonly = [](const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::storage);
    EXPECT_EQ(e.native_code() & 0xFF, SQLITE_READONLY);
    EXPECT_NE(e.message().find("readonly"), std::string::npos) << e.message();
  };
  expect_readonly(error_of([&] { run(*table, insert("2", {{"A", Value::int32(1)}})); }));
  expect_readonly(error_of([&] { run(*table, insert("2", {{"New", Value::int32(1)}})); }));
  expect_readonly(error_of([&] { run(*table, {OperationKind::merge, "p", "1", {{"A", Value::int32(2)}}}); }));
  expect_readonly(error_of([&] { run(*backend.open_table("More"), insert("2")); }));
  EXPECT_TRUE(read(*backend.open_table("More")).empty());
}

// --- Other connections
// ---------------------------------------------------------------------------------------

class TwoConnections : public ::testing::Test {
 protected:
  TemporaryFile file_;
  Connection first_{file_.path()};
  Connection second_{file_.path()};
  LocalBackend first_backend_{first_.get(), "main"};
  LocalBackend second_backend_{second_.get(), "main"};
  std::unique_ptr<Table> mine_ = first_backend_.open_table("Things");
  std::unique_ptr<Table> theirs_ = second_backend_.open_table("Things");
};

// The whole entity is measured, of whose properties this connection has not seen the names.
TEST_F(TwoConnections, MergesMeasureNamesAddedElsewhere) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  Properties large;
  for (int i = 0; i < 16; ++i)
    large.push_back({"S" + std::to_string(i), Value::string(std::string(32'000, 's'))});
  run(*theirs_, {OperationKind::merge, "p", "1", large});
  run(*mine_, {OperationKind::merge, "p", "1", {{"A", Value::int32(2)}}});
  ScanRequest request = everything();
  request.projection.properties = {"A", "S15"};
  const auto scan = theirs_->open_scan(request);
  const EntityView* const entity = scan->next();
  ASSERT_NE(entity, nullptr);
  EXPECT_EQ(entity->all.size(), 17U);
  EXPECT_EQ(entity->properties[0].as_int64(), 2);
  EXPECT_EQ(entity->properties[1].bytes().size(), 32'000U);
}

TEST_F(TwoConnections, NamesAddedElsewhereAreSeen) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  run(*theirs_, insert("2", {{"B", Value::int32(2)}, {"A", Value::int32(3)}}));
  EXPECT_EQ(read(*mine_), (Strings{"p/1 A=1", "p/2 B=2 A=3"}));
  run(*theirs_, insert("3", {{"A", Value::int32(1)}, {"C", Value::int32(5)}}));
  ScanRequest request;
  request.ranges.push_back({});
  request.projection.properties = {"A", "C"};
  request.filter = odata::Filter::compare("C", odata::Operator::eq, Value::int32(5));
  auto scan = mine_->open_scan(request);
  const EntityView* entity = scan->next();
  ASSERT_NE(entity, nullptr) << "C is new to this connection, in the filter and in the projection";
  EXPECT_EQ(entity->row_key, "3");
  EXPECT_EQ(text_of(entity->properties[1]), "5");
  scan.reset();
  // A name that both add has one number.
  run(*theirs_, insert("4", {{"D", Value::int32(1)}}));
  run(*mine_, insert("5", {{"E", Value::int32(2)}, {"D", Value::int32(3)}}));
  EXPECT_EQ(read(*theirs_).back(), "p/5 E=2 D=3");
  EXPECT_EQ(
      first_.query("SELECT group_concat(name, '') FROM (SELECT name FROM ts_property_names ORDER BY id)"),
      "ABCDE");
}

TEST_F(TwoConnections, AMergeKeepsPropertiesWithNamesItDoesNotKnow) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  run(*theirs_, {OperationKind::merge, "p", "1", {{"B", Value::int32(2)}}});
  run(*mine_, {OperationKind::merge, "p", "1", {{"A", Value::int32(3)}, {"C", Value::int32(4)}}});
  EXPECT_EQ(read(*mine_), Strings{"p/1 A=3 B=2 C=4"});
  EXPECT_EQ(read(*theirs_), Strings{"p/1 A=3 B=2 C=4"});
}

TEST_F(TwoConnections, ATableDroppedElsewhereReadsAsEmptyAndIsMadeAgain) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  EXPECT_EQ(read(*mine_).size(), 1u);
  run(*mine_, {OperationKind::merge, "p", "1", {}});
  second_backend_.drop_table("Things");
  EXPECT_TRUE(read(*mine_).empty());
  EXPECT_EQ(code_of([&] { run(*mine_, {OperationKind::merge, "p", "1", {}}); }), "ResourceNotFound");
  run(*mine_, insert("2", {{"A", Value::int32(2)}}));
  EXPECT_EQ(read(*theirs_), Strings{"p/2 A=2"});
  first_backend_.drop_table("Things");
  EXPECT_EQ(code_of([&] { first_backend_.drop_table("Things"); }), "ResourceNotFound");
  second_backend_.create_table("Things");
  EXPECT_EQ(code_of([&] { first_backend_.create_table("THINGS"); }), "TableAlreadyExists");
}

TEST_F(TwoConnections, ABusyDatabaseIsAnErrorOfTheStore) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  second_.run("BEGIN IMMEDIATE");
  for (const auto kind : {OperationKind::insert, OperationKind::merge}) {
    const Error error = error_of([&] {
      run(*mine_, {kind, "p", kind == OperationKind::merge ? "1" : "2", {}});
    });
    EXPECT_EQ(error.kind(), Error::Kind::storage);
    EXPECT_EQ(error.native_code() & 0xFF, SQLITE_BUSY);
    EXPECT_NE(error.message().find("Things"), std::string::npos);
  }
  second_.run("COMMIT");
  run(*mine_, insert("2"));
  EXPECT_EQ(sqlite3_get_autocommit(first_.get()), 1) << "no savepoint was left open";
}

// --- Transactions
// --------------------------------------------------------------------------------------------

TEST_F(TwoConnections, NamesOfATransactionThatWasUndoneAreForgotten) {
  run(*mine_, insert("1", {{"A", Value::int32(1)}}));
  first_.run("BEGIN");
  run(*mine_, insert("2", {{"Gone", Value::int32(2)}}));
  first_.run("ROLLBACK");
  mine_->forget_uncommitted();
  run(*theirs_, insert("3", {{"Taken", Value::int32(3)}}));  // has the number that Gone had
  run(*mine_, insert("4", {{"Gone", Value::int32(4)}, {"A", Value::int32(5)}}));
  const Strings expected = {"p/1 A=1", "p/3 Taken=3", "p/4 Gone=4 A=5"};
  EXPECT_EQ(read(*mine_), expected);
  EXPECT_EQ(read(*theirs_), expected);
}

TEST(LocalTransactions, ASavepointUndoesEntitiesNamesAndTables) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  const auto table = backend.open_table("Things");
  db.run("BEGIN; SAVEPOINT s");
  run(*table, insert("1", {{"A", Value::int32(1)}}));
  EXPECT_EQ(read(*table).size(), 1u);
  db.run("ROLLBACK TO s");
  table->forget_uncommitted();
  EXPECT_TRUE(read(*table).empty());
  EXPECT_TRUE(backend.list_tables().empty());
  run(*table, insert("1", {{"B", Value::int32(2)}, {"A", Value::int32(1)}}));
  db.run("COMMIT");
  EXPECT_EQ(read(*table), Strings{"p/1 B=2 A=1"});
}

TEST(LocalTransactions, AScanThatIsOpenKeepsItsNamesWhenTheyAreForgotten) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  const auto table = backend.open_table("Things");
  run(*table, insert("1", {{"A", Value::int32(1)}}));
  run(*table, insert("2", {{"A", Value::int32(2)}}));
  ScanRequest request = everything();
  request.projection.properties = {"A"};
  const auto scan = table->open_scan(request);
  const EntityView* entity = scan->next();
  table->forget_uncommitted();
  EXPECT_EQ(text_of(*entity), "p/1 A=1");
  entity = scan->next();
  EXPECT_EQ(text_of(*entity), "p/2 A=2");
  EXPECT_EQ(text_of(entity->properties[0]), "2");
}

TEST(LocalTransactions, LastInsertRowidIsTheApplications) {
  Connection db;
  LocalBackend backend(db.get(), "main");
  db.run("CREATE TABLE native(x); INSERT INTO native(rowid, x) VALUES (4711, 1)");
  run(*backend.open_table("Things"), insert("1", {{"A", Value::int32(1)}}));
  EXPECT_EQ(sqlite3_last_insert_rowid(db.get()), 4711);
}

TEST(LocalTransactions, ADamagedDictionaryIsNoticed) {
  Connection db;
  {
    LocalBackend backend(db.get(), "main");
    run(*backend.open_table("Things"), insert("1", {{"A", Value::int32(1)}, {"B", Value::int32(1)}}));
  }
  db.run("DELETE FROM ts_property_names WHERE name = 'A'");
  LocalBackend backend(db.get(), "main");
  const Error error = error_of([&] { read(*backend.open_table("Things")); });
  EXPECT_EQ(error.kind(), Error::Kind::corrupt);
  EXPECT_NE(error.message().find("ts_property_names"), std::string::npos);
  db.run("DELETE FROM ts_property_names");
  LocalBackend empty(db.get(), "main");
  EXPECT_EQ(error_of([&] { read(*empty.open_table("Things")); }).kind(), Error::Kind::corrupt);
}

}  // namespace
}  // namespace table_storage::backend::local::testing
