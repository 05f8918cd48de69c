// SELECT DISTINCT PartitionKey and MIN of keys: as many requests as there are partitions, where they are
// large, and never a row too few.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class SkipScanTest : public RemoteTest {
 protected:
  SkipScanTest() {
    map("t", ", page_size '10', estimated_rows '100000'");
    db_.run("CREATE TABLE plain (PartitionKey TEXT, RowKey TEXT, N INTEGER)");
    db_.run("CREATE TABLE x (k TEXT, a INTEGER); INSERT INTO x VALUES ('p003', 1), ('none', 2), (NULL, 3)");
  }

  void fill(const std::vector<int>& sizes) {
    db_.run("BEGIN");
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      std::string partition = std::to_string(p);
      partition = "p" + std::string(3 - partition.size(), '0') + partition;
      for (int r = 0; r < sizes[p]; ++r) {
        const std::string row = std::to_string(1000 + r);
        service_.put("Things", {partition, row}, {{"N", Value::int32(r)}});
        db_.run("INSERT INTO plain VALUES ('" + partition + "', '" + row + "', " + std::to_string(r) + ")");
      }
    }
    db_.run("COMMIT");
  }

  void expect_same(const std::string& sql) {
    const auto of = [&](const std::string& table) {
      std::string text = sql;
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, table);
      Rows rows = db_.rows(text);
      if (sql.find("ORDER BY") == std::string::npos) std::sort(rows.begin(), rows.end());
      return rows;
    };
    EXPECT_EQ(of("t"), of("plain")) << sql;
  }

  void expect_all_same() {
    expect_same("SELECT DISTINCT PartitionKey FROM @");
    expect_same("SELECT DISTINCT PartitionKey FROM @ ORDER BY PartitionKey");
    expect_same("SELECT DISTINCT PartitionKey FROM @ ORDER BY PartitionKey DESC");
    expect_same("SELECT DISTINCT PartitionKey FROM @ WHERE PartitionKey > 'p001' AND PartitionKey < 'p004'");
    expect_same("SELECT DISTINCT PartitionKey FROM @ WHERE lower(PartitionKey) <> 'p002'");
    expect_same("SELECT DISTINCT PartitionKey FROM @ WHERE N > 20");
    expect_same("SELECT DISTINCT PartitionKey FROM @ WHERE RowKey >= '1020'");
    expect_same("SELECT DISTINCT PartitionKey, N > 20 FROM @");
    expect_same("SELECT DISTINCT PartitionKey, RowKey FROM @");
    expect_same("SELECT DISTINCT PartitionKey FROM @ ORDER BY PartitionKey LIMIT 2 OFFSET 1");
    expect_same("SELECT count(DISTINCT PartitionKey) FROM @");
    expect_same("SELECT count(DISTINCT PartitionKey), count(*) FROM @");
    expect_same("SELECT DISTINCT count(*) FROM @ GROUP BY PartitionKey");
    expect_same("SELECT PartitionKey, count(*) FROM @ GROUP BY PartitionKey");
    expect_same("SELECT PartitionKey, min(RowKey), max(RowKey) FROM @ GROUP BY PartitionKey");
    expect_same("SELECT PartitionKey FROM @ GROUP BY PartitionKey");
    expect_same("SELECT PartitionKey FROM @ GROUP BY PartitionKey HAVING count(*) > 15");
    expect_same("SELECT PartitionKey FROM @ UNION SELECT k FROM x");
    expect_same("SELECT PartitionKey FROM @ EXCEPT SELECT k FROM x");
    expect_same("SELECT DISTINCT PartitionKey FROM @ UNION ALL SELECT DISTINCT PartitionKey FROM @");
    expect_same("SELECT min(PartitionKey), max(PartitionKey) FROM @");
    expect_same("SELECT max(PartitionKey) FROM @");
    expect_same("SELECT min(RowKey) FROM @ WHERE PartitionKey = 'p003'");
    expect_same("SELECT DISTINCT PartitionKey, row_number() OVER (ORDER BY PartitionKey, RowKey) FROM @");
    expect_same(
        "SELECT count(*) FROM (SELECT DISTINCT PartitionKey FROM @) a, @ b "
        "WHERE b.PartitionKey = a.PartitionKey");
    // Joins, in which rows are told apart.
    expect_same("SELECT DISTINCT t.PartitionKey FROM @ t JOIN x ON x.k = t.PartitionKey");
    expect_same(
        "SELECT DISTINCT t.PartitionKey FROM @ t LEFT JOIN x ON x.k = t.PartitionKey WHERE x.k IS NULL");
    expect_same(
        "SELECT DISTINCT t.PartitionKey FROM x RIGHT JOIN @ t ON x.k = t.PartitionKey WHERE x.k IS NULL");
    expect_same("SELECT DISTINCT t.PartitionKey FROM x RIGHT JOIN @ t ON x.a > 5 WHERE x.a IS NULL");
    expect_same("SELECT DISTINCT t.PartitionKey FROM x RIGHT JOIN @ t ON x.a > 1 WHERE x.a IS NULL");
    expect_same("SELECT DISTINCT t.PartitionKey FROM x FULL JOIN @ t ON x.k = t.PartitionKey");
    expect_same("SELECT DISTINCT PartitionKey FROM @ WHERE PartitionKey < 'p001' OR PartitionKey > 'p003'");
    expect_same(
        "SELECT DISTINCT PartitionKey FROM @ t WHERE EXISTS "
        "(SELECT 1 FROM plain p WHERE p.PartitionKey = t.PartitionKey AND p.RowKey = t.RowKey AND N > 25)");
    const Rows by_rowid = db_.rows("SELECT DISTINCT PartitionKey FROM t WHERE rowid % 2 = 0");
    EXPECT_EQ(by_rowid, db_.rows("SELECT PartitionKey FROM (SELECT PartitionKey, rowid AS i FROM t LIMIT -1) "
                                 "WHERE i % 2 = 0 GROUP BY 1"));
  }

  std::size_t requests_of(const std::string& sql) {
    service_.forget_requests();
    db_.rows(sql);
    return service_.request_count();
  }
};

TEST_F(SkipScanTest, LargePartitionsCostARequestEach) {
  fill(std::vector<int>(20, 100));
  EXPECT_LE(requests_of("SELECT DISTINCT PartitionKey FROM t"), 22U);
  EXPECT_LE(requests_of("SELECT DISTINCT PartitionKey FROM t WHERE PartitionKey >= 'p010'"), 12U);
  // The rest of a partition may hold the row that counts.
  EXPECT_GT(requests_of("SELECT DISTINCT PartitionKey FROM t WHERE N > 20"), 50U);
  EXPECT_NE(db_.rows("EXPLAIN QUERY PLAN SELECT DISTINCT PartitionKey FROM t")
                .front()
                .find("ordered by PartitionKey; distinct PartitionKey"),
            std::string::npos);
}

TEST_F(SkipScanTest, EqualsAPlainTable) {
  for (const std::vector<int>& sizes :
       {std::vector<int>{}, {1}, {30, 1, 1, 10, 9, 11, 35}, std::vector<int>(60, 2), {200}, {1, 45, 2, 40}}) {
    db_.run("DELETE FROM t; DELETE FROM plain");
    fill(sizes);
    expect_all_same();
  }
}

TEST_F(SkipScanTest, SmallPartitionsAreReadInPages) {
  fill(std::vector<int>(200, 2));
  // 40 pages of 10; the probes of the parts come on top.
  EXPECT_LE(requests_of("SELECT DISTINCT PartitionKey FROM t"), 80U);
}

TEST_F(SkipScanTest, SeesTheWritesOfItsTransaction) {
  fill({30, 30, 30, 30, 30});
  db_.run(
      "BEGIN; DELETE FROM t WHERE PartitionKey = 'p002'; "
      "INSERT INTO t(PartitionKey, RowKey) VALUES ('p0015', 'x'), ('a', 'x'), ('z', 'x'), ('p003', '1')");
  db_.run(
      "DELETE FROM plain WHERE PartitionKey = 'p002'; "
      "INSERT INTO plain(PartitionKey, RowKey) VALUES ('p0015', 'x'), ('a', 'x'), ('z', 'x'), ('p003', '1')");
  expect_all_same();
  db_.run("COMMIT");
}

TEST_F(SkipScanTest, SmallestKeysCostOneRequest) {
  fill({30, 30, 30});
  EXPECT_EQ(requests_of("SELECT min(PartitionKey) FROM t"), 1U);
  EXPECT_EQ(requests_of("SELECT min(RowKey) FROM t WHERE PartitionKey = 'p001'"), 1U);
  EXPECT_EQ(requests_of("SELECT PartitionKey FROM t ORDER BY PartitionKey LIMIT 1"), 1U);
}

TEST_F(SkipScanTest, EmptyPagesAndTokensOfPartitions) {
  fill({30, 1, 1, 10, 9, 11, 35});
  for (const bool by_partition : {false, true}) {
    service_.configure([&](fake::Settings& settings) {
      settings.paging.page_size = 4;
      settings.paging.empty_every = 2;
      settings.paging.partition_pages = by_partition;
    });
    expect_all_same();
  }
}

}  // namespace
}  // namespace table_storage::test
