// Which table SQLite reads outside and which inside, by the plan text: a small outer side, look-ups by key
// inside, whatever SQLite knows of native tables, and what was learnt of the remote ones.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class JoinOrderTest : public RemoteTest {
 protected:
  /// Remote tables "big" and "other" of 1500 entities and "few" of 10, of which nothing is known yet; native
  /// tables of 50 and 20,000 rows.
  JoinOrderTest() {
    service_.create_table("Few");
    for (int i = 0; i < 1500; ++i) put("r" + std::to_string(i), i, "p" + std::to_string(i % 15));
    for (int i = 0; i < 10; ++i)
      service_.put("Few", {"f", std::to_string(i)}, {{"N", Value::int32(i)}, {"S", Value::string("p1")}});
    map("big");
    map("other");
    map("few", "", "Few");
    db_.run(
        "CREATE TABLE small(p TEXT, r TEXT, n INTEGER); CREATE TABLE large(p TEXT, r TEXT, n INTEGER);"
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000) "
        "INSERT INTO large SELECT 'p' || i, 'r' || i, i FROM c;"
        "INSERT INTO small SELECT * FROM large WHERE n <= 50; CREATE INDEX large_n ON large(n)");
  }

  /// "s, b keys PartitionKey = ?1": the tables from outside to inside, each with how it is read.
  std::string order(const std::string& from) {
    std::string text;
    for (const std::string& line : db_.rows("EXPLAIN QUERY PLAN SELECT * FROM " + from)) {
      std::string step = line.substr(line.rfind('|') + 1);
      const std::string index = "VIRTUAL TABLE INDEX 0:";
      if (step.starts_with("BLOOM FILTER")) continue;
      step = step.substr(step.find(' ') + 1);
      if (const std::size_t at = step.find(index); at != std::string::npos) {
        step.erase(at, index.size());
        step = step.substr(0, step.find("; fetch"));
      } else {
        step = step.substr(0, step.find(' '));
      }
      text += (text.empty() ? "" : ", ") + step;
    }
    return text;
  }
};

TEST_F(JoinOrderTest, NativeTablesWithAndWithoutAnalyze) {
  for (const char* statistics : {"SELECT 1", "ANALYZE"}) {
    db_.run(statistics);
    // Keys lead inside, even from the larger table.
    EXPECT_EQ(order("small s JOIN big b ON b.PartitionKey = s.p AND b.RowKey = s.r"),
              "s, b keys PartitionKey = ?1 and RowKey = ?2")
        << statistics;
    EXPECT_EQ(order("big b JOIN small s ON b.PartitionKey = s.p"), "s, b keys PartitionKey = ?1")
        << statistics;
    EXPECT_EQ(order("large l JOIN big b ON b.PartitionKey = l.p AND b.RowKey = l.r"),
              "l, b keys PartitionKey = ?1 and RowKey = ?2")
        << statistics;
    // No key: the service is read once, and SQLite indexes its own table.
    EXPECT_EQ(order("small s JOIN big b ON b.N = s.n"), "b whole table, s") << statistics;
    EXPECT_EQ(order("large l JOIN big b ON b.N = l.n"), "b whole table, l") << statistics;
    EXPECT_EQ(order("small s JOIN big b ON b.RowKey = s.r"), "b whole table, s") << statistics;
    EXPECT_EQ(order("small s LEFT JOIN big b ON b.N = s.n"), "s, b whole table; filter N = ?1") << statistics;
  }
}

TEST_F(JoinOrderTest, OneRemoteTableLeadsToTheOther) {
  EXPECT_EQ(order("other o JOIN big b ON b.PartitionKey = o.S WHERE o.PartitionKey = 'x'"),
            "o keys PartitionKey = ?1!, b keys PartitionKey = ?1");
  EXPECT_EQ(order("big b JOIN other o ON b.PartitionKey = o.S AND b.RowKey = o.S WHERE o.N = 5"),
            "o whole table; filter N = ?1, b keys PartitionKey = ?1 and RowKey = ?2");
  // Unless SQLite takes the native table for a large one.
  db_.run("ANALYZE");
  EXPECT_EQ(order("small s JOIN big b ON b.PartitionKey = s.p JOIN other o ON o.PartitionKey = b.S"),
            "s, b keys PartitionKey = ?1, o keys PartitionKey = ?1");
}

// Before: both may be of any size. After: the small one is read first.
TEST_F(JoinOrderTest, SizesAreLearntFromScans) {
  db_.value("SELECT count(*) FROM few");
  db_.value("SELECT count(*) FROM big");
  EXPECT_EQ(order("big b JOIN few f ON b.N = f.N"), "f whole table, b whole table; filter N = ?1");
  EXPECT_EQ(order("few f JOIN big b ON b.N = f.N"), "f whole table, b whole table; filter N = ?1");
  // Kept although SQLite reconnects the tables.
  db_.run("CREATE TABLE another(x); VACUUM");
  EXPECT_EQ(order("big b JOIN few f ON b.N = f.N"), "f whole table, b whole table; filter N = ?1");
}

}  // namespace
}  // namespace table_storage::test
