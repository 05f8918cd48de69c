// Order that was claimed when a statement was planned, against what its values turn out to mean.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/extension/database.h"

namespace table_storage {
namespace {

using Rows = std::vector<std::string>;

/// Partitions '05' and '5' are one number, so a numeric right side finds both.
class OrderTest : public ::testing::Test {
 protected:
  OrderTest() {
    db.run("CREATE VIRTUAL TABLE t USING table_storage(n INTEGER, OPTIONS (table 'Things'))");
    db.run(
        "INSERT INTO t(PartitionKey, RowKey, n) VALUES ('05','a',2), ('05','c',4), ('5','a',1), ('5','b',3), "
        "('6','a',9)");
    db.run("CREATE TABLE num(i INTEGER); INSERT INTO num VALUES (5)");
  }
  test::Database db;
};

TEST_F(OrderTest, ATextPartitionComesInRowKeyOrderWithoutSorting) {
  EXPECT_EQ(db.rows("SELECT RowKey, n FROM t WHERE PartitionKey = '5' ORDER BY RowKey"),
            (Rows{"a|1", "b|3"}));
  const std::string plan =
      db.rows("EXPLAIN QUERY PLAN SELECT n FROM t WHERE PartitionKey = '5' ORDER BY RowKey").front();
  EXPECT_NE(plan.find("ordered by RowKey"), std::string::npos) << plan;
}

TEST_F(OrderTest, ANumberThatMeansSeveralPartitionsIsSorted) {
  EXPECT_EQ(db.rows("SELECT RowKey, n FROM t WHERE PartitionKey = (SELECT i FROM num) ORDER BY RowKey, +n"),
            (Rows{"a|1", "a|2", "b|3", "c|4"}));
  EXPECT_EQ(db.rows("SELECT RowKey FROM t WHERE PartitionKey = (SELECT i FROM num) ORDER BY RowKey"),
            (Rows{"a", "a", "b", "c"}));
}

// Under a fixed partition RowKey alone would be unique, and n would decide nothing.
TEST_F(OrderTest, FurtherTermsCountWhereSeveralPartitionsAreMeant) {
  EXPECT_EQ(db.rows("SELECT RowKey, n FROM t WHERE PartitionKey = (SELECT i FROM num) ORDER BY RowKey, n"),
            (Rows{"a|1", "a|2", "b|3", "c|4"}));
}

}  // namespace
}  // namespace table_storage
