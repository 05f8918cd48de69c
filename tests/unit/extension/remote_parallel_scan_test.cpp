// Scans in several parts: every row exactly once, in order where it is asked for, whatever the keys are like
// and whatever goes wrong meanwhile; and what they cost.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

std::string number(int value, std::size_t width) {
  std::string text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

// As large as the fake's, so that the tables count as large.
const std::string kPages = ", page_size '10'";

class ParallelScanTest : public RemoteTest {
 protected:
  /// The fake's pages have `page` entities.
  void fill(const Keys& keys, std::size_t page = 10) {
    service_.configure([&](fake::Settings& settings) { settings.paging.page_size = page; });
    db_.run("CREATE TABLE plain (PartitionKey TEXT, RowKey TEXT, N INTEGER); BEGIN");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(db_.handle(), "INSERT INTO plain VALUES (?, ?, ?)", -1, &insert, nullptr);
    int n = 0;
    for (const auto& [partition, row] : keys) {
      service_.put("Things", {partition, row}, {{"N", Value::int32(n)}});
      sqlite3_bind_text(insert, 1, partition.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(insert, 2, row.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int(insert, 3, n++);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    db_.run("COMMIT");
  }

  static Keys partitions(int count, int rows) {
    Keys keys;
    for (int p = 0; p < count; ++p) {
      for (int r = 0; r < rows; ++r) keys.emplace_back("dev-" + number(p, 5), "r" + number(r, 4));
    }
    return keys;
  }

  void expect_same(const std::string& sql) {
    const auto of = [&](const std::string& table) {
      std::string text = sql;
      text.replace(text.find('@'), 1, table);
      Rows rows = db_.rows(text);
      if (sql.find("ORDER BY") == std::string::npos) std::sort(rows.begin(), rows.end());
      return rows;
    };
    EXPECT_EQ(of("t"), of("plain")) << sql;
  }

  void expect_all_same() {
    expect_same("SELECT PartitionKey, RowKey, N FROM @");
    expect_same("SELECT PartitionKey, RowKey, N FROM @ ORDER BY PartitionKey, RowKey");
    expect_same("SELECT count(*), sum(N) FROM @");
    expect_same("SELECT PartitionKey, count(*) FROM @ GROUP BY PartitionKey ORDER BY PartitionKey");
    expect_same("SELECT N FROM @ WHERE N % 97 = 5");
    expect_same("SELECT N FROM @ WHERE N > 50 AND N < 60");
    expect_same("SELECT RowKey, N FROM @ WHERE RowKey > 'r0005' ORDER BY PartitionKey, RowKey");
    expect_same("SELECT N FROM @ ORDER BY PartitionKey, RowKey LIMIT 150 OFFSET 20");
  }

  /// Requests under way at once, by the service's own account: those that probe and those that read.
  std::size_t probes() const {
    std::size_t count = 0;
    for (const fake::Request& request : sent()) count += parameter(request, "$top") == "1" ? 1U : 0U;
    return count;
  }
};

TEST_F(ParallelScanTest, ManyPartitions) {
  map("t", kPages);
  fill(partitions(200, 5));
  expect_all_same();
  expect_same("SELECT N FROM @ WHERE PartitionKey >= 'dev-00020' AND PartitionKey < 'dev-00170'");
  expect_same("SELECT N FROM @ WHERE PartitionKey > 'dev-00020' ORDER BY PartitionKey, RowKey");
}

TEST_F(ParallelScanTest, CostsFewRequestsMore) {
  map("t", kPages);
  fill(partitions(200, 5));
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "1000");
  EXPECT_GT(probes(), 0U);
  // 100 pages of answers that take no time, so that the parts are split more often than elsewhere.
  EXPECT_LE(service_.request_count(), 200U);
  // Parts with bounds of their own, not only one chain of continuations.
  std::size_t beginnings = 0;
  for (const fake::Request& request : sent()) {
    beginnings +=
        parameter(request, "$top") != "1" && parameter(request, "NextPartitionKey") == "-" ? 1U : 0U;
  }
  EXPECT_GE(beginnings, 7U);
}

/// What a join keeps in memory is read in parts too, once it is sure to be read to its end.
TEST_F(ParallelScanTest, TheInnerSideOfAJoin) {
  map("t", kPages);
  fill(partitions(200, 5));
  db_.run("CREATE TABLE wanted (n INTEGER)");
  db_.run(
      "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 7 FROM i WHERE n < 1500) "
      "INSERT INTO wanted SELECT n FROM i");
  service_.forget_requests();
  const std::string join = " AS x ON x.N = wanted.n ORDER BY wanted.n";
  EXPECT_EQ(db_.rows("SELECT wanted.n, x.PartitionKey, x.RowKey FROM wanted LEFT JOIN t" + join),
            db_.rows("SELECT wanted.n, x.PartitionKey, x.RowKey FROM wanted LEFT JOIN plain" + join));
  EXPECT_GT(probes(), 0U);
  EXPECT_LE(service_.request_count(), 250U);
}

TEST_F(ParallelScanTest, SmallTablesAreReadAsEver) {
  map("t", kPages);
  fill(partitions(10, 5));
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "50");
  EXPECT_EQ(service_.request_count(), 5U);
  EXPECT_EQ(probes(), 0U);
}

TEST_F(ParallelScanTest, TablesKnownToBeSmallAreNotProbed) {
  map();
  fill(partitions(100, 3));
  db_.rows("SELECT N FROM t");
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "300");
  EXPECT_EQ(service_.request_count(), 30U);
}

TEST_F(ParallelScanTest, ConcurrencyOneIsSerial) {
  map("t", kPages + ", concurrency '1'");
  fill(partitions(200, 5));
  service_.forget_requests();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "1000");
  EXPECT_EQ(probes(), 0U);
  expect_all_same();
}

TEST_F(ParallelScanTest, ConcurrencyTwo) {
  map("t", kPages + ", concurrency '2'");
  fill(partitions(100, 5));
  expect_all_same();
}

TEST_F(ParallelScanTest, ConcurrencyThirtyTwo) {
  map("t", kPages + ", concurrency '32'");
  fill(partitions(300, 3), 5);
  expect_all_same();
}

// The pages are full, so parts that are split go on with their tokens; else they are asked for anew.
TEST_F(ParallelScanTest, PagesOfTheClientsSize) {
  map("t", kPages);
  fill(partitions(200, 5), 1000);
  expect_all_same();
}

// What has been asked for ahead is read before the parts begin.
TEST_F(ParallelScanTest, PagesAhead) {
  map("t", kPages + ", prefetch_pages '3'");
  fill(partitions(200, 5));
  expect_all_same();
  // The service answers before the program has looked at the rows, so that there are pages ahead.
  service_.forget_requests();
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT N FROM t", -1, &statement, nullptr), SQLITE_OK);
  int rows = 0;
  int sum = 0;
  for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
    sum += sqlite3_column_int(statement, 0);
    if (rows < 120) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  sqlite3_finalize(statement);
  EXPECT_EQ(rows, 1000);
  EXPECT_EQ(sum, 499'500);
  EXPECT_GT(probes(), 0U);
}

TEST_F(ParallelScanTest, OnePartition) {
  map("t", kPages);
  fill(partitions(1, 1000));
  expect_all_same();
  expect_same("SELECT N FROM @ WHERE PartitionKey = 'dev-00000'");
  expect_same("SELECT N FROM @ WHERE PartitionKey = 'dev-00000' AND RowKey >= 'r0100' ORDER BY RowKey");
  expect_same("SELECT N FROM @ WHERE PartitionKey = 'dev-00000' AND RowKey BETWEEN 'r0100' AND 'r0700'");
  service_.forget_requests();
  db_.rows("SELECT N FROM t");
  // Its rows are read in parts.
  const auto requests = sent();
  const auto by_row = std::count_if(requests.begin(), requests.end(), [](const fake::Request& request) {
    return parameter(request, "$top") != "1" &&
           parameter(request, "$filter").find("RowKey") != std::string::npos;
  });
  EXPECT_GE(by_row, 5);
}

TEST_F(ParallelScanTest, AHugePartitionAmongSmallOnes) {
  Keys keys = partitions(40, 3);
  for (int r = 0; r < 600; ++r) keys.emplace_back("dev-00020x", "r" + number(r, 4));
  map("t", kPages);
  fill(keys);
  expect_all_same();
}

TEST_F(ParallelScanTest, OneEntityAPartition) {
  map("t", kPages);
  fill(partitions(700, 1));
  expect_all_same();
}

TEST_F(ParallelScanTest, AHugePartitionAtTheEnd) {
  Keys keys = partitions(70, 1);
  for (int r = 0; r < 600; ++r) keys.emplace_back("zzz", number(r, 3));
  map("t", kPages);
  fill(keys);
  expect_all_same();
}

TEST_F(ParallelScanTest, OddKeys) {
  Keys keys;
  for (int i = 0; i < 120; ++i) {
    keys.emplace_back("", number(i, 3));
    keys.emplace_back("it's", "a 'b' " + number(i, 3));
    keys.emplace_back("\xF0\x9F\x98\x80", number(i, 3));   // U+1F600
    keys.emplace_back("\xEE\x80\x80", number(i, 3));       // U+E000, which the service has behind it
    keys.emplace_back("\xEF\xBF\xBD" + number(i, 3), "");  // U+FFFD
    keys.emplace_back("r", "\xF0\x9F\x98\x80" + number(i, 3));
    keys.emplace_back("r", "\xEE\x80\x80" + number(i, 3));
    keys.emplace_back("%41 +&" + number(i, 3), "");
    keys.emplace_back("東京" + number(i, 3), "駅");
  }
  keys.emplace_back("", "");
  map("t", kPages);
  fill(keys);
  expect_all_same();
  expect_same("SELECT N FROM @ WHERE PartitionKey = 'r'");
  expect_same("SELECT N FROM @ WHERE PartitionKey = 'r' ORDER BY RowKey");
  expect_same("SELECT N FROM @ WHERE PartitionKey > 'it' ORDER BY PartitionKey, RowKey");
}

TEST_F(ParallelScanTest, LongCommonPrefixes) {
  Keys keys;
  for (int i = 0; i < 400; ++i)
    keys.emplace_back(std::string(500, 'k') + number(i, 5), std::string(505, 'r'));
  map("t", kPages);
  fill(keys);
  expect_all_same();
}

TEST_F(ParallelScanTest, KeysThatAreHexadecimalAndTimes) {
  Keys keys;
  for (unsigned i = 0; i < 600; ++i) {
    char text[64];
    std::snprintf(text, sizeof text, "%08x-aaaa", i * 7158278U);
    keys.emplace_back(text, "2024-01-" + number(1 + static_cast<int>(i % 28), 2) + "T00:00:00Z");
  }
  map("t", kPages);
  fill(keys);
  expect_all_same();
}

TEST_F(ParallelScanTest, PagesThatEndAnywhere) {
  map("t", kPages);
  fill(partitions(120, 4));
  for (int kind = 0; kind < 4; ++kind) {
    service_.configure([&](fake::Settings& settings) {
      settings.paging = fake::Paging();
      settings.paging.page_size = 7;
      settings.paging.empty_every = kind == 0 ? 2 : 0;
      settings.paging.partition_pages = kind == 1;
      settings.paging.trailing_empty_page = kind == 2;
      settings.paging.scan_limit = kind == 3 ? 5 : 0;
    });
    expect_all_same();
  }
}

TEST_F(ParallelScanTest, Faults) {
  map("t", kPages);
  fill(partitions(200, 5));
  using Action = Fault::Action;
  for (const Action action : {Action::answer, Action::reset_before_answer, Action::cut_body,
                              Action::reset_in_body, Action::corrupt_json, Action::html_error}) {
    Fault fault;
    fault.action = action;
    fault.path_contains = "Things";
    fault.times = 0;
    fault.probability = 0.05;
    fault.headers = {{"Retry-After", "0"}};
    service_.clear_faults();
    service_.add_fault(fault);
    expect_same("SELECT PartitionKey, RowKey, N FROM @");
    expect_same("SELECT PartitionKey, RowKey, N FROM @ ORDER BY PartitionKey, RowKey");
  }
  EXPECT_GT(service_.faults_struck(), 0U);
  service_.clear_faults();
}

// Where the service is busy for all parts, there is nothing to wait for but time.
TEST_F(ParallelScanTest, BusyForAllParts) {
  map("t", kPages + ", concurrency '3', max_retries '9'");
  fill(partitions(200, 5));
  for (const std::string order : {"", " ORDER BY PartitionKey, RowKey"}) {
    service_.clear_faults();
    const std::size_t before = service_.faults_struck();
    service_.add_fault({.nth = 15, .times = 12, .headers = {{"x-ms-retry-after-ms", "30"}}});
    expect_same("SELECT PartitionKey, RowKey, N FROM @" + order);
    EXPECT_EQ(service_.faults_struck() - before, 12U);
  }
}

TEST_F(ParallelScanTest, AnErrorEndsTheStatementAndTheNextOneWorks) {
  map("t", kPages + ", max_retries '0'");
  fill(partitions(200, 5));
  for (const char* sql : {"SELECT count(*) FROM t", "SELECT * FROM t ORDER BY PartitionKey, RowKey"}) {
    Fault fault;
    fault.path_contains = "Things";
    fault.nth = 30;
    fault.times = 0;
    fault.status = 403;
    fault.code = "AuthorizationFailure";
    service_.add_fault(fault);
    EXPECT_NE(db_.error(sql).find("AuthorizationFailure"), std::string::npos);
    service_.clear_faults();
  }
  expect_same("SELECT count(*), sum(N) FROM @");
}

TEST_F(ParallelScanTest, ARefusedProbeOnlyEndsTheSplitting) {
  map("t", kPages);
  fill(partitions(200, 5));
  std::atomic<int> refused = 0;
  service_.set_hook([&](const fake::Request& request) -> std::optional<fake::Answer> {
    if (parameter(request, "$top") != "1") return std::nullopt;
    ++refused;
    fake::Answer answer;
    answer.status = 400;
    return answer;
  });
  expect_same("SELECT count(*), sum(N) FROM @");
  service_.set_hook(nullptr);
  EXPECT_GT(refused, 0);
}

TEST_F(ParallelScanTest, LimitsKeepItSmall) {
  map("t", kPages);
  fill(partitions(200, 5));
  service_.forget_requests();
  EXPECT_EQ(db_.rows("SELECT N FROM t LIMIT 10").size(), 10U);
  EXPECT_EQ(service_.request_count(), 1U);
  service_.forget_requests();
  EXPECT_EQ(db_.rows("SELECT N FROM t LIMIT 200").size(), 200U);
  EXPECT_EQ(service_.request_count(), 20U);
  EXPECT_EQ(probes(), 0U);
}

TEST_F(ParallelScanTest, TheBudgetCountsProbes) {
  map("t", kPages + ", max_requests '70'");
  fill(partitions(200, 5));
  service_.forget_requests();
  const std::string message = db_.error("SELECT count(*) FROM t");
  EXPECT_NE(message.find("max_requests"), std::string::npos) << message;
  EXPECT_LE(service_.request_count(), 70U);
}

TEST_F(ParallelScanTest, EndingEarlyLeavesNothingBehind) {
  map("t", kPages);
  fill(partitions(200, 5));
  for (const int rows : {1, 59, 61, 75, 150, 400}) {
    for (const char* sql : {"SELECT N FROM t", "SELECT N FROM t ORDER BY PartitionKey, RowKey"}) {
      sqlite3_stmt* statement = nullptr;
      ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), sql, -1, &statement, nullptr), SQLITE_OK);
      for (int i = 0; i < rows; ++i) ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
      sqlite3_finalize(statement);
    }
  }
  expect_same("SELECT count(*) FROM @");
}

TEST_F(ParallelScanTest, AnInterruptEndsIt) {
  map("t", kPages);
  fill(partitions(200, 5));
  Fault slow;
  slow.action = Fault::Action::delay;
  slow.path_contains = "Things";
  slow.times = 0;
  slow.nth = 20;
  slow.delay = std::chrono::milliseconds(200);
  service_.add_fault(slow);
  std::atomic<bool> over = false;
  std::thread interrupter([&] {
    while (!over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (service_.request_count() > 25) sqlite3_interrupt(db_.handle());
    }
  });
  service_.forget_requests();
  int code = 0;
  db_.error("SELECT count(*) FROM t", &code);
  over = true;
  interrupter.join();
  EXPECT_EQ(code & 0xFF, SQLITE_INTERRUPT);
  service_.clear_faults();
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "1000");
}

TEST_F(ParallelScanTest, SeesTheWritesOfItsTransaction) {
  map("t", kPages);
  fill(partitions(200, 5));
  for (const std::string table : {"t", "plain"}) {
    if (table == "t") db_.run("BEGIN");
    db_.run("INSERT INTO " + table +
            "(PartitionKey, RowKey, N) VALUES ('dev-00050', 'r9', 7000), "
            "('aaa', 'x', 7001), ('zzz', 'x', 7002), ('dev-00100a', 'x', 7003)");
    db_.run("UPDATE " + table + " SET N = N + 10000 WHERE N % 50 = 3");
    db_.run("DELETE FROM " + table + " WHERE N % 50 = 4");
  }
  expect_all_same();
  db_.run("COMMIT");
  expect_all_same();
}

TEST_F(ParallelScanTest, EntitiesThatStayAreSeenWhileOthersCome) {
  map("t", kPages);
  fill(partitions(200, 5));
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; !over; ++i) {
      service_.put("Things", {"dev-" + number(i * 37 % 250, 5), "new" + number(i, 6)}, {});
      service_.remove("Things", {"dev-" + number((i - 3) * 37 % 250, 5), "new" + number(i - 3, 6)});
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int i = 0; i < 10; ++i) {
    Rows rows = db_.rows("SELECT N FROM t WHERE N IS NOT NULL");
    EXPECT_EQ(rows.size(), 1000U);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end());
    const Rows ordered =
        db_.rows("SELECT PartitionKey || '|' || RowKey FROM t ORDER BY PartitionKey, RowKey");
    EXPECT_TRUE(std::is_sorted(ordered.begin(), ordered.end()));
  }
  over = true;
  writer.join();
}

TEST_F(ParallelScanTest, UpdatesEveryRowOnce) {
  map("t", kPages);
  fill(partitions(100, 5));
  db_.run("UPDATE t SET N = N + 1; UPDATE plain SET N = N + 1");
  expect_same("SELECT PartitionKey, RowKey, N FROM @");
  db_.run("DELETE FROM t WHERE N % 3 = 0; DELETE FROM plain WHERE N % 3 = 0");
  expect_same("SELECT PartitionKey, RowKey, N FROM @");
}

}  // namespace
}  // namespace table_storage::test
