// COMMIT over several groups and tables: what ts_pending shows is what is sent, atomicity, option upsert, and
// what errors say of that which stays.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class RemoteCommit : public RemoteTest {
 protected:
  RemoteCommit() { map(); }

  void map_others(const std::string& more_options = {}) {
    service_.create_table("Others");
    map("others", more_options, "Others");
  }
  std::size_t writes() {
    std::vector<fake::Request> requests = sent();
    std::erase_if(requests, [](const fake::Request& request) { return request.method == "GET"; });
    service_.forget_requests();
    return requests.size();
  }
  static std::string insert(const std::string& table, const std::string& partition, const std::string& row) {
    return "INSERT INTO " + table + " (PartitionKey, RowKey, N) VALUES ('" + partition + "', '" + row +
           "', 1);";
  }
};

TEST_F(RemoteCommit, PendingIsADryRun) {
  put("a", 1);
  put("b", 2);
  const std::string etag = put("c", 3);
  EXPECT_EQ(db_.rows("SELECT * FROM ts_pending"), Rows{});
  db_.run("BEGIN; DELETE FROM t WHERE N < 3");
  EXPECT_EQ(db_.rows("SELECT group_number, operation, foreign_table, entity_table, PartitionKey, RowKey "
                     "FROM ts_pending"),
            (Rows{"1|delete|t|Things|p|a", "1|delete|t|Things|p|b"}));
  EXPECT_EQ(db_.value("SELECT DISTINCT server FROM ts_pending"), service_.origin());
  db_.run("UPDATE t SET N = 4 WHERE RowKey = 'c'");
  EXPECT_EQ(db_.value("SELECT operation, if_match FROM ts_pending WHERE RowKey = 'c'"), "merge|" + etag);
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_pending"), Rows{});
  EXPECT_EQ(writes(), 0U);
  EXPECT_EQ(service_.size("Things"), 3U);
}

TEST_F(RemoteCommit, PendingNamesEveryOperation) {
  service_.put("Things", {"p", "m"}, {{"N", Value::int32(1)}, {"S", Value::string("x")}});
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"S", Value::string("x")}});
  put("d", 1);
  map("merging", ", upsert 'merge'");
  db_.run("BEGIN");
  db_.run(insert("t", "p", "i"));
  db_.run("INSERT OR REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'ir', 1)");
  db_.run("INSERT OR REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'im', 1)");
  db_.run("UPDATE t SET N = 2 WHERE RowKey = 'm'");
  db_.run("UPDATE t SET S = NULL WHERE RowKey = 'r'");
  db_.run("DELETE FROM t WHERE RowKey = 'd'");
  EXPECT_EQ(db_.rows("SELECT RowKey, operation, foreign_table, if_match IS NULL FROM ts_pending ORDER BY 1"),
            (Rows{"d|delete|t|0", "i|insert|t|1", "im|insert or merge|merging|1", "ir|insert or replace|t|1",
                  "m|merge|t|0", "r|replace|t|0"}));
  db_.run("COMMIT");
  EXPECT_EQ(writes(), 1U);
}

// Groups, operations and bytes are those of the requests.
TEST_F(RemoteCommit, PendingIsWhatIsSent) {
  map_others();
  db_.run("BEGIN");
  db_.run(
      "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 252) "
      "INSERT INTO t (PartitionKey, RowKey, N) SELECT iif(n < 250, 'a', 'b'), format('%03d', n), n FROM i");
  db_.run(insert("others", "x", "y"));
  const Rows groups = db_.rows(
      "SELECT group_number, entity_table, PartitionKey, count(*), sum(bytes) FROM ts_pending GROUP BY 1");
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_TRUE(groups[0].starts_with("1|Things|a|100|")) << groups[0];
  EXPECT_TRUE(groups[2].starts_with("3|Things|a|50|")) << groups[2];
  EXPECT_TRUE(groups[3].starts_with("4|Things|b|3|")) << groups[3];
  EXPECT_TRUE(groups[4].starts_with("5|Others|x|1|")) << groups[4];
  db_.run("COMMIT");
  std::vector<std::size_t> told;
  for (std::size_t i = 0; i < 4; ++i) told.push_back(std::stoul(groups[i].substr(groups[i].rfind('|') + 1)));
  std::vector<std::size_t> bodies;
  for (const fake::Request& request : sent("POST")) {
    if (holds(request.path, "$batch")) bodies.push_back(request.body.size());
  }
  ASSERT_EQ(bodies.size(), told.size());
  std::sort(bodies.begin(), bodies.end());
  std::sort(told.begin(), told.end());
  // All bodies have the same frame, of a few hundred bytes, around their operations.
  const std::size_t frame = bodies[0] - told[0];
  EXPECT_LT(frame, 400U);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(bodies[i] - told[i], frame);
}

// No request has more than four mebibytes.
TEST_F(RemoteCommit, GroupsAreCutBySize) {
  const std::size_t most = std::size_t{4} << 20;
  db_.run(
      "BEGIN; WITH RECURSIVE i(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM i WHERE n < 199) INSERT INTO t "
      "(PartitionKey, RowKey, N, S) SELECT 'p', 'r' || n, n, replace(hex(zeroblob(15000)), '0', 'é') FROM i");
  const Rows groups = db_.rows("SELECT count(*), sum(bytes) FROM ts_pending GROUP BY group_number");
  db_.run("COMMIT");
  std::vector<std::size_t> bodies;
  for (const fake::Request& request : sent("POST")) bodies.push_back(request.body.size());
  ASSERT_EQ(bodies.size(), 2U);
  for (const std::size_t size : bodies) EXPECT_LE(size, most);
  // Not before one more would have been too many.
  const std::size_t one = (bodies[0] + bodies[1]) / 100;
  EXPECT_GT(std::max(bodies[0], bodies[1]) + one + 1000, most);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(service_.size("Things"), 100U);
  EXPECT_EQ(stored("r100") + stored("r199"), "100199");
}

// A removal of what may not be there travels alone, since a group would fail with it.
TEST_F(RemoteCommit, PendingOfWhatTravelsAlone) {
  db_.run("BEGIN");
  for (const char* row : {"a", "b", "c"}) db_.run(insert("t", "p", row));
  db_.run("INSERT OR REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'aa', 1)");
  db_.run("DELETE FROM t WHERE RowKey = 'aa'");
  EXPECT_EQ(db_.rows("SELECT group_number, operation, RowKey, if_match, bytes > 0 FROM ts_pending"),
            (Rows{"1|insert|a|NULL|1", "2|delete|aa|*|1", "3|insert|b|NULL|1", "3|insert|c|NULL|1"}));
  db_.run("COMMIT");
  EXPECT_EQ(writes(), 3U);
  EXPECT_EQ(service_.size("Things"), 3U);
}

// Azurite misreads some requests inside a batch; alone it reads them right.
TEST_F(RemoteCommit, WhatAzuriteMisreadsTravelsAlone) {
  db_.run("CREATE VIRTUAL TABLE az USING table_storage(N INT32, OPTIONS (table 'Things', endpoint '" +
          service_.endpoint() + "', dialect 'azurite'))");
  const Rows rows = {"", "a", "b", "it's", "u\u2028", "v\u2029"};
  for (const std::string& row : rows) put(row, 1);
  put("r", 1, "it's");
  put("s", 1, "it's");
  db_.run("BEGIN; UPDATE az SET N = 2");
  EXPECT_EQ(db_.rows("SELECT group_number, count(*) FROM ts_pending GROUP BY 1"),
            (Rows{"1|1", "2|1", "3|1", "4|2", "5|1", "6|1", "7|1"}));
  db_.run("COMMIT");
  EXPECT_EQ(writes(), 7U);
  for (const std::string& row : rows) EXPECT_EQ(stored(row), "2") << row;
  EXPECT_EQ(stored("r", "N", "it's") + stored("s", "N", "it's"), "22");
  // An entity without properties has "{}" for a body; one to be removed has none.
  db_.run(
      "BEGIN; INSERT OR REPLACE INTO az (PartitionKey, RowKey) VALUES ('p', 'a'), ('p', 'b'); "
      "DELETE FROM az WHERE PartitionKey = 'p' AND RowKey = 'v\u2029'");
  EXPECT_EQ(db_.rows("SELECT group_number, count(*) FROM ts_pending GROUP BY 1"),
            (Rows{"1|1", "2|1", "3|1"}));
  db_.run("COMMIT");
  EXPECT_EQ(stored("a") + stored("b") + stored("v\u2029"), "---");
  // The keys of an insert stand in its body.
  writes();
  db_.run(
      "INSERT INTO az (PartitionKey, RowKey, N) VALUES ('q', '', 3), ('q', 'it''s', 3), ('q', 'u\u2028', 3)");
  EXPECT_EQ(writes(), 1U);
}

TEST_F(RemoteCommit, PendingIsNotForViewsOfAFile) {
  db_.run("CREATE VIEW v AS SELECT * FROM ts_pending");
  sqlite3_db_config(db_.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  EXPECT_TRUE(holds(db_.error("SELECT * FROM v"), "unsafe"));
}

// --- atomicity 'partition' ---

TEST_F(RemoteCommit, AtomicCommitOfOneGroup) {
  map("atomic", ", atomicity 'partition'");
  db_.run("BEGIN;" + insert("atomic", "p", "a") + insert("atomic", "p", "b") + "COMMIT");
  EXPECT_EQ(writes(), 1U);
  EXPECT_EQ(stored("a") + stored("b"), "11");
}

TEST_F(RemoteCommit, AtomicCommitOfTwoPartitionsIsRefused) {
  map("atomic", ", atomicity 'partition'");
  db_.run("CREATE TABLE native (x); BEGIN; INSERT INTO native VALUES (1);" + insert("atomic", "p", "a") +
          insert("atomic", "q", "b"));
  int code = 0;
  const std::string message = db_.error("COMMIT", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_TRUE(holds(message, "2 entity group transactions")) << message;
  EXPECT_TRUE(holds(message, "ts_pending")) << message;
  EXPECT_EQ(writes(), 0U);
  EXPECT_EQ(sqlite3_get_autocommit(db_.handle()), 1);
  EXPECT_EQ(db_.value("SELECT count(*) FROM native"), "0");
}

// One foreign table of an entity table that asks for it is enough, whichever wrote first.
TEST_F(RemoteCommit, AtomicCommitIsAskedForByOneOfTwo) {
  map("atomic", ", atomicity 'partition'");
  for (const char* first : {"t", "atomic"}) {
    const std::string second = first == std::string("t") ? "atomic" : "t";
    db_.run("BEGIN;" + insert(first, "p", "a") + insert(second, "q", "b"));
    EXPECT_TRUE(holds(db_.error("COMMIT"), "2 entity group transactions")) << first;
  }
  EXPECT_EQ(writes(), 0U);
}

TEST_F(RemoteCommit, AtomicCommitOfAHundredAndOneIsRefused) {
  map("atomic", ", atomicity 'partition'");
  const std::string message = db_.error(
      "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 101) "
      "INSERT INTO atomic (PartitionKey, RowKey, N) SELECT 'p', n, 1 FROM i");
  EXPECT_TRUE(holds(message, "2 entity group transactions, table Things (2 groups)")) << message;
  EXPECT_EQ(service_.size("Things"), 0U);
}

// Whichever table is told first: the writes of all of them are known by then.
TEST_F(RemoteCommit, AtomicCommitCountsOtherTables) {
  map_others(", atomicity 'partition'");
  for (const std::string& first : {insert("t", "p", "a"), insert("others", "p", "a")}) {
    db_.run("BEGIN;" + first + insert("t", "p", "b") + insert("others", "p", "b"));
    const std::string message = db_.error("COMMIT");
    EXPECT_TRUE(holds(message, "Things (1 group)") && holds(message, "Others (1 group)")) << message;
    EXPECT_EQ(writes(), 0U);
  }
  // A table that wrote nothing after all does not count.
  db_.run("BEGIN;" + insert("t", "p", "a") + "DELETE FROM t;" + insert("others", "p", "a") + "COMMIT");
  EXPECT_EQ(service_.size("Others"), 1U);
}

TEST_F(RemoteCommit, AtomicCommitCountsOtherServices) {
  fake::FakeService elsewhere;
  elsewhere.create_table("Things");
  db_.run("CREATE VIRTUAL TABLE far USING table_storage(N INT32, OPTIONS (table 'Things', endpoint '" +
          elsewhere.endpoint() + "', dialect 'storage', atomicity 'partition'))");
  db_.run("BEGIN;" + insert("t", "p", "a") + insert("far", "p", "a"));
  const std::string message = db_.error("COMMIT");
  EXPECT_TRUE(holds(message, service_.origin()) && holds(message, elsewhere.origin())) << message;
  EXPECT_EQ(service_.size("Things") + elsewhere.size("Things"), 0U);
}

// --- upsert ---

TEST_F(RemoteCommit, UpsertMerges) {
  map("merging", ", upsert 'merge'");
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"S", Value::string("stays")}});
  db_.run("INSERT OR REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'r', 2)");
  ASSERT_EQ(sent("MERGE").size(), 1U);
  EXPECT_EQ(header(sent("MERGE").front(), "If-Match"), "-");
  EXPECT_EQ(stored("r") + stored("r", "S"), "2stays");
  db_.run("REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'new', 3)");
  EXPECT_EQ(stored("new"), "3");
}

TEST_F(RemoteCommit, UpsertThatMergesIsSeenByItsTransaction) {
  map("merging", ", upsert 'merge'");
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"S", Value::string("stays")}});
  db_.run(
      "BEGIN; INSERT OR REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'r', 2), ('p', 'q', 3)");
  EXPECT_EQ(db_.rows("SELECT RowKey, N, S FROM t ORDER BY 1"), (Rows{"q|3|NULL", "r|2|stays"}));
  EXPECT_EQ(db_.value("SELECT N, S FROM t WHERE PartitionKey = 'p' AND RowKey = 'r'"), "2|stays");
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE S = 'stays'"), Rows{"r"});
  db_.run("UPDATE t SET L = 4 WHERE RowKey = 'r'");
  db_.run("INSERT OR REPLACE INTO merging (PartitionKey, RowKey, D) VALUES ('p', 'r', 0.5)");
  EXPECT_EQ(db_.value("SELECT N, S, L, D FROM t WHERE RowKey = 'r'"), "2|stays|4|0.5");
  db_.run("COMMIT");
  EXPECT_EQ(db_.value("SELECT N, S, L, D FROM t WHERE RowKey = 'r'"), "2|stays|4|0.5");
  EXPECT_EQ(writes(), 1U);
}

// There is nothing to merge with where a key takes the place of another.
TEST_F(RemoteCommit, UpdateOrReplaceOfAKeyDoesNotMerge) {
  map("merging", ", upsert 'merge'");
  put("a", 1);
  service_.put("Things", {"p", "b"}, {{"S", Value::string("goes")}});
  db_.run("UPDATE OR REPLACE merging SET RowKey = 'b' WHERE RowKey = 'a'");
  EXPECT_EQ(stored("b") + stored("b", "S") + stored("a"), "1--");
}

TEST_F(RemoteCommit, UpsertOfTheLocalServer) {
  db_.run("CREATE VIRTUAL TABLE l USING table_storage(N INT32, S STRING, OPTIONS (table 'Locals'))");
  db_.run(
      "CREATE VIRTUAL TABLE m USING table_storage(N INT32, S STRING, OPTIONS (table 'Locals', "
      "upsert 'merge'))");
  db_.run("INSERT INTO l (PartitionKey, RowKey, N, S) VALUES ('p', 'r', 1, 'x')");
  db_.run("INSERT OR REPLACE INTO m (PartitionKey, RowKey, N) VALUES ('p', 'r', 2), ('p', 's', 3)");
  EXPECT_EQ(db_.rows("SELECT RowKey, N, S FROM l ORDER BY 1"), (Rows{"r|2|x", "s|3|NULL"}));
  db_.run("INSERT OR REPLACE INTO l (PartitionKey, RowKey, N) VALUES ('p', 'r', 4)");
  EXPECT_EQ(db_.rows("SELECT RowKey, N, S FROM l ORDER BY 1"), (Rows{"r|4|NULL", "s|3|NULL"}));
}

// --- Errors ---

TEST_F(RemoteCommit, FailureOfASecondTableSaysThatTheFirstStays) {
  map_others();
  service_.create_table("Third");
  map("third", "", "Third");
  service_.put("Others", {"p", "r"}, {});
  db_.run("CREATE TABLE native (x); BEGIN; INSERT INTO native VALUES (1);" + insert("t", "p", "r") +
          insert("t", "q", "r") + insert("others", "p", "r") + insert("third", "p", "r"));
  int code = 0;
  const std::string message = db_.error("COMMIT", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_TRUE(holds(message,
                    "COMMIT of 1 group of table Others: nothing was applied; table Things (2 groups) "
                    "applied before, and that stays; table Third not sent; everything else of the "
                    "transaction is rolled back, rows of the database's own tables too"))
      << message;
  EXPECT_EQ(stored("r"), "1");
  EXPECT_EQ(service_.size("Third"), 0U);
  EXPECT_EQ(db_.value("SELECT count(*) FROM native"), "0");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_pending"), Rows{});
}

// SQLite writes the database's own rows last. Where that has to wait for a reader, the COMMIT can be said
// again.
TEST_F(RemoteCommit, ACommitThatFindsTheFileBusyIsSentOnce) {
  const std::string file = ::testing::TempDir() + "RemoteCommitBusy.db";
  std::remove(file.c_str());
  {
    Database writer(file);
    Database reader(file);
    writer.run(
        "CREATE TABLE native (x); CREATE VIRTUAL TABLE t USING table_storage(N INT32, OPTIONS (table "
        "'Things', "
        "endpoint '" +
        service_.endpoint() + "', dialect 'storage'))");
    for (const std::string end : {"COMMIT", "ROLLBACK"}) {
      service_.forget_requests();
      reader.run("BEGIN; SELECT * FROM native");
      writer.run("BEGIN; INSERT INTO native VALUES ('" + end + "');" + insert("t", "p", end));
      int code = 0;
      writer.error("COMMIT", &code);
      EXPECT_EQ(code & 0xff, SQLITE_BUSY);
      reader.run("COMMIT");
      writer.run(end);
      EXPECT_EQ(sent("POST").size(), 1U);
      EXPECT_EQ(stored(end), "1") << "what was sent stays";
    }
    EXPECT_EQ(writer.rows("SELECT x FROM native"), Rows{"COMMIT"});
  }
  std::remove(file.c_str());
}

TEST_F(RemoteCommit, PartialFailureSaysThatTheRestIsRolledBack) {
  put("r", 1, "c");
  const std::string message =
      db_.error("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('a', 'r', 2), ('c', 'r', 2)");
  EXPECT_TRUE(holds(message,
                    "1 group (partition 'a') applied, and that stays; 1 group (partition 'c') not "
                    "applied; everything else of the transaction is rolled back"))
      << message;
}

// A batch may be answered with a success around an error that passes.
TEST_F(RemoteCommit, BusyInsideABatchAnswer) {
  const std::string body =
      "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n"
      "HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\n\r\n"
      R"({"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"0:busy"}}})"
      "\r\n--c--\r\n--b--\r\n";
  std::atomic<int> times = 0;
  service_.set_hook([&](const fake::Request& request) -> std::optional<fake::Answer> {
    if (!holds(request.path, "$batch") || times++ > 0) return std::nullopt;
    fake::Answer answer;
    answer.status = 202;
    answer.headers = {{"Content-Type", "multipart/mixed; boundary=b"}};
    answer.body = body;
    return answer;
  });
  db_.run("BEGIN;" + insert("t", "p", "a") + insert("t", "p", "b") + "COMMIT");
  service_.set_hook(nullptr);
  EXPECT_EQ(stored("a") + stored("b"), "11");
}

// An index behind the last operation names none of them.
TEST_F(RemoteCommit, CulpritThatWasNotSent) {
  service_.set_hook([](const fake::Request& request) -> std::optional<fake::Answer> {
    if (!holds(request.path, "$batch")) return std::nullopt;
    fake::Answer answer;
    answer.status = 409;
    answer.headers = {{"Content-Type", "application/json"}};
    answer.body =
        R"({"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"99:exists"}}})";
    return answer;
  });
  const std::string message = db_.error("BEGIN;" + insert("t", "p", "a") + insert("t", "p", "b") + "COMMIT");
  service_.set_hook(nullptr);
  EXPECT_TRUE(holds(message, "nothing was applied")) << message;
  EXPECT_TRUE(holds(message, "EntityAlreadyExists")) << message;
}

// --- Tables that come and go inside a transaction ---

TEST_F(RemoteCommit, TableWithPendingWritesIsNotDropped) {
  db_.run("BEGIN;" + insert("t", "p", "a"));
  int code = 0;
  db_.error("DROP TABLE t", &code);
  EXPECT_EQ(code & 0xff, SQLITE_LOCKED);
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "0");
  db_.run("BEGIN;" + insert("t", "p", "b"));
  db_.error("DROP TABLE t");
  db_.run("COMMIT; DROP TABLE t");
  EXPECT_EQ(stored("a") + stored("b"), "-1");
}

TEST_F(RemoteCommit, TableMadeInItsTransaction) {
  db_.run("BEGIN");
  map("u");
  db_.run(insert("u", "p", "a") + "COMMIT");
  EXPECT_EQ(stored("a"), "1");
  db_.run("BEGIN");
  map("v");
  db_.run(insert("v", "p", "b") + "ROLLBACK");
  EXPECT_EQ(db_.rows("SELECT * FROM ts_pending"), Rows{});
  EXPECT_EQ(stored("b"), "-");
}

// SQLite does not tell such a table that it was rolled back.
TEST_F(RemoteCommit, TableMadeAndUndoneInItsTransaction) {
  db_.run("BEGIN; SAVEPOINT s");
  map("u");
  db_.run(insert("u", "p", "a") + "ROLLBACK TO s");
  const std::string message = db_.error("COMMIT");
  EXPECT_TRUE(holds(message, "savepoint that was rolled back")) << message;
  EXPECT_EQ(stored("a"), "-");
  db_.run(insert("t", "p", "b"));
  EXPECT_EQ(stored("a") + stored("b"), "-1");
  // Another table that would send its writes before does not either.
  service_.create_table("Others");
  db_.run("BEGIN;" + insert("t", "p", "c") + "SAVEPOINT s");
  map("others", {}, "Others");
  db_.run(insert("others", "p", "d") + "ROLLBACK TO s");
  EXPECT_TRUE(holds(db_.error("COMMIT"), "nothing of the transaction is sent"));
  EXPECT_EQ(stored("c"), "-");
  EXPECT_EQ(service_.size("Others"), 0U);
}

// --- What a write reads ---

TEST_F(RemoteCommit, DeleteReadsKeysOnly) {
  for (int i = 0; i < 5; ++i) put("r" + std::to_string(i), i);
  db_.run("DELETE FROM t");
  const std::vector<fake::Request> gets = sent("GET");
  ASSERT_EQ(gets.size(), 1U);
  EXPECT_EQ(parameter(gets.front(), "$select"), "PartitionKey,RowKey");
  EXPECT_EQ(sent("POST").size(), 1U);
  EXPECT_EQ(service_.size("Things"), 0U);
}

TEST_F(RemoteCommit, UpdateReadsEachEntityOnce) {
  for (int i = 0; i < 5; ++i) put("r" + std::to_string(i), i);
  db_.run("UPDATE t SET S = 'x' WHERE N % 2 = 0");
  EXPECT_EQ(sent("GET").size(), 1U);
  EXPECT_EQ(stored("r4", "S") + stored("r3", "S"), "x-");
}

}  // namespace
}  // namespace table_storage::test
