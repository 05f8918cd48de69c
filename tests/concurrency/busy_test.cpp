// Locks: whatever a native table does when others hold the database, a foreign table of the local backend
// does too. Each case runs once on either and the outcomes are compared, so that nothing is said here about
// what SQLite should do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/concurrency/connection.h"

namespace table_storage::concurrency {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimeout = 250;  // milliseconds

struct Step {
  int connection;   // 0 holds the lock as a rule, 1 wants it
  std::string sql;  // $T stands for the table
};
using Steps = std::vector<Step>;

struct Outcome {
  std::vector<std::string> results;
  bool waited = false;  // at least the busy timeout, in some step
  std::string rows;     // at the end
};

std::string with_table(std::string sql, const std::string& table) {
  for (std::size_t at = 0; (at = sql.find("$T", at)) != std::string::npos;) sql.replace(at, 2, table);
  return sql;
}

Outcome run(const Steps& steps, const std::string& table, const std::string& journal, int timeout) {
  Folder folder;
  const std::string file = folder.file("x.db");
  make_database(file, journal);
  Outcome outcome;
  {
    Connection first(file, timeout);
    Connection second(file, timeout);
    for (const Step& step : steps) {
      const auto start = Clock::now();
      Connection& db = step.connection == 0 ? first : second;
      outcome.results.push_back(db.value(with_table(step.sql, table)));
      outcome.waited = outcome.waited || Clock::now() - start >= std::chrono::milliseconds(kTimeout);
    }
  }
  Connection after(file);
  outcome.rows = after.value("SELECT group_concat(RowKey || '=' || coalesce(a, 'NULL')) FROM " + table);
  EXPECT_EQ(after.value("PRAGMA integrity_check"), "ok");
  return outcome;
}

const std::string kInsert = "INSERT INTO $T(PartitionKey, RowKey, a) VALUES ('p', 'new', 5)";
const std::string kInsertOther = "INSERT INTO $T(PartitionKey, RowKey, a) VALUES ('p', 'other', 6)";
const std::string kUpdate = "UPDATE $T SET a = a + 1 WHERE PartitionKey = 'p'";
const std::string kDelete = "DELETE FROM $T WHERE RowKey = 'r'";
const std::string kRead = "SELECT group_concat(a) FROM $T";

const Steps kCases[] = {
    {{0, "BEGIN IMMEDIATE"}, {1, kInsert}, {1, kRead}, {0, kInsert}, {0, "COMMIT"}, {1, kInsertOther}},
    {{0, "BEGIN EXCLUSIVE"}, {1, kRead}, {1, kUpdate}, {0, "ROLLBACK"}, {1, kUpdate}},
    {{0, "BEGIN"}, {0, kRead}, {1, kInsert}, {0, kRead}, {0, kUpdate}, {0, "COMMIT"}, {0, kRead}},
    {{0, "BEGIN"},
     {0, kUpdate},
     {1, kRead},
     {1, kDelete},
     {1, "BEGIN"},
     {1, kRead},
     {0, "COMMIT"},
     {1, kRead},
     {1, "COMMIT"},
     {0, kRead}},
    {{0, "BEGIN"},
     {1, "BEGIN"},
     {0, kRead},
     {1, kRead},
     {0, kInsert},
     {1, kInsertOther},
     {0, "COMMIT"},
     {1, "COMMIT"},
     {1, "ROLLBACK"},
     {0, "COMMIT"}},
    {{0, "BEGIN"},
     {0, kDelete},
     {0, "SAVEPOINT s"},
     {0, kUpdate},
     {1, kInsert},
     {0, "ROLLBACK TO s"},
     {0, "COMMIT"},
     {1, kInsert}},
    {{1, "BEGIN"},
     {1, kRead},
     {0, "BEGIN IMMEDIATE"},
     {0, kInsert},
     {0, "COMMIT"},
     {1, kRead},
     {1, "COMMIT"},
     {1, kRead}},
    {{0, "BEGIN IMMEDIATE"},
     {0, "CREATE TABLE more(x)"},
     {1, kInsert},
     {0, "COMMIT"},
     {1, kInsert},
     {1, kRead}},
    {{0, "PRAGMA query_only = 1"}, {0, kInsert}, {0, kRead}, {1, kInsert}},
};

class Busy : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Busy, IsWhatANativeTableDoes) {
  const auto& [journal, timeout] = GetParam();
  for (const Steps& steps : kCases) {
    const Outcome native = run(steps, "native", journal, timeout);
    const Outcome foreign = run(steps, "things", journal, timeout);
    std::string text;
    for (const Step& step : steps) text += std::to_string(step.connection) + ": " + step.sql + "\n";
    EXPECT_EQ(foreign.results, native.results) << text;
    EXPECT_EQ(foreign.rows, native.rows) << text;
    EXPECT_TRUE(timeout == 0 || foreign.waited == native.waited) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Journals, Busy,
                         testing::Combine(testing::Values("wal", "delete"), testing::Values(0, kTimeout)),
                         [](const auto& chosen) {
                           return std::get<0>(chosen.param) +
                                  (std::get<1>(chosen.param) > 0 ? "Waiting" : "AtOnce");
                         });

/// A lock that is given up in time is waited for.
TEST(BusyTimeout, EndsWhenTheLockDoes) {
  for (const char* journal : {"wal", "delete"}) {
    for (const char* table : {"native", "things"}) {
      Folder folder;
      const std::string file = folder.file("x.db");
      make_database(file, journal);
      std::atomic<bool> held = false;
      std::thread other([&] {
        Connection db(file);
        EXPECT_EQ(db.run("BEGIN EXCLUSIVE"), SQLITE_OK);
        held = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        EXPECT_EQ(db.run("COMMIT"), SQLITE_OK);
      });
      while (!held) std::this_thread::yield();
      Connection db(file, 20'000);
      EXPECT_EQ(db.run(with_table(kInsert, table)), SQLITE_OK) << journal << ' ' << table;
      other.join();
    }
  }
}

/// The application's own busy handler is asked, as often as it likes.
TEST(BusyHandler, IsAskedForForeignTables) {
  for (const char* table : {"native", "things"}) {
    Folder folder;
    const std::string file = folder.file("x.db");
    make_database(file, "delete");
    Connection holder(file);
    ASSERT_EQ(holder.run("BEGIN IMMEDIATE"), SQLITE_OK);
    Connection db(file);
    int asked = 0;
    sqlite3_busy_handler(
        db.handle(),
        [](void* count, int) {
          ++*static_cast<int*>(count);
          return *static_cast<int*>(count) < 3 ? 1 : 0;
        },
        &asked);
    EXPECT_EQ(db.run(with_table(kUpdate, table)), SQLITE_BUSY) << table;
    EXPECT_EQ(asked, 3) << table;
  }
}

}  // namespace
}  // namespace table_storage::concurrency
