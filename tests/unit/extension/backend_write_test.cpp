#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "parser/edm/text.h"
#include "tests/unit/extension/backend_fixture.h"

namespace table_storage::backend::local::testing {
namespace {

constexpr const char* kOldEtag = "W/\"datetime'2017-10-02T20%3A21%3A52.4195114Z'\"";

class WriteTest : public ::testing::Test {
 protected:
  std::string only() {
    const Strings all = read(*table_);
    return all.size() == 1 ? all.front() : std::to_string(all.size()) + " entities";
  }
  std::string code(const Write& write) {
    return code_of([&] { run(*table_, write); });
  }

  Connection db_;
  LocalBackend backend_{db_.get(), "main"};
  std::unique_ptr<Table> table_ = backend_.open_table("Things");
};

Write insert(const std::string& row, Properties properties = {}) {
  return {OperationKind::insert, "p", row, std::move(properties)};
}
Write with(OperationKind kind, Properties properties = {}, const std::string& if_match = "*") {
  return {kind, "p", "r", std::move(properties), if_match};
}

TEST_F(WriteTest, InsertOnce) {
  run(*table_, insert("r", {{"A", Value::int32(1)}, {"B", Value::string("x")}, {"C", std::nullopt}}));
  EXPECT_EQ(only(), "p/r A=1 B='x'");
  const Error error = error_of([&] { run(*table_, insert("r", {{"A", Value::int32(2)}})); });
  EXPECT_EQ(error.kind(), Error::Kind::conflict);
  EXPECT_STREQ(error.what(),
               "EntityAlreadyExists: table Things already has an entity with PartitionKey 'p', RowKey 'r'");
  EXPECT_EQ(only(), "p/r A=1 B='x'");
}

TEST_F(WriteTest, EveryTypeComesBackAsItWas) {
  const Properties all = {{"S", Value::string("")},
                          {"X", Value::binary(std::string("\0\1", 2))},
                          {"F", Value::boolean(false)},
                          {"I", Value::int32(-5)},
                          {"L", Value::int64(-5)},
                          {"D", Value::real(-0.0)},
                          {"T", Value::datetime(edm::kMaxServiceTicks)},
                          {"G", Value::guid("0123456789abcdef")}};
  run(*table_, insert("r", all));
  const auto scan = table_->open_scan(everything());
  const EntityView* entity = scan->next();
  ASSERT_EQ(entity->all.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(entity->all[i].name, all[i].first);
    EXPECT_EQ(Value(entity->all[i].value), *all[i].second) << all[i].first;
  }
}

TEST_F(WriteTest, InsertOrReplace) {
  run(*table_, with(OperationKind::insert_or_replace, {{"A", Value::int32(1)}, {"B", Value::int32(2)}}));
  EXPECT_EQ(only(), "p/r A=1 B=2");
  run(*table_, with(OperationKind::insert_or_replace, {{"B", Value::string("x")}}));
  EXPECT_EQ(only(), "p/r B='x'");
}

TEST_F(WriteTest, InsertOrMergeKeepsTheOrderAndTheRest) {
  run(*table_, with(OperationKind::insert_or_merge,
                    {{"A", Value::int32(1)}, {"B", Value::int32(2)}, {"C", Value::int32(3)}}));
  run(*table_,
      with(OperationKind::insert_or_merge,
           {{"D", Value::int32(4)}, {"B", Value::string("x")}, {"A", std::nullopt}, {"E", std::nullopt}}));
  EXPECT_EQ(only(), "p/r A=1 B='x' C=3 D=4");
}

TEST_F(WriteTest, ReplaceAndMergeNeedTheEntity) {
  for (const auto kind : {OperationKind::replace, OperationKind::merge, OperationKind::remove}) {
    for (const std::string& if_match : {std::string("*"), std::string(kOldEtag)}) {
      const Error error = error_of([&] { run(*table_, with(kind, {}, if_match)); });
      EXPECT_EQ(error.kind(), Error::Kind::missing);
      EXPECT_STREQ(error.what(),
                   "ResourceNotFound: table Things has no entity with PartitionKey 'p', RowKey 'r'");
    }
  }
  EXPECT_EQ(db_.query("SELECT count(*) FROM sqlite_schema"), "0") << "nothing was made for it";
  run(*table_, insert("other"));
  EXPECT_EQ(code(with(OperationKind::replace)), "ResourceNotFound");
  EXPECT_EQ(code(with(OperationKind::merge)), "ResourceNotFound");
  EXPECT_EQ(code(with(OperationKind::remove)), "ResourceNotFound");
}

TEST_F(WriteTest, ReplaceMergeRemove) {
  run(*table_, insert("r", {{"A", Value::int32(1)}, {"B", Value::int32(2)}}));
  run(*table_, with(OperationKind::merge, {{"B", Value::int64(5)}}));
  EXPECT_EQ(only(), "p/r A=1 B=5L");
  run(*table_, with(OperationKind::replace, {{"C", Value::boolean(true)}}));
  EXPECT_EQ(only(), "p/r C=true");
  run(*table_, with(OperationKind::remove));
  EXPECT_EQ(only(), "0 entities");
}

TEST_F(WriteTest, EtagsGuardAgainstLostUpdates) {
  for (const auto kind : {OperationKind::merge, OperationKind::replace, OperationKind::remove}) {
    run(*table_, with(OperationKind::insert_or_replace, {{"A", Value::int32(1)}}));
    const std::string etag = etag_of_only(*table_);
    const Error error = error_of([&] { run(*table_, with(kind, {{"A", Value::int32(9)}}, kOldEtag)); });
    EXPECT_EQ(error.kind(), Error::Kind::precondition);
    EXPECT_EQ(error.code(), "UpdateConditionNotSatisfied");
    EXPECT_NE(error.message().find(etag), std::string::npos);
    EXPECT_EQ(only(), "p/r A=1");
    std::string lower = etag;
    lower[0] = 'w';
    EXPECT_EQ(code(with(kind, {}, lower)), "UpdateConditionNotSatisfied") << "byte for byte";
    run(*table_, with(kind, {{"A", Value::int32(9)}}, etag));
    EXPECT_EQ(only(), kind == OperationKind::remove ? "0 entities" : "p/r A=9");
  }
  for (const char* malformed : {"", "x", "W/", "\"", "W/\"a", "W/\"a\"b\"", "**", "W/\"a\", W/\"b\""}) {
    EXPECT_EQ(code(with(OperationKind::merge, {}, malformed)), "InvalidInput") << malformed;
  }
}

TEST_F(WriteTest, TimestampsGrowWithEveryWrite) {
  run(*table_, insert("r", {{"A", Value::int32(0)}}));
  const auto timestamp = [&] {
    const auto scan = table_->open_scan(everything());
    return scan->next()->timestamp;
  };
  std::int64_t last = timestamp();
  EXPECT_TRUE(edm::in_service_range(last));
  for (int i = 0; i < 200; ++i) {
    const auto kind = i % 3 == 0   ? OperationKind::merge
                      : i % 3 == 1 ? OperationKind::replace
                                   : OperationKind::insert_or_replace;
    run(*table_, with(kind, {{"A", Value::int32(i)}}));
    const std::int64_t now = timestamp();
    ASSERT_GT(now, last);
    last = now;
  }
  // A clock that was set back: one tick after the old one.
  const std::int64_t future = edm::kMaxServiceTicks - 1000;
  RecordWriter record;
  record.begin(future);
  std::string hex = edm::format_hex(record.record());
  db_.run("UPDATE ts_entities_Things SET Entity = x'" + hex + "'");
  run(*table_, with(OperationKind::merge));
  EXPECT_EQ(timestamp(), future + 1);
}

TEST_F(WriteTest, LimitsAreKeptBeforeAnythingIsStored) {
  EXPECT_EQ(code({OperationKind::insert, "a/b", "r", {}}), "OutOfRangeInput");
  EXPECT_EQ(code({OperationKind::remove, "p", "a\tb", {}}), "OutOfRangeInput");
  EXPECT_EQ(code(insert(std::string(513, 'r'))), "PropertyValueTooLarge");
  EXPECT_EQ(code(insert("r", {{"no-good", Value::int32(1)}})), "PropertyNameInvalid");
  EXPECT_EQ(code(insert("r", {{"Timestamp", Value::datetime(edm::kUnixEpochTicks)}})), "PropertyNameInvalid");
  EXPECT_EQ(code(insert("r", {{std::string(256, 'a'), Value::int32(1)}})), "PropertyNameTooLong");
  EXPECT_EQ(code(insert("r", {{"S", Value::string(std::string(32'769, 's'))}})), "PropertyValueTooLarge");
  EXPECT_EQ(code(insert("r", {{"X", Value::binary(std::string(65'537, 'x'))}})), "PropertyValueTooLarge");
  EXPECT_EQ(code(insert("r", {{"T", Value::datetime(edm::kMinServiceTicks - 1)}})), "OutOfRangeInput");
  EXPECT_EQ(code(insert("r", {{"A", Value::int32(1)}, {"A", Value::int32(1)}})),
            "DuplicatePropertiesSpecified");
  EXPECT_EQ(db_.query("SELECT count(*) FROM sqlite_schema"), "0");
  // The same with names that the dictionary knows, which takes the fast path.
  run(*table_,
      insert(
          "known",
          {{"A", Value::int32(1)}, {"S", Value::int32(1)}, {"X", Value::int32(1)}, {"T", Value::int32(1)}}));
  EXPECT_EQ(code(insert("r", {{"S", Value::string(std::string(32'769, 's'))}})), "PropertyValueTooLarge");
  EXPECT_EQ(code(insert("r", {{"S", Value::string("\xFF")}})), "InvalidInput");
  EXPECT_EQ(code(insert("r", {{"X", Value::binary(std::string(65'537, 'x'))}})), "PropertyValueTooLarge");
  EXPECT_EQ(code(insert("r", {{"T", Value::datetime(0)}})), "OutOfRangeInput");
  EXPECT_EQ(code(insert("r", {{"A", Value::int32(1)}, {"S", Value::int32(1)}, {"A", std::nullopt}})),
            "DuplicatePropertiesSpecified");
  EXPECT_EQ(code({OperationKind::insert, "\xC2\x80", "r", {}}), "OutOfRangeInput");
  EXPECT_EQ(only(), "p/known A=1 S=1 X=1 T=1");
  run(*table_, insert(std::string(512, 'r'), {{"S", Value::string(std::string(32'768, 's'))},
                                              {"X", Value::binary(std::string(65'536, 'x'))},
                                              {"T", Value::datetime(edm::kMinServiceTicks)}}));
}

TEST_F(WriteTest, MessagesNameTableAndKeys) {
  const Error error = error_of([&] { run(*table_, insert("r", {{"T", Value::datetime(0)}})); });
  EXPECT_TRUE(error.message().starts_with("table Things, PartitionKey 'p', RowKey 'r': ")) << error.what();
  const Error bad_key = error_of([&] { run(*table_, insert("a\nb")); });
  EXPECT_EQ(bad_key.message().find('\n'), std::string::npos) << bad_key.what();
}

TEST_F(WriteTest, AMergeMayNotMakeTheEntityTooLarge) {
  Properties many;
  for (int i = 0; i < 252; ++i) many.push_back({"P" + std::to_string(i), Value::int32(i)});
  run(*table_, insert("r", many));
  run(*table_, with(OperationKind::merge, {{"P7", Value::int32(-7)}}));
  const Error error = error_of([&] {
    run(*table_, with(OperationKind::merge, {{"One_more", Value::int32(1)}}));
  });
  EXPECT_EQ(error.code(), "TooManyProperties");
  EXPECT_TRUE(error.message().starts_with("table Things, PartitionKey 'p', RowKey 'r': ")) << error.what();
  many.push_back({"One_more", Value::int32(1)});
  EXPECT_EQ(code(insert("r2", many)), "TooManyProperties");

  const std::string big(32'000, 's');
  Properties half;
  for (int i = 0; i < 16; ++i) half.push_back({"S" + std::to_string(i), Value::string(big)});
  run(*table_, with(OperationKind::replace, half));
  EXPECT_EQ(code(with(OperationKind::merge, {{"T", Value::string(big)}})), "EntityTooLarge");
  run(*table_, with(OperationKind::merge,
                    {{"S3", Value::string(std::string(32'000, 't'))}, {"T", Value::string("x")}}));
}

// A write that looks at the entity first, brings in a name, and then fails: nothing of it may remain.
void expect_nothing_of_a_failed_write(Table& table) {
  Properties half;
  for (int i = 0; i < 16; ++i)
    half.push_back({"S" + std::to_string(i), Value::string(std::string(32'000, 's'))});
  run(table, {OperationKind::insert, "p", "r", half});
  const std::string before = etag_of_only(table);
  const Error error = error_of([&] {
    run(table, with(OperationKind::merge, {{"Fresh", Value::string(std::string(32'000, 'f'))}}));
  });
  EXPECT_EQ(error.code(), "EntityTooLarge");
  EXPECT_EQ(etag_of_only(table), before) << "not even the Timestamp";
  EXPECT_EQ(error_of([&] {
              run(table, with(OperationKind::merge, {{"Newer", Value::int32(1)}}, kOldEtag));
            }).code(),
            "UpdateConditionNotSatisfied");
  EXPECT_EQ(etag_of_only(table), before);
  // And the table still works, with the name that the failed write had brought in.
  run(table, insert("later", {{"Fresh", Value::int32(1)}, {"Newer", Value::int32(2)}}));
  run(table, with(OperationKind::remove));
  EXPECT_EQ(read(table), Strings{"p/later Fresh=1 Newer=2"});
}

TEST_F(WriteTest, AFailedWriteLeavesNothingInAutocommit) { expect_nothing_of_a_failed_write(*table_); }

TEST_F(WriteTest, AFailedWriteLeavesNothingInATransaction) {
  db_.run("CREATE TABLE native(x); BEGIN; INSERT INTO native VALUES (1)");
  expect_nothing_of_a_failed_write(*table_);
  db_.run("COMMIT");
}

// The module calls run() from xUpdate, while a statement is writing.
TEST_F(WriteTest, AFailedWriteLeavesNothingWithinAStatementThatWrites) {
  static Table* table;
  table = table_.get();
  sqlite3_create_function(
      db_.get(), "write_now", 0, SQLITE_UTF8, nullptr,
      [](sqlite3_context* context, int, sqlite3_value**) {
        sqlite3* const db = sqlite3_context_db_handle(context);
        EXPECT_EQ(sqlite3_exec(db, "SAVEPOINT x", nullptr, nullptr, nullptr), SQLITE_BUSY)
            << "no savepoint here";
        expect_nothing_of_a_failed_write(*table);
        sqlite3_result_int(context, 1);
      },
      nullptr, nullptr);
  db_.run("CREATE TABLE native(x)");
  db_.run("INSERT INTO native VALUES (write_now())");
  EXPECT_EQ(db_.query("SELECT x FROM native"), "1");
  EXPECT_EQ(read(*table_).size(), 1u);
}

}  // namespace
}  // namespace table_storage::backend::local::testing
