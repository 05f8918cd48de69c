// INSERT, UPDATE, DELETE and transactions over the remote backend: what is sent, when, and what reads see.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class RemoteWrite : public RemoteTest {
 protected:
  RemoteWrite() { map(); }

  /// The one request of all that is no GET.
  fake::Request the_write() {
    std::vector<fake::Request> writes = sent();
    std::erase_if(writes, [](const fake::Request& request) { return request.method == "GET"; });
    EXPECT_EQ(writes.size(), 1U);
    service_.forget_requests();
    return writes.empty() ? fake::Request{} : writes.front();
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
};

constexpr const char* kEntityPath = "/devstoreaccount1/Things(PartitionKey='p',RowKey='r')";

TEST_F(RemoteWrite, Insert) {
  db_.run("INSERT INTO t (PartitionKey, RowKey, N, S, L) VALUES ('p', 'r', 7, 'it''s', 9007199254740993)");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/devstoreaccount1/Things");
  EXPECT_EQ(header(request, "If-Match"), "-");
  EXPECT_EQ(db_.value("SELECT N, S, L, D FROM t"), "7|it's|9007199254740993|NULL");
}

TEST_F(RemoteWrite, InsertOfAnEntityThatExists) {
  put("r", 1);
  int code = 0;
  const std::string message =
      db_.error("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 7)", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_NE(message.find("PartitionKey 'p', RowKey 'r'"), std::string::npos) << message;
  EXPECT_NE(message.find("EntityAlreadyExists"), std::string::npos) << message;
  EXPECT_EQ(stored("r"), "1");
  db_.run("INSERT OR IGNORE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 7), ('p', 's', 8)");
  EXPECT_EQ(stored("r"), "1");
  EXPECT_EQ(stored("s"), "8");
}

TEST_F(RemoteWrite, UpdateIsAMergeOfWhatChanged) {
  const std::string etag =
      service_.put("Things", {"p", "r"},
                   {{"N", Value::int32(1)}, {"S", Value::string("old")}, {"Unknown", Value::string("kept")}});
  db_.run("UPDATE t SET N = 2, S = 'old' WHERE PartitionKey = 'p' AND RowKey = 'r'");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "MERGE");
  EXPECT_EQ(request.path, kEntityPath);
  EXPECT_EQ(request.body, R"({"N":2})");
  EXPECT_EQ(header(request, "If-Match"), etag);
  EXPECT_EQ(stored("r", "Unknown"), "kept");
}

TEST_F(RemoteWrite, UpdateThatChangesNothingSendsNothing) {
  put("r", 1);
  db_.run("UPDATE t SET N = 1");
  EXPECT_EQ(methods().find_first_not_of("GET "), std::string::npos);
}

TEST_F(RemoteWrite, RemovedPropertyReplacesTheEntity) {
  const std::string etag =
      service_.put("Things", {"p", "r"},
                   {{"N", Value::int32(1)}, {"S", Value::string("old")}, {"Unknown", Value::string("kept")}});
  db_.run("UPDATE t SET S = NULL WHERE N = 1");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(header(request, "If-Match"), etag);
  EXPECT_EQ(stored("r"), "1");
  EXPECT_EQ(stored("r", "S"), "-");
  EXPECT_EQ(stored("r", "Unknown"), "kept");
}

TEST_F(RemoteWrite, Delete) {
  const std::string etag = put("r", 1);
  db_.run("DELETE FROM t WHERE PartitionKey = 'p' AND RowKey = 'r'");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.path, kEntityPath);
  EXPECT_EQ(header(request, "If-Match"), etag);
  EXPECT_EQ(service_.size("Things"), 0U);
}

TEST_F(RemoteWrite, InsertOrReplace) {
  service_.put("Things", {"p", "r"}, {{"S", Value::string("goes")}});
  db_.run("INSERT OR REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 3)");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(header(request, "If-Match"), "-");
  EXPECT_EQ(stored("r"), "3");
  EXPECT_EQ(stored("r", "S"), "-");
}

TEST_F(RemoteWrite, BatchesByPartitionAndCount) {
  db_.run(
      "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 252) "
      "INSERT INTO t (PartitionKey, RowKey, N) SELECT iif(n < 250, 'a', 'b'), format('%03d', n), n FROM i");
  const std::vector<fake::Request> posts = sent("POST");
  ASSERT_EQ(posts.size(), 4U);
  std::vector<std::size_t> sizes;
  for (const fake::Request& request : posts) {
    EXPECT_EQ(request.path, "/devstoreaccount1/$batch");
    sizes.push_back(count(request.body, "Content-Transfer-Encoding"));
    // One partition a batch.
    EXPECT_NE(request.body.find("\"PartitionKey\":\"a\"") == std::string::npos,
              request.body.find("\"PartitionKey\":\"b\"") == std::string::npos);
  }
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 50, 100, 100}));
  EXPECT_EQ(db_.value("SELECT count(*), sum(N) FROM t"), "253|31878");
}

TEST_F(RemoteWrite, ChangesOfOneEntityAreOneOperation) {
  db_.run("BEGIN");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N, S) VALUES ('p', 'r', 1, 'x')");
  db_.run("UPDATE t SET N = 2 WHERE RowKey = 'r'");
  db_.run("UPDATE t SET N = N + 1, S = NULL WHERE RowKey = 'r'");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'gone', 1)");
  db_.run("DELETE FROM t WHERE RowKey = 'gone'");
  db_.run("COMMIT");
  const fake::Request request = the_write();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(stored("r"), "3");
  EXPECT_EQ(stored("r", "S"), "-");
  EXPECT_EQ(service_.size("Things"), 1U);

  const std::string etag = put("u", 1);
  db_.run("BEGIN; UPDATE t SET N = 2 WHERE RowKey = 'u'; UPDATE t SET L = 5 WHERE RowKey = 'u'; COMMIT");
  const fake::Request merge = the_write();
  EXPECT_EQ(merge.method, "MERGE");
  EXPECT_EQ(header(merge, "If-Match"), etag);
  EXPECT_EQ(stored("u"), "2");
  EXPECT_EQ(stored("u", "L"), "5");

  db_.run(
      "BEGIN; DELETE FROM t WHERE RowKey = 'u'; "
      "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'u', 9); COMMIT");
  EXPECT_EQ(the_write().method, "PUT");
  EXPECT_EQ(stored("u"), "9");
  EXPECT_EQ(stored("u", "L"), "-");
}

TEST_F(RemoteWrite, RollbackSendsNothing) {
  put("r", 1);
  db_.run("BEGIN");
  db_.run("UPDATE t SET N = 2");
  db_.run("DELETE FROM t");
  db_.run("INSERT INTO t (PartitionKey, RowKey) VALUES ('q', 'q')");
  db_.run("ROLLBACK");
  EXPECT_EQ(methods().find_first_not_of("GET "), std::string::npos);
  EXPECT_EQ(db_.rows("SELECT PartitionKey, N FROM t"), Rows{"p|1"});
}

TEST_F(RemoteWrite, Savepoints) {
  put("r", 1);
  db_.run("BEGIN");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'a', 1)");
  db_.run("SAVEPOINT one");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'b', 2)");
  db_.run("UPDATE t SET N = 10 WHERE RowKey = 'a'");
  db_.run("SAVEPOINT two");
  db_.run("DELETE FROM t");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "0");
  db_.run("ROLLBACK TO two");
  EXPECT_EQ(db_.rows("SELECT RowKey, N FROM t ORDER BY RowKey"), (Rows{"a|10", "b|2", "r|1"}));
  db_.run("RELEASE two");
  db_.run("ROLLBACK TO one");
  EXPECT_EQ(db_.rows("SELECT RowKey, N FROM t ORDER BY RowKey"), (Rows{"a|1", "r|1"}));
  EXPECT_EQ(methods().find_first_not_of("GET "), std::string::npos);
  db_.run("COMMIT");
  EXPECT_EQ(the_write().method, "POST");
  EXPECT_EQ(stored("a"), "1");
}

TEST_F(RemoteWrite, AFailedStatementLeavesTheTransactionAsItWas) {
  db_.run("BEGIN");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'a', 1)");
  db_.error("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'b', 1), ('p', 'a/b', 2)");
  db_.run("COMMIT");
  EXPECT_EQ(service_.size("Things"), 1U);
}

// What a rolled-back statement showed is not what an UPDATE afterwards changes.
TEST_F(RemoteWrite, UpdateAfterRollbackToSeesTheServicesEntity) {
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"S", Value::string("stays")}});
  db_.run("BEGIN");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'other', 1)");
  db_.run("SAVEPOINT one");
  db_.run("UPDATE t SET S = NULL, L = 77 WHERE RowKey = 'r'");
  db_.run("UPDATE t SET N = 5 WHERE RowKey = 'r'");
  db_.run("ROLLBACK TO one");
  EXPECT_EQ(db_.value("SELECT _properties FROM t WHERE PartitionKey = 'p' AND RowKey = 'r'"),
            R"({"N":1,"S":"stays"})");
  db_.run("UPDATE t SET D = 0.5 WHERE PartitionKey = 'p' AND RowKey = 'r'");
  db_.run("COMMIT");
  EXPECT_EQ(stored("r"), "1");
  EXPECT_EQ(stored("r", "S"), "stays");
  EXPECT_EQ(stored("r", "L"), "-");
}

TEST_F(RemoteWrite, ReadsSeeThePendingWrites) {
  for (int i = 0; i < 6; ++i) put("r" + std::to_string(i), i);
  service_.configure([](fake::Settings& settings) { settings.paging.page_size = 2; });
  db_.run("BEGIN");
  db_.run("UPDATE t SET N = 100 WHERE RowKey = 'r1'");
  db_.run("DELETE FROM t WHERE RowKey = 'r3'");
  db_.run(
      "INSERT INTO t (PartitionKey, RowKey, N, S) VALUES ('p', 'r25', 25, 'new'), ('o', 'x', 0, NULL), "
      "('z', 'x', 7, NULL)");
  EXPECT_EQ(db_.rows("SELECT PartitionKey, RowKey, N FROM t ORDER BY PartitionKey, RowKey"),
            (Rows{"o|x|0", "p|r0|0", "p|r1|100", "p|r2|2", "p|r25|25", "p|r4|4", "p|r5|5", "z|x|7"}));
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE N >= 25 ORDER BY RowKey"), (Rows{"r1", "r25"}));
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE N = 1 OR N = 3"), Rows{});
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE S = 'new'"), Rows{"r25"});
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE _filter = 'N gt 5 and N lt 50' ORDER BY 1"),
            (Rows{"r25", "x"}));
  EXPECT_EQ(db_.value("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r1'"), "100");
  EXPECT_EQ(db_.rows("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r3'"), Rows{});
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE PartitionKey = 'p' ORDER BY RowKey DESC LIMIT 3"),
            (Rows{"r5", "r4", "r25"}));
  EXPECT_EQ(db_.rows("SELECT RowKey FROM t WHERE PartitionKey = 'p' ORDER BY RowKey LIMIT 2 OFFSET 3"),
            (Rows{"r25", "r4"}));
  EXPECT_EQ(db_.value("SELECT _etag FROM t WHERE RowKey = 'r25'"), "NULL");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "8");
  db_.run("ROLLBACK");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "6");
}

// A raw filter over keys and Timestamp, in which a pending insert has no Timestamp yet.
TEST_F(RemoteWrite, RawFiltersSeeThePendingWrites) {
  put("a", 1);
  put("b", 2);
  db_.run("BEGIN; INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'c', 3), ('q', 'd', 4)");
  db_.run("UPDATE t SET N = 20 WHERE RowKey = 'b'");
  const auto rows = [&](const std::string& filter) {
    return db_.rows("SELECT RowKey, N FROM t WHERE _filter = '" + filter + "' ORDER BY 1");
  };
  EXPECT_EQ(rows("RowKey ge ''b''"), (Rows{"b|20", "c|3", "d|4"}));
  EXPECT_EQ(rows("PartitionKey eq ''p'' and N gt 1"), (Rows{"b|20", "c|3"}));
  EXPECT_EQ(rows("PartitionKey gt ''p''"), Rows{"d|4"});
  EXPECT_EQ(rows("Timestamp gt datetime''2020-01-01''"), (Rows{"a|1", "b|20"}));
  EXPECT_EQ(rows("not (Timestamp gt datetime''2020-01-01'')"), (Rows{"c|3", "d|4"}));
  db_.run("ROLLBACK");
}

TEST_F(RemoteWrite, TwoForeignTablesShareTheWritesOfTheirTable) {
  map("u");
  db_.run("BEGIN");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'a', 1)");
  EXPECT_EQ(db_.value("SELECT N FROM u WHERE PartitionKey = 'p' AND RowKey = 'a'"), "1");
  db_.run("UPDATE u SET N = 2");
  EXPECT_EQ(db_.value("SELECT N FROM t"), "2");
  db_.run("COMMIT");
  EXPECT_EQ(the_write().method, "POST");
  EXPECT_EQ(stored("a"), "2");
}

TEST_F(RemoteWrite, SavepointThatTwoForeignTablesJoin) {
  map("u");
  db_.value("SELECT count(*) FROM u");
  db_.run("BEGIN; SAVEPOINT one");
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'a', 1)");
  db_.run("INSERT INTO u (PartitionKey, RowKey, N) VALUES ('p', 'b', 1)");
  db_.run("ROLLBACK TO one");
  EXPECT_EQ(db_.value("SELECT count(*) FROM t"), "0");
  db_.run("COMMIT");
  EXPECT_EQ(service_.size("Things"), 0U);
}

// The first table joins inside a statement of several rows and is told of that one's savepoint only; the
// second tells of the outer one when writes are there already.
TEST_F(RemoteWrite, SavepointOlderThanTheFirstTable) {
  map("u");
  put("a", 1);
  put("b", 1);
  db_.run("BEGIN; SAVEPOINT one");
  db_.run("UPDATE t SET N = 2");
  db_.run("INSERT INTO u (PartitionKey, RowKey, N) VALUES ('p', 'c', 2)");
  db_.run("SAVEPOINT two; UPDATE u SET N = 3; ROLLBACK TO two");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), (Rows{"2", "2", "2"}));
  db_.run("ROLLBACK TO one");
  EXPECT_EQ(db_.rows("SELECT N FROM t"), (Rows{"1", "1"}));
  db_.run("COMMIT");
  EXPECT_EQ(stored("a") + stored("b") + stored("c"), "11-");
}

TEST_F(RemoteWrite, ChangeOfAKey) {
  service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"Unknown", Value::string("kept")}});
  db_.run("UPDATE t SET RowKey = 'new', N = 2 WHERE RowKey = 'r'");
  EXPECT_EQ(the_write().path, "/devstoreaccount1/$batch");
  EXPECT_EQ(stored("r"), "-");
  EXPECT_EQ(stored("new"), "2");
  EXPECT_EQ(stored("new", "Unknown"), "kept");
  db_.run("UPDATE t SET PartitionKey = 'q'");
  EXPECT_EQ(service_.size("Things"), 1U);
  EXPECT_EQ(stored("new", "N", "q"), "2");
}

TEST_F(RemoteWrite, EntityThatChangedMeanwhile) {
  put("a", 1);
  put("b", 1);
  db_.run("BEGIN");
  db_.run("UPDATE t SET N = 2");
  service_.touch("Things", {"p", "b"});
  int code = 0;
  const std::string message = db_.error("COMMIT", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_NE(message.find("PartitionKey 'p', RowKey 'b'"), std::string::npos) << message;
  EXPECT_NE(message.find("UpdateConditionNotSatisfied"), std::string::npos) << message;
  EXPECT_EQ(sqlite3_get_autocommit(db_.handle()), 1);
  EXPECT_EQ(stored("a"), "1");  // a batch is atomic
  EXPECT_EQ(db_.rows("SELECT N FROM t"), (Rows{"1", "1"}));
  db_.run("UPDATE t SET N = 3");
  EXPECT_EQ(stored("b"), "3");
}

TEST_F(RemoteWrite, PartialFailureSaysWhatStays) {
  put("r", 1, "c");
  int code = 0;
  const std::string message = db_.error(
      "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('a', 'r', 2), ('b', 'r', 2), ('c', 'r', 2)", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_NE(message.find("2 groups (partition 'a', 'b') applied, and that stays"), std::string::npos)
      << message;
  EXPECT_NE(message.find("PartitionKey 'c', RowKey 'r'"), std::string::npos) << message;
  EXPECT_EQ(stored("r", "N", "a"), "2");
  EXPECT_EQ(stored("r", "N", "c"), "1");
}

TEST_F(RemoteWrite, KeysOfEveryKind) {
  db_.run(
      "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('it''s 100%', 'a+b é\xF0\x9F\x98\x80', 1), "
      "('it''s 100%', '%41', 2), ('', '', 3)");
  EXPECT_EQ(stored("a+b é\xF0\x9F\x98\x80", "N", "it's 100%"), "1");
  EXPECT_EQ(stored("", "N", ""), "3");
  db_.run("UPDATE t SET N = N + 10");
  EXPECT_EQ(stored("%41", "N", "it's 100%"), "12");
  EXPECT_EQ(stored("", "N", ""), "13");
  db_.run("DELETE FROM t WHERE PartitionKey = 'it''s 100%'");
  EXPECT_EQ(service_.size("Things"), 1U);
}

TEST_F(RemoteWrite, ChangeOfAKeyToOneThatExists) {
  put("a", 1);
  put("b", 2);
  int code = 0;
  const std::string message = db_.error("UPDATE t SET RowKey = 'b' WHERE RowKey = 'a'", &code);
  EXPECT_EQ(code & 0xff, SQLITE_CONSTRAINT);
  EXPECT_NE(message.find("RowKey 'b'"), std::string::npos) << message;
  EXPECT_EQ(stored("a") + stored("b"), "12");
  db_.run("UPDATE OR REPLACE t SET RowKey = 'b' WHERE RowKey = 'a'");
  EXPECT_EQ(stored("a") + stored("b"), "-1");
}

TEST_F(RemoteWrite, EntityThatIsGoneMeanwhile) {
  put("r", 1);
  db_.run("BEGIN");
  db_.run("UPDATE t SET N = 2");
  service_.remove("Things", {"p", "r"});
  const std::string message = db_.error("COMMIT");
  EXPECT_NE(message.find("PartitionKey 'p', RowKey 'r'"), std::string::npos) << message;
  EXPECT_NE(message.find("ResourceNotFound"), std::string::npos) << message;
  EXPECT_EQ(service_.size("Things"), 0U);
}

/// Random writes, savepoints and reads, through two foreign tables of one remote table and on a plain table.
class RandomWrites {
 public:
  RandomWrites(Database& db, std::uint32_t seed) : db_(db), random_(seed) {
    db_.run(
        "CREATE TABLE plain (PartitionKey TEXT, RowKey TEXT, N INTEGER, S TEXT, "
        "PRIMARY KEY (PartitionKey, RowKey))");
  }

  void step() {
    switch (pick(12)) {
      case 0:
      case 1:
      case 2:
        both("INSERT OR REPLACE INTO @ (PartitionKey, RowKey, N, S) VALUES (" + keys() + ", " + number() +
             ", " + text() + ")");
        break;
      case 3:
        insert();
        break;
      case 4:
        both("UPDATE @ SET N = " + number() + " WHERE " + condition());
        break;
      case 5:
        both("UPDATE @ SET S = " + text() + ", N = N + 1 WHERE " + condition());
        break;
      case 6:
        both("DELETE FROM @ WHERE " + condition());
        break;
      case 7:
        move();
        break;
      case 8:
        if (sqlite3_get_autocommit(db_.handle()) != 0) db_.run("BEGIN");
        db_.run("SAVEPOINT s" + std::to_string(savepoints_++));
        break;
      case 9:
        if (savepoints_ > 0) db_.run("ROLLBACK TO s" + std::to_string(pick_savepoint()));
        break;
      case 10:
        if (savepoints_ > 0) db_.run("RELEASE s" + std::to_string(savepoints_ = pick_savepoint()));
        break;
      default:
        if (sqlite3_get_autocommit(db_.handle()) != 0) {
          db_.run("BEGIN");
        } else if (pick(3) == 0) {
          end(pick(3) == 0 ? "ROLLBACK" : "COMMIT");
        }
        break;
    }
    compare("SELECT PartitionKey, RowKey, N, S FROM @ ORDER BY PartitionKey, RowKey");
    compare("SELECT PartitionKey, RowKey, N FROM @ WHERE " + condition() + " ORDER BY 1, 2");
  }
  void end(const char* how) {
    db_.run(how);
    savepoints_ = 0;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
  /// ROLLBACK TO and RELEASE end the savepoints inside.
  int pick_savepoint() {
    const int which = pick(savepoints_);
    savepoints_ = which + 1;
    return which;
  }
  std::string number() { return std::to_string(pick(6)); }
  std::string text() { return pick(3) == 0 ? "NULL" : "'" + number() + "'"; }
  std::string keys() { return "'p" + std::to_string(pick(3)) + "', 'r" + std::to_string(pick(4)) + "'"; }
  std::string condition() {
    switch (pick(6)) {
      case 0:
        return "(PartitionKey, RowKey) = (" + keys() + ")";
      case 1:
        return "PartitionKey = 'p1'";
      case 2:
        return "N > " + number();
      case 3:
        return "S IS NULL";
      case 4:
        return "RowKey >= 'r" + number() + "' AND PartitionKey IN ('p0', 'p2')";
      default:
        return "S = " + text();
    }
  }
  std::string in(const std::string& table, std::string sql) const {
    return sql.replace(sql.find('@'), 1, table);
  }
  void both(const std::string& sql) {
    db_.run(in(pick(2) == 0 ? "t" : "u", sql));
    db_.run(in("plain", sql));
  }
  /// The plain table knows at once that a key is taken, the service only at COMMIT.
  void insert() {
    const std::string values = "(" + keys() + ", 9)";
    const std::string known = "SELECT count(*) FROM plain WHERE (PartitionKey, RowKey, 9) = " + values;
    if (db_.value(known) == "0") both("INSERT INTO @ (PartitionKey, RowKey, N) VALUES " + values);
  }
  void move() {
    const std::string row = "'m" + std::to_string(moves_++) + "'";
    const std::string where = " WHERE (PartitionKey, RowKey) = (" + keys() + ")";
    both("UPDATE @ SET RowKey = " + row + where);
  }
  void compare(const std::string& sql) {
    ASSERT_EQ(db_.rows(in(pick(2) == 0 ? "t" : "u", sql)), db_.rows(in("plain", sql))) << sql;
  }

  Database& db_;
  std::mt19937 random_;
  int savepoints_ = 0;
  int moves_ = 0;
};

TEST_F(RemoteWrite, RandomTransactionsAreAPlainTables) {
  map("u");
  service_.configure([](fake::Settings& settings) { settings.paging.page_size = 4; });
  RandomWrites writes(db_, 102);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    writes.step();
  }
  if (sqlite3_get_autocommit(db_.handle()) == 0) writes.end("COMMIT");
  EXPECT_EQ(db_.rows("SELECT PartitionKey, RowKey, N, S FROM t ORDER BY 1, 2"),
            db_.rows("SELECT PartitionKey, RowKey, N, S FROM plain ORDER BY 1, 2"));
}

}  // namespace
}  // namespace table_storage::test
