#include "extension/module/identity.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "tests/unit/extension/database.h"

namespace table_storage {
namespace {

/// Few different hashes for the length of a test, so that most rows collide.
class Collisions {
 public:
  explicit Collisions(std::int64_t mask) { module::set_hash_mask_for_testing(mask); }
  ~Collisions() { module::set_hash_mask_for_testing(std::numeric_limits<std::int64_t>::max()); }
};

TEST(Hash, IsNeverNegativeAndSeesWhereOneKeyEnds) {
  EXPECT_NE(module::hash_of_keys("ab", "c"), module::hash_of_keys("a", "bc"));
  EXPECT_NE(module::hash_of_keys("a", ""), module::hash_of_keys("", "a"));
  for (int i = 0; i < 1000; ++i) EXPECT_GE(module::hash_of_keys("p", std::to_string(i)), 0);
}

TEST(RowMap, GivesCollidingRowsDifferentNumbersAndFindsThemAgain) {
  Collisions collisions(1);
  module::RowMap map;
  std::set<std::int64_t> rowids;
  for (int i = 0; i < 20; ++i) rowids.insert(map.remember("p", std::to_string(i), "e" + std::to_string(i)));
  EXPECT_EQ(rowids.size(), 20U);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t rowid = map.rowid_of("p", std::to_string(i));
    ASSERT_TRUE(map.find(rowid).has_value());
    EXPECT_EQ(map.find(rowid)->row_key, std::to_string(i));
    EXPECT_EQ(map.remember("p", std::to_string(i), "newer"), rowid);
    EXPECT_EQ(map.find(rowid)->etag, "newer");
  }
  map.clear();
  EXPECT_TRUE(map.empty());
  EXPECT_FALSE(map.find(0).has_value());
}

class IdentityTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void fill(test::Database& db) {
    db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
    db.run(
        "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 49) "
        "INSERT INTO t(PartitionKey, RowKey, n) SELECT 'p' || (i % 3), printf('%03d', i), i FROM c");
  }
};

TEST_P(IdentityTest, WritesReachExactlyTheirRows) {
  Collisions collisions(GetParam());
  test::Database db;
  fill(db);
  db.run("UPDATE t SET n = n + 1000 WHERE n % 2 = 0");
  EXPECT_EQ(db.value("SELECT count(*), sum(n) FROM t"), "50|" + std::to_string(49 * 50 / 2 + 25 * 1000));
  EXPECT_EQ(db.value("SELECT count(*) FROM t WHERE n >= 1000 AND CAST(RowKey AS INTEGER) % 2 = 0"), "25");
  db.run("DELETE FROM t WHERE n < 10 OR n = 1048");
  EXPECT_EQ(db.value("SELECT count(*) FROM t"), "44");
  EXPECT_EQ(db.value("SELECT count(*) FROM t WHERE RowKey IN ('001','003','005','007','009','048')"), "0");
  db.run("UPDATE t SET RowKey = 'x' || RowKey WHERE PartitionKey = 'p1'");
  EXPECT_EQ(db.value("SELECT count(*) FROM t WHERE (RowKey LIKE 'x%') = (PartitionKey = 'p1')"), "44");
  db.run("DELETE FROM t WHERE rowid IN (SELECT rowid FROM t WHERE PartitionKey = 'p2' LIMIT 0)");
  EXPECT_EQ(db.value("SELECT count(*) FROM t"), "44");
}

TEST_P(IdentityTest, DeleteWithLimitTakesTheFirstRows) {
  Collisions collisions(GetParam());
  test::Database db;
  fill(db);
  db.run("DELETE FROM t ORDER BY n DESC LIMIT 7");
  EXPECT_EQ(db.value("SELECT count(*), max(n) FROM t"), "43|42");
  db.run("UPDATE t SET n = -1 ORDER BY n LIMIT 3");
  EXPECT_EQ(db.value("SELECT count(*), min(n) FROM t WHERE n < 0"), "3|-1");
  EXPECT_EQ(db.value("SELECT min(n) FROM t WHERE n >= 0"), "3");
}

INSTANTIATE_TEST_SUITE_P(Masks, IdentityTest,
                         ::testing::Values(std::numeric_limits<std::int64_t>::max(), std::int64_t{7},
                                           std::int64_t{0}));

TEST(Identity, EditingByRowidWorksAcrossStatements) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, n) VALUES ('a','1',1), ('a','2',2), ('b','1',3)");
  const std::string rowid = db.value("SELECT rowid FROM t WHERE PartitionKey = 'b'");
  EXPECT_EQ(db.value("SELECT n FROM t WHERE rowid = " + rowid), "3");
  EXPECT_EQ(db.value("SELECT n FROM t WHERE rowid = '" + rowid + "'"), "3");
  EXPECT_TRUE(db.rows("SELECT n FROM t WHERE rowid = 'x'").empty());
  db.run("UPDATE t SET n = 30 WHERE rowid = " + rowid);
  EXPECT_EQ(db.value("SELECT group_concat(n) FROM t"), "1,2,30");
  db.run("BEGIN; UPDATE t SET n = 31 WHERE rowid = " + rowid + "; DELETE FROM t WHERE rowid = " + rowid +
         "; COMMIT");
  EXPECT_EQ(db.value("SELECT group_concat(n) FROM t"), "1,2");
  EXPECT_EQ(db.value("SELECT last_insert_rowid()"), rowid);
}

// SQLite does not call xBegin for a table that is made in the transaction itself.
TEST(Identity, TableOfTheSameTransactionCanBeChanged) {
  test::Database db;
  db.run("BEGIN; CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, n) VALUES ('a','1',1), ('a','2',2), ('b','1',3)");
  db.run("UPDATE t SET n = n + 10 WHERE PartitionKey = 'a'; DELETE FROM t WHERE RowKey = '2'");
  db.run("SAVEPOINT s; DELETE FROM t; ROLLBACK TO s");
  EXPECT_EQ(db.value("SELECT group_concat(n) FROM t"), "11,3");
  db.run("COMMIT; UPDATE t SET n = 0 WHERE PartitionKey = 'b'");
  EXPECT_EQ(db.value("SELECT group_concat(n) FROM t"), "11,0");
}

// SQLite hands the same row to xUpdate once for each match of an UPDATE … FROM.
TEST(Identity, UpdateFromWithSeveralMatchesWritesTheRow) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(s STRING, m INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, m) VALUES ('p','r1',7), ('p','r2',8)");
  db.run("CREATE TABLE src(k, v); INSERT INTO src VALUES ('r1','a'), ('r1','b'), ('r2','c')");
  db.run("UPDATE t SET s = src.v FROM src WHERE src.k = t.RowKey");
  EXPECT_EQ(db.value("SELECT s IN ('a','b'), m FROM t WHERE RowKey = 'r1'"), "1|7");
  EXPECT_EQ(db.value("SELECT s, m FROM t WHERE RowKey = 'r2'"), "c|8");
}

TEST(Identity, WritingBackWhatWasReadLosesNothing) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(v DOUBLE, w INTEGER, OPTIONS (table 'Things'))");
  const std::string json = R"({"v":"a text","w":1.5,"x@odata.type":"Edm.Int64","x":"9"})";
  db.run("INSERT INTO t(PartitionKey, RowKey, _properties) VALUES ('p', 'r', '" + json + "')");
  EXPECT_EQ(db.value("SELECT v, w FROM t"), "NULL|NULL");
  db.run("UPDATE t SET v = v, w = NULL, _properties = _properties");
  EXPECT_EQ(db.value("SELECT _properties FROM t"), json);
  db.run("UPDATE t SET v = 2");
  EXPECT_EQ(db.value("SELECT _properties FROM t"), R"({"v":2.0,"w":1.5,"x@odata.type":"Edm.Int64","x":"9"})");
  db.run("UPDATE t SET v = NULL");
  EXPECT_EQ(db.value("SELECT _properties FROM t"), R"({"w":1.5,"x@odata.type":"Edm.Int64","x":"9"})");
}

// Row 1 takes the keys of row 2, so that there is no row 2 left to move when its turn comes.
TEST(Identity, UpdateOrReplaceSkipsRowsThatWereReplaced) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, n) VALUES ('p','1',1), ('p','2',2), ('p','3',3)");
  const std::vector<std::string> moved{"2|1", "4|3"};
  db.run("UPDATE OR REPLACE t SET RowKey = RowKey + 1");
  EXPECT_EQ(db.rows("SELECT RowKey, n FROM t ORDER BY 1"), moved);
  const std::vector<std::string> changed{"2|10", "4|30"};
  db.run("UPDATE t SET n = 10 * n");
  EXPECT_EQ(db.rows("SELECT RowKey, n FROM t ORDER BY 1"), changed);
}

TEST(Identity, InOrPlansAndOuterJoinsEachRowComesOnce) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, m INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, n, m) VALUES ('a','1',1,2), ('a','2',2,2), ('b','1',3,1)");
  EXPECT_EQ(db.value("SELECT count(*) FROM t WHERE n = 1 OR m = 2"), "2");
  EXPECT_EQ(db.value("SELECT count(*) FROM t x RIGHT JOIN t y ON x.n = y.m"), "3");
  EXPECT_EQ(db.value("SELECT count(*) FROM t x FULL JOIN t y ON x.n = y.m AND x.m = 1"), "6");
}

// An index object of the virtual table, as a PRIMARY KEY in its declaration makes it, would be checked as a
// b-tree.
TEST(Identity, IntegrityCheckFindsNothingWrong) {
  test::Database db;
  db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
  db.run("INSERT INTO t(PartitionKey, RowKey, n) VALUES ('a','1',1)");
  EXPECT_EQ(db.value("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace table_storage
