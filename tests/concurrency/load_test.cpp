// Many connections in threads and processes at work on one database: nothing is lost, nothing is doubled, and
// every reader sees whole transactions only.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/concurrency/connection.h"

namespace table_storage::concurrency {
namespace {

constexpr int kWorkers = 4;
constexpr int kTransactions = 25;
constexpr int kRows = 5;           // of one transaction; they share `a`
constexpr int kPatience = 60'000;  // milliseconds

class Load : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file = folder.file("x.db");
    make_database(file, GetParam());
    Connection db(file);
    ASSERT_EQ(db.run("DELETE FROM things"), SQLITE_OK);
  }

  /// What one worker does: every transaction adds kRows entities and moves one that all workers share.
  /// Returns what went wrong.
  static std::string work(const std::string& file, int worker) {
    Connection db(file, kPatience);
    for (int i = 0; i < kTransactions; ++i) {
      const std::string number = std::to_string(worker * 1000 + i);
      std::string sql = "BEGIN IMMEDIATE;";
      for (int row = 0; row < kRows; ++row) {
        sql += "INSERT INTO things(PartitionKey, RowKey, a, b) VALUES ('w" + std::to_string(worker) + "','" +
               number + '-' + std::to_string(row) + "'," + number + ",'text');";
      }
      sql +=
          "INSERT OR IGNORE INTO things(PartitionKey, RowKey, b) VALUES ('shared', 'counter', '0');"
          "UPDATE things SET b = b + 1 WHERE PartitionKey = 'shared';";
      if (i % 5 == 4) sql += "DELETE FROM things WHERE a = " + number + " AND RowKey LIKE '%-0';";
      // A new property now and then: the dictionary of names is shared too.
      if (i % 4 == 0) {
        sql += "INSERT INTO things(PartitionKey, RowKey, _properties) VALUES ('extra','" + number +
               "', '{\"x" + number + "\":1}');";
      }
      if (db.run(sql + "COMMIT") != SQLITE_OK) return sqlite3_errmsg(db.handle());
      const std::string torn = db.value(
          "SELECT count(*) FROM (SELECT a FROM things WHERE a IS NOT NULL GROUP BY a HAVING count(*) NOT IN "
          "(" +
          std::to_string(kRows) + ',' + std::to_string(kRows - 1) + "))");
      if (torn != "0") return "torn transactions: " + torn;
    }
    return "";
  }

  void check(int workers) {
    Connection db(file);
    EXPECT_EQ(db.value("PRAGMA integrity_check"), "ok");
    const int transactions = workers * kTransactions;
    EXPECT_EQ(db.value("SELECT count(*) FROM things WHERE a IS NOT NULL"),
              std::to_string(transactions * kRows - transactions / 5));
    EXPECT_EQ(db.value("SELECT count(DISTINCT a) FROM things WHERE a IS NOT NULL"),
              std::to_string(transactions));
    EXPECT_EQ(db.value("SELECT b FROM things WHERE PartitionKey = 'shared'"), std::to_string(transactions));
    EXPECT_EQ(db.value("SELECT count(*) FROM things WHERE PartitionKey = 'extra' AND _properties = '{\"x' || "
                       "RowKey || '\":1}'"),
              std::to_string(workers * ((kTransactions + 3) / 4)));
    EXPECT_EQ(db.value("SELECT count(*) = max(id) FROM ts_property_names"), "1");
  }

  Folder folder;
  std::string file;
};

TEST_P(Load, Threads) {
  std::vector<std::thread> all;
  std::vector<std::string> wrong(kWorkers);
  for (int i = 0; i < kWorkers; ++i)
    all.emplace_back([this, i, &wrong] { wrong[static_cast<std::size_t>(i)] = work(file, i); });
  for (std::thread& thread : all) thread.join();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
  check(kWorkers);
}

TEST_P(Load, Processes) {
  std::vector<pid_t> all;
  for (int i = 0; i < kWorkers; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string wrong = work(file, i);
      if (!wrong.empty()) std::fprintf(stderr, "worker %d: %s\n", i, wrong.c_str());
      _exit(wrong.empty() ? 0 : 1);
    }
    all.push_back(child);
  }
  for (const pid_t child : all) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  check(kWorkers);
}

INSTANTIATE_TEST_SUITE_P(Journals, Load, testing::Values("wal", "delete"),
                         [](const auto& chosen) { return chosen.param; });

/// Readers with a scan open while others write keep what they have begun to read.
TEST(Snapshot, ScanSeesOneState) {
  Folder folder;
  const std::string file = folder.file("x.db");
  make_database(file, "wal");
  Connection reader(file);
  Connection writer(file);
  ASSERT_EQ(writer.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
                       "INSERT INTO things(PartitionKey, RowKey, a) SELECT 'q', i, 1 FROM n"),
            SQLITE_OK);
  sqlite3_stmt* scan = reader.open_scan("SELECT a FROM things WHERE PartitionKey = 'q'");
  ASSERT_EQ(writer.run("UPDATE things SET a = 2; DELETE FROM things WHERE RowKey LIKE '4%'"), SQLITE_OK);
  int rows = 1;
  while (sqlite3_step(scan) == SQLITE_ROW) {
    ++rows;
    EXPECT_EQ(sqlite3_column_int(scan, 0), 1);
  }
  EXPECT_EQ(rows, 500);
  sqlite3_finalize(scan);
  EXPECT_EQ(reader.value("SELECT count(*) FROM things WHERE a = 1"), "0");
}

}  // namespace
}  // namespace table_storage::concurrency
