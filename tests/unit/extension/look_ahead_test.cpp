// Look-ups of a join that are sent before SQLite comes to them: the same rows, no request more, many at once;
// and what becomes of a guess that is wrong.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <string>

#include "extension/module/near_service.h"
#include "tests/unit/extension/join_fixture.h"

namespace table_storage::test {
namespace {

/// Without memory for it every look-up is a request. Partition 'p<i>' of A is what row i of B names: in its
/// RowKey's place stands S.
class LookAheadTest : public JoinTest {
 protected:
  LookAheadTest() { options_ = ", join_cache_memory '0'"; }

  /// Table "O" with one entity for each of `keys`: PartitionKey 'o', RowKey '<number>', S the key.
  void outer(const std::vector<std::string>& keys) {
    service_.create_table("TableO");
    db_.run(
        "CREATE VIRTUAL TABLE fO USING table_storage(S STRING, N INT32, OPTIONS (table 'TableO', endpoint '" +
        service_.endpoint() + "', dialect 'storage'))");
    db_.run("CREATE TABLE nO (PartitionKey TEXT, RowKey TEXT, S TEXT, N INTEGER)");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string row = number(static_cast<int>(i), 6);
      fake::Properties properties{{"N", Value::int32(static_cast<int>(i))}};
      if (!keys[i].empty()) properties.emplace_back("S", Value::string(keys[i]));
      service_.put("TableO", {"o", row}, properties);
      db_.run("INSERT INTO nO VALUES ('o', '" + row + "', nullif('" + keys[i] + "', ''), " +
              std::to_string(i) + ")");
    }
  }

  static std::vector<std::string> partitions(int count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) keys.push_back("p" + number(i, 4));
    return keys;
  }

  /// Each answer takes so long.
  void slow(std::chrono::milliseconds delay) {
    Fault fault;
    fault.action = Fault::Action::delay;
    fault.times = 0;
    fault.delay = delay;
    service_.add_fault(fault);
  }

  const std::string join_ =
      "SELECT o.N, sum(a.N) FROM @O o CROSS JOIN @A a ON a.PartitionKey = o.S GROUP BY o.N";
};

TEST_F(LookAheadTest, SameRowsSameRequests) {
  make("A", 60, 3);
  outer(partitions(20));
  EXPECT_EQ(requests_of(join_), 21U);
  EXPECT_EQ(requests_of("SELECT o.N, a.RowKey FROM @O o LEFT JOIN @A a ON a.PartitionKey = o.S"), 21U);
}

TEST_F(LookAheadTest, ManyAreUnderWayAtOnce) {
  make("A", 96, 3);
  outer(partitions(32));
  slow(std::chrono::milliseconds(50));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(requests_of(join_), 33U);
  // One after another they take 1.65 s; eight at once about 0.35 s.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1100));
}

TEST_F(LookAheadTest, ANearServiceIsAskedForOneAtATime) {
  make("A", 60, 3);
  outer(partitions(20));
  slow(std::chrono::milliseconds(5));
  const std::size_t before = service_.connections();
  module::near_service = std::chrono::microseconds(std::chrono::minutes(1)).count();
  EXPECT_EQ(requests_of(join_), 21U);
  module::near_service = 0;
  // The outer table's, the look-up's that is read, and the next one's.
  EXPECT_LE(service_.connections() - before, 3U);
  EXPECT_EQ(requests_of(join_), 21U);
  EXPECT_GT(service_.connections() - before, 5U);
}

TEST_F(LookAheadTest, ByTheKeysOfTheOtherTable) {
  make("A", 60, 3);
  make("B", 20, 1);
  // The partitions of B are 'p0000' and so on.
  EXPECT_EQ(
      requests_of("SELECT count(*), sum(a.N) FROM @B b CROSS JOIN @A a ON a.PartitionKey = b.PartitionKey"),
      21U);
  // Row keys of one partition.
  make("C", 30, 30);
  make("D", 20, 20);
  EXPECT_EQ(requests_of("SELECT count(*), sum(c.N) FROM @D d CROSS JOIN @C c "
                        "ON c.PartitionKey = 'p0000' AND c.RowKey = d.RowKey"),
            21U);
}

TEST_F(LookAheadTest, ByBothKeys) {
  make("A", 60, 3);
  make("B", 40, 4);
  // Every row of B looks up an entity of its own; those of A whose keys are others are not there.
  const std::string sql =
      "SELECT b.N, a.N FROM @B b LEFT JOIN @A a ON a.PartitionKey = b.PartitionKey AND a.RowKey = b.RowKey";
  EXPECT_EQ(requests_of(sql), 41U);
  slow(std::chrono::milliseconds(50));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(requests_of(sql), 41U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1300));  // not 2.05 s
}

TEST_F(LookAheadTest, ValuesThatRepeatOrAreMissing) {
  make("A", 60, 3);
  outer({"p0001", "p0001", "p0002", "", "p0002", "p0003", "absent", "p0001", "", "p0019", "p0004"});
  requests_of(join_);
  requests_of("SELECT o.N, a.RowKey FROM @O o LEFT JOIN @A a ON a.PartitionKey = o.S AND a.N > 5");
  requests_of("SELECT o.N, (SELECT max(RowKey) FROM @A a WHERE a.PartitionKey = o.S) FROM @O o");
  requests_of("SELECT o.N FROM @O o WHERE EXISTS (SELECT 1 FROM @A a WHERE a.PartitionKey = o.S)");
}

TEST_F(LookAheadTest, RowsThatAConditionLeavesOutEndIt) {
  make("A", 300, 3);
  outer(partitions(100));
  // The service cannot test this, and so every row of O comes; every tenth is looked up.
  const std::size_t count = requests_of(
      "SELECT o.N, sum(a.N) FROM @O o CROSS JOIN @A a ON a.PartitionKey = o.S WHERE o.N % 10 = 0 GROUP BY "
      "o.N");
  EXPECT_GE(count, 11U);
  EXPECT_LE(count, 11U + 8 + 8 + 8);
}

TEST_F(LookAheadTest, EndingEarlyLeavesNothingBehind) {
  make("A", 300, 3);
  outer(partitions(100));
  EXPECT_EQ(
      db_.value(
          "SELECT count(*) FROM (SELECT a.N FROM fO o CROSS JOIN fA a ON a.PartitionKey = o.S LIMIT 7)"),
      "7");
  requests_of(join_);
}

TEST_F(LookAheadTest, NotBeyondABudget) {
  options_ += ", max_requests '20'";
  make("A", 60, 3);
  outer(partitions(20));
  EXPECT_EQ(requests_of(join_), 21U);  // O has no budget
}

TEST_F(LookAheadTest, WritesInBetweenAreSeen) {
  make("A", 60, 3);
  outer(partitions(20));
  sqlite3_stmt* scan = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(),
                               "SELECT o.N, a.RowKey, a.N FROM fO o CROSS JOIN fA a ON a.PartitionKey = o.S",
                               -1, &scan, nullptr),
            SQLITE_OK);
  // The look-ups of the first partitions have opened those of the next.
  for (int row = 0; row < 8; ++row) ASSERT_EQ(sqlite3_step(scan), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(scan, 0), 2);
  db_.run(
      "BEGIN; UPDATE fA SET N = -1 WHERE PartitionKey = 'p0005'; DELETE FROM fA WHERE PartitionKey = "
      "'p0006'");
  int changed = 0;
  int removed = 0;
  while (sqlite3_step(scan) == SQLITE_ROW) {
    changed += sqlite3_column_int(scan, 0) == 5 && sqlite3_column_int(scan, 2) == -1 ? 1 : 0;
    removed += sqlite3_column_int(scan, 0) == 6 ? 1 : 0;
  }
  EXPECT_EQ(changed, 3);
  EXPECT_EQ(removed, 0);
  sqlite3_finalize(scan);
  db_.run("ROLLBACK");
}

TEST_F(LookAheadTest, AnErrorIsThatOfItsLookUp) {
  make("A", 60, 3);
  outer(partitions(20));
  Fault fault;
  fault.action = Fault::Action::answer;
  fault.status = 400;
  fault.code = "InvalidInput";
  fault.path_contains = "p0009";
  fault.times = 0;
  service_.add_fault(fault);
  // Rows of the look-ups before it come.
  sqlite3_stmt* scan = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT o.N FROM fO o CROSS JOIN fA a ON a.PartitionKey = o.S",
                               -1, &scan, nullptr),
            SQLITE_OK);
  int rows = 0;
  int rc = SQLITE_OK;
  while ((rc = sqlite3_step(scan)) == SQLITE_ROW) ++rows;
  EXPECT_EQ(rows, 9 * 3);
  EXPECT_NE(rc, SQLITE_DONE);
  EXPECT_NE(std::string(sqlite3_errmsg(db_.handle())).find("InvalidInput"), std::string::npos);
  sqlite3_finalize(scan);
  service_.clear_faults();
  requests_of(join_);
}

}  // namespace
}  // namespace table_storage::test
