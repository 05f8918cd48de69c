// What is left behind: by connections that are closed with scans open, by fork(), by loading again and again.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/concurrency/connection.h"

namespace table_storage::concurrency {
namespace {

class Lifetime : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file = folder.file("x.db");
    make_database(file, GetParam());
    memory = sqlite3_memory_used();
    thread_count = threads();
  }

  /// Nothing of the connections is there any more, and others can have the whole database.
  void check_nothing_left() {
    EXPECT_EQ(open_files(file), 0U);
    EXPECT_EQ(threads(), thread_count);
    EXPECT_EQ(sqlite3_memory_used(), memory);
    Connection other(file);
    EXPECT_EQ(other.run("BEGIN EXCLUSIVE; DELETE FROM things; ROLLBACK"), SQLITE_OK);
    EXPECT_EQ(other.value("SELECT count(*) FROM things"), "2");
  }

  Folder folder;
  std::string file;
  sqlite3_int64 memory = 0;
  std::size_t thread_count = 0;
};

TEST_P(Lifetime, CloseWaitsForOpenScans) {
  {
    Connection db(file);
    sqlite3_stmt* scan = db.open_scan("SELECT * FROM things");
    EXPECT_EQ(db.close(), SQLITE_BUSY);
    EXPECT_EQ(sqlite3_step(scan), SQLITE_ROW);  // it goes on
    sqlite3_finalize(scan);
    EXPECT_EQ(db.close(), SQLITE_OK);
  }
  check_nothing_left();
}

TEST_P(Lifetime, ClosedLaterWithScansOpen) {
  {
    Connection db(file);
    sqlite3_stmt* scan = db.open_scan("SELECT *, _properties FROM things");
    sqlite3_stmt* join =
        db.open_scan("SELECT * FROM things x JOIN things y ON x.PartitionKey = y.PartitionKey");
    sqlite3_stmt* prepared = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db.handle(), "DELETE FROM things", -1, &prepared, nullptr), SQLITE_OK);
    EXPECT_EQ(db.close_later(), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(join), SQLITE_ROW);
    sqlite3_finalize(join);
    sqlite3_finalize(prepared);
    EXPECT_EQ(sqlite3_step(scan), SQLITE_ROW);
    sqlite3_finalize(scan);
  }
  check_nothing_left();
}

TEST_P(Lifetime, ClosedInATransaction) {
  {
    Connection db(file);
    ASSERT_EQ(db.run("BEGIN; INSERT INTO things(PartitionKey, RowKey) VALUES ('p', 'new'); SAVEPOINT s; "
                     "UPDATE things SET a = 7; CREATE VIRTUAL TABLE more USING table_storage(x ANY)"),
              SQLITE_OK);
    sqlite3_stmt* scan = db.open_scan("SELECT * FROM things");
    EXPECT_EQ(db.close_later(), SQLITE_OK);
    sqlite3_finalize(scan);
  }
  check_nothing_left();
}

TEST_P(Lifetime, TableDroppedWithScansOpenIsRefused) {
  {
    Connection db(file);
    sqlite3_stmt* scan = db.open_scan("SELECT * FROM things");
    EXPECT_EQ(db.run("DROP TABLE things"), SQLITE_LOCKED);
    sqlite3_finalize(scan);
  }
  check_nothing_left();
}

/// SQLite forbids to carry a connection over a fork; a child that leaves it alone must do no harm, and has to
/// be able to open its own.
TEST_P(Lifetime, Fork) {
  {
    Connection db(file);
    sqlite3_stmt* scan = db.open_scan("SELECT a FROM things");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool good = false;
      try {
        Connection own(file, 10'000);
        good = own.run("INSERT INTO things(PartitionKey, RowKey, a) VALUES ('p', 'child', 3)") ==
                   (GetParam() == "wal" ? SQLITE_OK : SQLITE_BUSY) &&  // the parent's scan holds a lock
               own.value("SELECT count(*) FROM things WHERE PartitionKey = 'p'") ==
                   (GetParam() == "wal" ? "3" : "2") &&
               own.close() == SQLITE_OK;
      } catch (...) {
        good = false;
      }
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(sqlite3_step(scan), SQLITE_ROW);
    EXPECT_EQ(sqlite3_step(scan), SQLITE_DONE);
    sqlite3_finalize(scan);
    EXPECT_EQ(db.run("DELETE FROM things WHERE RowKey = 'child'"), SQLITE_OK);
    EXPECT_EQ(db.value("PRAGMA integrity_check"), "ok");
  }
  check_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Journals, Lifetime, testing::Values("wal", "delete"),
                         [](const auto& chosen) { return chosen.param; });

// Of the C library's allocator; nothing where a sanitizer or valgrind has taken its place, which count
// themselves.
std::size_t bytes_in_use() { return mallinfo2().uordblks; }

/// The library itself stays (it is linked with nodelete, since libcurl may have a thread looking up a name);
/// what a connection made must go with it. Under the leak sanitizer and valgrind this is the test that says
/// so.
TEST(Load100, LeavesNothing) {
  constexpr int kTimes = 100;
  // Bytes. The allocator's own caches count as in use: they have mostly filled up in the first hundred.
  constexpr std::size_t kGrowth = 16 * 1024;
  Folder folder;
  const std::string file = folder.file("x.db");
  make_database(file, "delete");
  const sqlite3_int64 memory = sqlite3_memory_used();
  const std::size_t thread_count = threads();
  std::size_t after_first_hundred = 0;
  for (int i = 0; i < 2 * kTimes; ++i) {
    Connection db(file);
    // Loading twice on one connection is allowed.
    EXPECT_EQ(sqlite3_load_extension(db.handle(), extension_path().c_str(), nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(db.value("SELECT sum(a) FROM things"), "3");
    EXPECT_EQ(db.run("INSERT INTO things(PartitionKey, RowKey) VALUES ('x', 'y'); DELETE FROM things WHERE "
                     "RowKey = 'y'"),
              SQLITE_OK);
    EXPECT_EQ(db.value("SELECT count(*) FROM ts_tables('local')"), "1");
    EXPECT_EQ(db.close(), SQLITE_OK);
    if (i + 1 == kTimes) after_first_hundred = bytes_in_use();
  }
  EXPECT_EQ(sqlite3_memory_used(), memory);
  EXPECT_EQ(threads(), thread_count);
  EXPECT_EQ(open_files(folder.file("")), 0U);
  EXPECT_LT(bytes_in_use(), after_first_hundred + kGrowth);
}

}  // namespace
}  // namespace table_storage::concurrency
