#include <gtest/gtest.h>

#include <string>

#include "parser/edm/text.h"
#include "tests/unit/extension/backend_fixture.h"

namespace table_storage::backend::local::testing {
namespace {

using odata::Filter;
using odata::Operator;

class ScanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* partition : {"a", "b", "c"}) {
      for (int row = 1; row <= 3; ++row) {
        run(*table_,
            {OperationKind::insert,
             partition,
             std::to_string(row),
             {{"N", Value::int32(row)}, {"S", Value::string(std::string(partition) + std::to_string(row))}}});
      }
    }
  }
  /// "a1 a2 …" of the entities in the request.
  std::string keys(const ScanRequest& request) {
    std::string out;
    const auto scan = table_->open_scan(request);
    while (const EntityView* entity = scan->next()) {
      if (!out.empty()) out += ' ';
      out.append(entity->partition_key).append(entity->row_key);
    }
    return out;
  }
  std::string keys(const KeyRange& range) {
    ScanRequest request;
    request.ranges = {range};
    return keys(request);
  }
  std::string matching(Filter filter, const KeyRange& range = {}) {
    ScanRequest request;
    request.ranges = {range};
    request.filter = std::move(filter);
    return keys(request);
  }

  Connection db_;
  LocalBackend backend_{db_.get(), "main"};
  std::unique_ptr<Table> table_ = backend_.open_table("Things");
};

TEST_F(ScanTest, RangesOfKeys) {
  EXPECT_EQ(keys(KeyRange{}), "a1 a2 a3 b1 b2 b3 c1 c2 c3");
  EXPECT_EQ(keys(point("b", "2")), "b2");
  EXPECT_EQ(keys(point("b", "9")), "");
  EXPECT_EQ(keys({TextRange::exactly("b"), {}}), "b1 b2 b3");
  EXPECT_EQ(keys({{"b", {}, true, true}, {}}), "b1 b2 b3 c1 c2 c3");
  EXPECT_EQ(keys({{"b", {}, false, true}, {}}), "c1 c2 c3");
  EXPECT_EQ(keys({{{}, "b", true, true}, {}}), "a1 a2 a3 b1 b2 b3");
  EXPECT_EQ(keys({{{}, "b", true, false}, {}}), "a1 a2 a3");
  EXPECT_EQ(keys({{"a", "c", false, false}, {"2", "3", true, false}}), "b2");
  EXPECT_EQ(keys({{"a", "c", true, true}, {"2", "3", false, true}}), "a3 b3 c3");
  EXPECT_EQ(keys({{}, TextRange::exactly("2")}), "a2 b2 c2");
  EXPECT_EQ(keys({{"c", "a", true, true}, {}}), "") << "an empty range is no error";
  EXPECT_EQ(keys({{"b", "b", false, true}, {}}), "");
}

TEST_F(ScanTest, SeveralRangesInTurn) {
  ScanRequest request;
  EXPECT_EQ(keys(request), "") << "no range, no entity";
  request.ranges = {point("a", "1"),
                    point("a", "3"),
                    point("b", "7"),
                    {TextRange::exactly("b"), {"2", {}, true, true}},
                    point("c", "2")};
  EXPECT_EQ(keys(request), "a1 a3 b2 b3 c2");
}

TEST_F(ScanTest, TwoScansAtATimeOfTheSameShape) {
  const auto first = table_->open_scan(everything());
  const auto second = table_->open_scan(everything());
  EXPECT_EQ(first->next()->row_key, "1");
  EXPECT_EQ(second->next()->row_key, "1");
  EXPECT_EQ(first->next()->row_key, "2");
  EXPECT_EQ(second->next()->row_key, "2");
  EXPECT_EQ(rest_of(*first).size(), 7u);
  EXPECT_EQ(first->next(), nullptr) << "the end stays the end";
  EXPECT_EQ(rest_of(*second).size(), 7u);
}

TEST_F(ScanTest, ProjectionByPositionWithTwinsAndMissingOnes) {
  run(*table_, {OperationKind::insert, "d", "1", {{"n", Value::real(0.5)}, {"N", Value::string("")}}});
  ScanRequest request;
  request.ranges = {{TextRange{"c", {}, true, true}, {"1", "1", true, true}}};
  request.projection.properties = {"S", "n", "Unheard", "N", "S"};
  const auto scan = table_->open_scan(request);
  const EntityView* c1 = scan->next();
  ASSERT_NE(c1, nullptr);
  EXPECT_EQ(text_of(c1->properties[0]), "'c1'");
  EXPECT_FALSE(c1->properties[1].present());
  EXPECT_FALSE(c1->properties[2].present());
  EXPECT_EQ(text_of(c1->properties[3]), "1");
  EXPECT_EQ(text_of(c1->properties[4]), "'c1'");
  EXPECT_TRUE(c1->all.empty());
  const EntityView* d1 = scan->next();
  ASSERT_NE(d1, nullptr);
  EXPECT_FALSE(d1->properties[0].present()) << "nothing is left of the entity before";
  EXPECT_EQ(d1->properties[1].as_double(), 0.5);
  EXPECT_EQ(text_of(d1->properties[3]), "''");
  EXPECT_EQ(scan->next(), nullptr);
}

TEST_F(ScanTest, FiltersOnProperties) {
  EXPECT_EQ(matching(Filter::compare("N", Operator::eq, Value::int32(2))), "a2 b2 c2");
  EXPECT_EQ(matching(Filter::compare("S", Operator::gt, Value::string("b1"))), "b2 b3 c1 c2 c3");
  EXPECT_EQ(
      matching(Filter::negate(Filter::compare("Missing", Operator::eq, Value::int32(1))), point("a", "1")),
      "a1");
  EXPECT_EQ(matching(Filter::compare("Missing", Operator::ne, Value::int32(1))), "");
  EXPECT_EQ(matching(Filter::compare("N", Operator::lt, Value::string("x")), point("a", "1")), "a1")
      << "a value of another type counts as smaller";
}

TEST_F(ScanTest, FiltersOnKeysAndTimestamp) {
  const Filter second_row = Filter::compare("RowKey", Operator::eq, Value::string("2"));
  EXPECT_EQ(matching(second_row), "a2 b2 c2");
  EXPECT_EQ(matching(Filter::any_of(
                {second_row, Filter::compare("PartitionKey", Operator::eq, Value::string("b"))})),
            "a2 b1 b2 b3 c2");
  EXPECT_EQ(matching(Filter::all_of({Filter::compare("PartitionKey", Operator::ge, Value::string("b")),
                                     Filter::compare("N", Operator::ge, Value::int32(3))})),
            "b3 c3");
  EXPECT_EQ(matching(Filter::compare("Timestamp", Operator::gt, Value::datetime(edm::kUnixEpochTicks)),
                     point("a", "1")),
            "a1");
  EXPECT_EQ(matching(Filter::compare("Timestamp", Operator::lt, Value::datetime(edm::kUnixEpochTicks))), "");
}

TEST_F(ScanTest, FilterOnANameOfAnotherCase) {
  EXPECT_EQ(matching(Filter::compare("n", Operator::eq, Value::int32(2))), "");
}

TEST_F(ScanTest, EtagIsTheTimestamp) {
  const auto scan = table_->open_scan(everything());
  const EntityView* entity = scan->next();
  std::string expected = edm::format_datetime(entity->timestamp);
  for (std::size_t at = 0; (at = expected.find(':', at)) != std::string::npos;)
    expected.replace(at, 1, "%3A");
  EXPECT_EQ(scan->etag(), "W/\"datetime'" + expected + "'\"");
}

TEST_F(ScanTest, KeysComeInTheOrderOfSqlite) {
  const auto odd = backend_.open_table("Odd");
  const Strings in_order = {
      "", " ", "10", "9", "B", "a", "\xC3\xA9", "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80"};
  for (std::size_t i = in_order.size(); i-- > 0;)
    run(*odd, {OperationKind::insert, in_order[i], in_order[i], {}});
  Strings seen;
  for (const std::string& entity : read(*odd)) seen.push_back(entity.substr(0, entity.find('/')));
  EXPECT_EQ(seen, in_order);
  ScanRequest request;
  request.ranges = {{{"\xEE\x80\x80", "\xF0\x9F\x98\x80", false, true}, {}}};
  EXPECT_EQ(read(*odd, request).size(), 2u);
  request.ranges = {point("", "")};
  EXPECT_EQ(read(*odd, request), Strings{"/"});
}

TEST_F(ScanTest, ATableThatDoesNotExistIsEmpty) {
  const auto nothing = backend_.open_table("Nothing");
  EXPECT_TRUE(read(*nothing).empty());
  EXPECT_EQ(db_.query("SELECT name FROM sqlite_schema WHERE name LIKE '%Nothing%'"), "");
}

TEST_F(ScanTest, TableNamesIgnoreCase) { EXPECT_EQ(read(*backend_.open_table("tHINGS")).size(), 9u); }

TEST_F(ScanTest, DamagedEntitiesAreNamed) {
  db_.run(
      "UPDATE ts_entities_Things SET Entity = substr(Entity, 1, length(Entity) - 1) "
      "WHERE PartitionKey = 'b' AND RowKey = '2'");
  const auto reading = [&](ScanRequest request) { return error_of([&] { read(*table_, request); }); };
  const auto expect_named = [](const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::corrupt);
    EXPECT_EQ(e.native_code(), SQLITE_CORRUPT);
    EXPECT_NE(e.message().find("table Things, PartitionKey 'b', RowKey '2'"), std::string::npos)
        << e.message();
  };
  expect_named(reading(everything()));
  ScanRequest request;
  request.ranges.push_back({});
  request.projection.properties = {"S"};
  expect_named(reading(request));
  request.projection.properties.clear();
  request.filter = Filter::compare("S", Operator::eq, Value::string("nothing has this"));
  expect_named(reading(request));
  EXPECT_EQ(code_of([&] { run(*table_, {OperationKind::merge, "b", "2", {{"N", Value::int32(1)}}}); }), "");
  run(*table_, {OperationKind::remove, "b", "2", {}});
  EXPECT_EQ(read(*table_).size(), 8u);
}

TEST_F(ScanTest, TheInnerFunctionsAreNotForUsers) {
  for (const char* call : {"ts_local_match(1, x'00')", "ts_local_match(NULL, x'00', '', '')",
                           "ts_local_take(1, '', '', x'00')", "ts_local_take(NULL, NULL, NULL, NULL)"}) {
    const std::string answer = db_.query(std::string("SELECT ") + call);
    EXPECT_NE(answer.find("belongs to the module table_storage"), std::string::npos) << answer;
  }
}

// Rows are kept in the order in which SQLite comes by them: it must never come by them in another one,
// whatever indexes and statistics there are, nor gather them in a sorter first.
TEST_F(ScanTest, RowsAreNeverSorted) {
  for (int i = 0; i < 300; ++i) {
    run(*table_, {OperationKind::insert, "many", std::to_string(1000 + i), {}});
  }
  db_.run(
      "CREATE INDEX by_row ON ts_entities_Things(RowKey); CREATE INDEX reversed ON "
      "ts_entities_Things(PartitionKey, "
      "RowKey DESC); CREATE UNIQUE INDEX other ON ts_entities_Things(RowKey, PartitionKey); ANALYZE");
  table_->release();
  std::vector<TextRange> ranges = {
      {}, TextRange::exactly("b"), TextRange::exactly("2"), {"1100", "1103", true, false}};
  for (const bool lower_inclusive : {false, true}) {
    for (const bool upper_inclusive : {false, true}) {
      ranges.push_back({"1", "b", lower_inclusive, upper_inclusive});
    }
    ranges.push_back({"2", {}, lower_inclusive, true});
    ranges.push_back({{}, "b", true, lower_inclusive});
  }
  int statements = 0;
  for (const TextRange& partition : ranges) {
    for (const TextRange& row : ranges) {
      for (const char* filtered_by : {"", "N", "RowKey"}) {
        ScanRequest request;
        request.ranges = {{partition, row}};
        if (*filtered_by != '\0') {
          request.filter = Filter::negate(Filter::compare(filtered_by, Operator::eq, Value::string("x")));
        }
        const auto scan = table_->open_scan(request);
        std::pair<std::string, std::string> last;
        while (const EntityView* entity = scan->next()) {
          std::pair<std::string, std::string> now(entity->partition_key, entity->row_key);
          ASSERT_LT(last, now);
          last = std::move(now);
        }
        for (sqlite3_stmt* s = sqlite3_next_stmt(db_.get(), nullptr); s != nullptr;
             s = sqlite3_next_stmt(db_.get(), s)) {
          ASSERT_EQ(sqlite3_stmt_status(s, SQLITE_STMTSTATUS_SORT, 0), 0) << sqlite3_sql(s);
          ++statements;
        }
      }
    }
  }
  EXPECT_GT(statements, 300);
}

TEST_F(ScanTest, ManyAndLargeEntities) {
  const auto big = backend_.open_table("Big");
  const std::string text(20'000, 't');
  for (int i = 0; i < 150; ++i) {
    run(*big, {OperationKind::insert,
               "p",
               std::to_string(1000 + i),
               {{"N", Value::int32(i)}, {"S", Value::string(text)}}});
  }
  for (const int before : {0, 1, 3, 63, 64, 100, 149, 150}) {
    const auto scan = big->open_scan(everything());
    int n = 0;
    for (;; ++n) {
      if (n == before) run(*big, {OperationKind::insert_or_replace, "p", "9999", {}});
      const EntityView* entity = scan->next();
      if (entity == nullptr) break;
      ASSERT_EQ(entity->row_key, std::to_string(1000 + n));
      ASSERT_EQ(entity->all[0].value.as_int32(), n);
      ASSERT_EQ(entity->all[1].value.bytes(), text);
    }
    EXPECT_EQ(n, 150);
    run(*big, {OperationKind::remove, "p", "9999", {}});
  }
}

// --- Writes while a scan is open
// -----------------------------------------------------------------------------

TEST_F(ScanTest, AScanShowsTheTableAsItWasBeforeAWrite) {
  const auto other = backend_.open_table("things");
  const auto scan = table_->open_scan(everything());
  const EntityView* first = scan->next();
  const std::string_view kept_key = first->partition_key;
  const ValueView kept_value = first->all[1].value;
  run(*other, {OperationKind::insert, "a", "25", {}});
  run(*other, {OperationKind::insert, "z", "1", {}});
  run(*other, {OperationKind::remove, "c", "3", {}});
  run(*other, {OperationKind::merge, "a", "2", {{"S", Value::string("changed")}}});
  run(*other, {OperationKind::remove, "a", "1", {}});
  EXPECT_EQ(kept_key, "a") << "the current entity is untouched";
  EXPECT_EQ(text_of(kept_value), "'a1'");
  EXPECT_EQ(text_of(*first), "a/1 N=1 S='a1'");
  EXPECT_EQ(rest_of(*scan),
            (Strings{"a/2 N=2 S='a2'", "a/3 N=3 S='a3'", "b/1 N=1 S='b1'", "b/2 N=2 S='b2'", "b/3 N=3 S='b3'",
                     "c/1 N=1 S='c1'", "c/2 N=2 S='c2'", "c/3 N=3 S='c3'"}));
  EXPECT_EQ(scan->next(), nullptr);
  EXPECT_EQ(read(*table_).size(), 9u);
}

TEST_F(ScanTest, CopyingATableOntoItselfEnds) {
  const auto target = backend_.open_table("Things");
  const auto scan = table_->open_scan(everything());
  int copied = 0;
  while (const EntityView* entity = scan->next()) {
    ASSERT_LT(copied, 100) << "chasing its own tail";
    Operation copy;
    copy.partition_key = entity->partition_key;
    const std::string row = std::string(entity->row_key) + "copy";
    copy.row_key = row;
    copy.properties = entity->all;
    target->run(copy);
    ++copied;
  }
  EXPECT_EQ(copied, 9);
  EXPECT_EQ(read(*table_).size(), 18u);
}

TEST_F(ScanTest, DetachingKeepsRangesFilterAndProjection) {
  ScanRequest request;
  request.ranges = {point("a", "1"),
                    {TextRange::exactly("a"), {"2", {}, true, true}},
                    {{"b", "c", true, true}, {"2", {}, true, true}}};
  request.filter = Filter::negate(Filter::compare("S", Operator::eq, Value::string("b3")));
  request.projection.properties = {"S"};
  for (int before = 0; before <= 5; ++before) {  // detach after that many entities
    const auto scan = table_->open_scan(request);
    std::string seen;
    for (int i = 0;; ++i) {
      if (i == before) {
        run(*table_, {OperationKind::insert_or_replace, "c", "25", {{"S", Value::string("late")}}});
      }
      const EntityView* entity = scan->next();
      if (entity == nullptr) break;
      seen += text_of(entity->properties[0]) + " ";
    }
    EXPECT_EQ(seen, "'a1' 'a2' 'a3' 'b2' 'c2' 'c3' ") << before;
    run(*table_, {OperationKind::remove, "c", "25", {}});
  }
}

TEST_F(ScanTest, DetachingFailsWhenTheDamagedEntityIsReached) {
  db_.run("UPDATE ts_entities_Things SET Entity = x'00' WHERE PartitionKey = 'a' AND RowKey = '3'");
  const auto scan = table_->open_scan(everything());
  EXPECT_NE(scan->next(), nullptr);
  run(*table_, {OperationKind::insert, "z", "1", {}});
  EXPECT_NE(scan->next(), nullptr);
  EXPECT_EQ(error_of([&] { scan->next(); }).kind(), Error::Kind::corrupt);
}

TEST_F(ScanTest, ScansOfOtherTablesAreLeftAlone) {
  const auto other = backend_.open_table("Other");
  const auto scan = table_->open_scan(everything());
  EXPECT_NE(scan->next(), nullptr);
  run(*other, {OperationKind::insert, "z", "1", {}});
  db_.run("UPDATE ts_entities_Things SET RowKey = 'direct' WHERE PartitionKey = 'c' AND RowKey = '3'");
  EXPECT_EQ(rest_of(*scan).back().substr(0, 8), "c/direct") << "it reads on from SQLite";
}

TEST_F(ScanTest, AScanMayOutliveItsTable) {
  auto scan = table_->open_scan(everything());
  EXPECT_NE(scan->next(), nullptr);
  table_->release();
  table_.reset();
  EXPECT_EQ(rest_of(*scan).size(), 8u);
}

TEST_F(ScanTest, AUtf16DatabaseGivesTheSame) {
  Connection wide;
  wide.run("PRAGMA encoding = 'UTF-16le'");
  LocalBackend backend(wide.get(), "main");
  const auto table = backend.open_table("Things");
  const std::string grin = "\xF0\x9F\x98\x80";
  run(*table, {OperationKind::insert, "p\xC3\xA9", grin, {{"N\xC3\xA4", Value::string(grin)}}});
  run(*table, {OperationKind::insert, "p\xC3\xA9", "x", {{"N\xC3\xA4", Value::string("x")}}});
  EXPECT_EQ(wide.query("PRAGMA encoding"), "UTF-16le");
  ScanRequest request = everything();
  request.ranges = {point("p\xC3\xA9", grin)};
  const Strings one = {"p\xC3\xA9/" + grin + " N\xC3\xA4='" + grin + "'"};
  EXPECT_EQ(read(*table, request), one);
  request.ranges = {{}};
  request.filter = Filter::all_of({Filter::compare("N\xC3\xA4", Operator::eq, Value::string(grin)),
                                   Filter::compare("RowKey", Operator::eq, Value::string(grin))});
  EXPECT_EQ(read(*table, request), one);
}

}  // namespace
}  // namespace table_storage::backend::local::testing
