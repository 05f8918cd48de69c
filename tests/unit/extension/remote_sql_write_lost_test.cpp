// Writes whose answer is lost: never applied twice, never claimed wrongly, and told as unknown, with the
// keys, where looking at the entities does not tell.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

using Action = Fault::Action;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class RemoteLostWrite : public RemoteTest {
 protected:
  RemoteLostWrite() { map(); }

  /// The next request of this method meets a fault, on a connection that is new: one that was kept alive
  /// counts as dead before the request, which then is sent again at once.
  void lose(Action action, const std::string& method, std::size_t times = 1) {
    service_.close_idle_connections();
    service_.clear_faults();
    service_.forget_requests();
    service_.add_fault(
        {.action = action, .method = method, .times = times, .status = 500, .code = "InternalError"});
  }
  /// What somebody else does after the write was lost and before the next request.
  void meanwhile(std::function<void()> act) {
    const std::size_t before = service_.faults_struck();
    auto seen = std::make_shared<int>(0);
    service_.set_hook(
        [this, act = std::move(act), seen, before](const fake::Request&) -> std::optional<fake::Answer> {
          // The first one that sees the fault is the write itself.
          if (service_.faults_struck() > before && (*seen)++ == 1) act();
          return std::nullopt;
        });
  }
  void expect_unknown(const std::string& sql, const std::string& keys = "PartitionKey 'p', RowKey 'r'") {
    int code = 0;
    const std::string message = db_.error(sql, &code);
    EXPECT_TRUE(holds(message, "was applied is unknown (" + keys)) << message;
    EXPECT_EQ(code & 0xff, SQLITE_IOERR) << message;
    service_.set_hook(nullptr);
  }

  static constexpr const char* kInsert = "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)";
  static constexpr const char* kInsertTwo =
      "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1), ('p', 's', 2)";
};

TEST_F(RemoteLostWrite, InsertThatWasAppliedIsRecognised) {
  for (const Action action : {Action::lost_answer, Action::failed_answer}) {
    lose(action, "POST");
    db_.run(kInsert);
    EXPECT_EQ(sent("POST").size(), 1U);
    EXPECT_EQ(sent("GET").size(), 1U);
    EXPECT_EQ(stored("r"), "1");
    service_.remove("Things", {"p", "r"});
  }
}

TEST_F(RemoteLostWrite, EveryTypeIsRecognised) {
  lose(Action::lost_answer, "POST");
  db_.run(
      "INSERT INTO t (PartitionKey, RowKey, N, S, D, L, B, T, _properties) VALUES ('it''s', 'é ', -1, '', "
      "0.1, "
      "9007199254740993, 0, '2024-06-15T00:00:00.1234567Z', "
      "'{\"NaN@odata.type\":\"Edm.Double\",\"NaN\":\"NaN\","
      "\"Zero@odata.type\":\"Edm.Double\",\"Zero\":-0.0,\"G@odata.type\":\"Edm.Guid\","
      "\"G\":\"c9da6455-213d-42c9-9a79-3e9149a57833\",\"X@odata.type\":\"Edm.Binary\",\"X\":\"AP8=\","
      "\"E\":\"\\ud83d\\ude00\"}')");
  EXPECT_EQ(sent("POST").size(), 1U);
  EXPECT_EQ(service_.size("Things"), 1U);
}

// A queue's message may have been taken away in between: sent again, it would be there twice.
TEST_F(RemoteLostWrite, InsertThatIsNotThereIsUnknown) {
  for (const Action action : {Action::reset_before_answer, Action::close_before_answer, Action::answer}) {
    lose(action, "POST");
    expect_unknown(kInsert);
    EXPECT_EQ(sent("POST").size(), 1U);
    EXPECT_EQ(service_.size("Things"), 0U);
  }
  lose(Action::lost_answer, "POST");
  meanwhile([&] { service_.remove("Things", {"p", "r"}); });
  expect_unknown(kInsert);
  EXPECT_EQ(service_.size("Things"), 0U);
}

TEST_F(RemoteLostWrite, InsertWhereSomebodyElseWrote) {
  lose(Action::reset_before_answer, "POST");
  meanwhile([&] { put("r", 7); });
  expect_unknown(kInsert);
  EXPECT_EQ(stored("r"), "7");
  service_.remove("Things", {"p", "r"});

  lose(Action::lost_answer, "POST");
  meanwhile([&] { put("r", 8); });
  expect_unknown(kInsert);
  EXPECT_EQ(stored("r"), "8");
}

TEST_F(RemoteLostWrite, InsertOfMoreThanWasSentIsNotOurs) {
  lose(Action::reset_before_answer, "POST");
  meanwhile([&] {
    service_.put("Things", {"p", "r"}, {{"N", Value::int32(1)}, {"S", Value::string("more")}});
  });
  expect_unknown(kInsert);
  service_.remove("Things", {"p", "r"});
  lose(Action::reset_before_answer, "POST");
  meanwhile([&] { service_.put("Things", {"p", "r"}, {{"N", Value::int64(1)}}); });
  expect_unknown(kInsert);
}

// On a connection that was kept alive it looks as if the connection had been dead before.
TEST_F(RemoteLostWrite, InsertOnAKeptConnectionIsNotSentTwice) {
  const auto keep_alive = [&] {
    service_.set_hook(nullptr);
    service_.clear_faults();
    service_.remove("Things", {"p", "r"});
    db_.rows("SELECT N FROM t");
    service_.add_fault({.action = Action::lost_answer, .method = "POST"});
    service_.forget_requests();
  };
  keep_alive();
  db_.run(kInsert);
  EXPECT_EQ(methods(), "POST GET");
  EXPECT_EQ(stored("r"), "1");

  keep_alive();
  meanwhile([&] { put("r", 7); });
  expect_unknown(kInsert);
  EXPECT_EQ(stored("r"), "7");

  // Somebody works off what we write: it must not be there again.
  keep_alive();
  meanwhile([&] { service_.remove("Things", {"p", "r"}); });
  expect_unknown(kInsert);
  EXPECT_EQ(methods(), "POST GET");
  EXPECT_EQ(stored("r"), "-");

  keep_alive();
  db_.run(kInsertTwo);
  EXPECT_EQ(stored("r") + stored("s"), "12");
}

// What carries an ETag may go out again at once: the refusal of the second attempt is about the first.
TEST_F(RemoteLostWrite, RefusalOfASecondAttempt) {
  const auto keep_alive = [&](const std::string& method) {
    service_.set_hook(nullptr);
    service_.clear_faults();
    put("r", 1);
    db_.rows("SELECT N FROM t");
    service_.add_fault({.action = Action::lost_answer, .method = method});
    service_.forget_requests();
  };
  keep_alive("MERGE");
  db_.run("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
  EXPECT_EQ(methods(), "GET MERGE MERGE GET");
  EXPECT_EQ(stored("r"), "2");

  keep_alive("DELETE");
  db_.run("DELETE FROM t WHERE RowKey = 'r'");
  EXPECT_EQ(methods(), "GET DELETE DELETE GET");
  EXPECT_EQ(stored("r"), "-");

  keep_alive("MERGE");
  meanwhile([&] { put("r", 7); });
  expect_unknown("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
  EXPECT_EQ(stored("r"), "7");
}

// Every kind of write, applied or not, on a new connection and on a kept one: done once, or said to be open.
TEST_F(RemoteLostWrite, EveryKindIsDoneOnce) {
  map("merging", ", upsert 'merge'");
  struct Case {
    std::string sql, after;
    bool open_if_not_applied = false;
  };
  // Before each: r and s with N = 1, S = 'x'; n and o are not there.
  const std::vector<Case> cases{
      {"INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'n', 2)", "r1x s1x n2- o--", true},
      {"INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'n', 2), ('p', 'o', 2)", "r1x s1x n2- o2-"},
      {"REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 2)", "r2- s1x n-- o--"},
      {"REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 2), ('p', 'n', 2)", "r2- s1x n2- o--"},
      {"REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'r', 2)", "r2x s1x n-- o--"},
      {"REPLACE INTO merging (PartitionKey, RowKey, N) VALUES ('p', 'r', 2), ('p', 'n', 2)",
       "r2x s1x n2- o--"},
      {"UPDATE t SET N = N + 1 WHERE RowKey = 'r'", "r2x s1x n-- o--"},
      {"UPDATE t SET N = N + 1", "r2x s2x n-- o--"},
      {"UPDATE t SET N = N + 1, S = NULL WHERE RowKey = 'r'", "r2- s1x n-- o--"},
      {"UPDATE t SET N = N + 1, S = NULL", "r2- s2- n-- o--"},
      {"DELETE FROM t WHERE RowKey = 'r'", "r-- s1x n-- o--"},
      {"DELETE FROM t", "r-- s-- n-- o--"},
      {"UPDATE t SET RowKey = 'n' WHERE RowKey = 'r'", "r-- s1x n1x o--"}};
  const std::string before = "r1x s1x n-- o--";
  const auto state = [&] {
    std::string text;
    for (const char* row : {"r", "s", "n", "o"})
      text += (text.empty() ? "" : " ") + std::string(row) + stored(row) + stored(row, "S");
    return text;
  };
  for (const Action action : {Action::lost_answer, Action::reset_before_answer}) {
    for (const bool kept : {false, true}) {
      for (const Case& c : cases) {
        service_.clear_faults();
        service_.remove("Things", {"p", "n"});
        service_.remove("Things", {"p", "o"});
        for (const char* row : {"r", "s"})
          service_.put("Things", {"p", row}, {{"N", Value::int32(1)}, {"S", Value::string("x")}});
        ASSERT_EQ(state(), before);
        // UPDATE and DELETE read before they write, which makes a kept connection of any.
        if (kept) {
          db_.rows("SELECT N FROM t");
        } else {
          service_.close_idle_connections();
        }
        for (const char* method : {"POST", "PUT", "MERGE", "DELETE"})
          service_.add_fault({.action = action, .method = method});
        const int rc = sqlite3_exec(db_.handle(), c.sql.c_str(), nullptr, nullptr, nullptr);
        const std::string label = c.sql + (kept ? ", kept" : ", new") +
                                  (action == Action::lost_answer ? ", applied: " : ", not applied: ") +
                                  sqlite3_errmsg(db_.handle());
        const bool open = c.open_if_not_applied && action == Action::reset_before_answer;
        EXPECT_EQ(rc == SQLITE_OK, !open) << label;
        EXPECT_EQ(state(), open ? before : c.after) << label;
        if (rc != SQLITE_OK) {
          EXPECT_TRUE(holds(sqlite3_errmsg(db_.handle()), "is unknown (PartitionKey 'p', RowKey 'n')"))
              << label;
        }
      }
    }
  }
}

TEST_F(RemoteLostWrite, GroupThatWasAppliedIsRecognised) {
  for (const Action action : {Action::lost_answer, Action::reset_in_body, Action::cut_body,
                              Action::corrupt_json, Action::failed_answer}) {
    lose(action, "POST");
    db_.run(kInsertTwo);
    EXPECT_EQ(sent("POST").size(), 1U);
    EXPECT_EQ(stored("r") + stored("s"), "12");
    service_.remove("Things", {"p", "r"});
    service_.remove("Things", {"p", "s"});
  }
  // One entity of it is enough.
  lose(Action::lost_answer, "POST");
  meanwhile([&] { put("r", 7); });
  db_.run(kInsertTwo);
  service_.set_hook(nullptr);
  EXPECT_EQ(stored("r") + stored("s"), "72");
}

TEST_F(RemoteLostWrite, GroupThatWasNotAppliedIsSentAgain) {
  lose(Action::reset_before_answer, "POST");
  db_.run(kInsertTwo);
  EXPECT_EQ(sent("POST").size(), 2U);
  EXPECT_EQ(stored("r") + stored("s"), "12");
}

TEST_F(RemoteLostWrite, GroupWhereSomebodyElseWrote) {
  lose(Action::reset_before_answer, "POST");
  meanwhile([&] { put("s", 7); });
  expect_unknown(kInsertTwo, "PartitionKey 'p', RowKeys 'r', 's')");
  EXPECT_EQ(stored("r") + stored("s"), "-7");
}

TEST_F(RemoteLostWrite, UpdateIsDoneOnce) {
  put("r", 1);
  int n = 1;
  for (const Action action :
       {Action::lost_answer, Action::failed_answer, Action::reset_before_answer, Action::answer}) {
    lose(action, "MERGE");
    db_.run("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r"), std::to_string(++n));
  }
}

TEST_F(RemoteLostWrite, UpdateWhereSomebodyElseWrote) {
  put("r", 1);
  for (const Action action : {Action::lost_answer, Action::reset_before_answer}) {
    lose(action, "MERGE");
    meanwhile([&] { put("r", 50); });
    expect_unknown("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r"), "50");
    // Another property is enough: what the write made of the entity is known whole.
    lose(action, "MERGE");
    meanwhile([&] {
      service_.put("Things", {"p", "r"}, {{"N", Value::int32(51)}, {"S", Value::string("theirs")}});
    });
    expect_unknown("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r", "S"), "theirs");
    service_.remove("Things", {"p", "r"});
    put("r", 1);
  }
  lose(Action::reset_before_answer, "MERGE");
  meanwhile([&] { service_.remove("Things", {"p", "r"}); });
  expect_unknown("UPDATE t SET N = N + 1 WHERE RowKey = 'r'");
}

TEST_F(RemoteLostWrite, ReplaceIsDoneOnce) {
  for (const Action action : {Action::lost_answer, Action::reset_before_answer}) {
    service_.put("Things", {"p", "r"},
                 {{"N", Value::int32(1)}, {"S", Value::string("goes")}, {"Unknown", Value::int32(3)}});
    lose(action, "PUT");
    db_.run("UPDATE t SET S = NULL, N = N + 1 WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r") + stored("r", "S") + stored("r", "Unknown"), "2-3");
  }
}

TEST_F(RemoteLostWrite, DeleteIsDone) {
  for (const Action action :
       {Action::lost_answer, Action::failed_answer, Action::reset_before_answer, Action::answer}) {
    put("r", 1);
    lose(action, "DELETE");
    db_.run("DELETE FROM t WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r"), "-");
  }
  put("r", 1);
  for (const Action action : {Action::lost_answer, Action::reset_before_answer}) {
    lose(action, "DELETE");
    meanwhile([&] { put("r", 2); });
    expect_unknown("DELETE FROM t WHERE RowKey = 'r'");
    EXPECT_EQ(stored("r"), "2");
  }
}

TEST_F(RemoteLostWrite, MixedGroup) {
  const std::string sql =
      "BEGIN; INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'i', 1); "
      "UPDATE t SET N = N + 1 WHERE RowKey = 'u'; DELETE FROM t WHERE RowKey = 'd'; COMMIT";
  for (const Action action : {Action::lost_answer, Action::reset_before_answer}) {
    put("u", 1);
    put("d", 1);
    service_.remove("Things", {"p", "i"});
    db_.rows("SELECT N FROM t");
    lose(action, "POST");
    db_.run(sql);
    EXPECT_EQ(stored("i") + stored("u") + stored("d"), "12-");
  }
}

TEST_F(RemoteLostWrite, UnconditionalWriteThatWasAppliedEachTime) {
  map("once", ", max_retries '0'");
  lose(Action::lost_answer, "PUT", 0);
  db_.run("INSERT OR REPLACE INTO once (PartitionKey, RowKey, N) VALUES ('p', 'r', 5)");
  EXPECT_EQ(stored("r"), "5");
  EXPECT_EQ(sent("PUT").size(), 1U);
}

TEST_F(RemoteLostWrite, UnknownWhereTheEntityCannotBeRead) {
  lose(Action::lost_answer, "POST");
  service_.add_fault({.method = "GET", .times = 0, .status = 403, .code = "AuthorizationFailure"});
  expect_unknown(kInsert);
  EXPECT_EQ(stored("r"), "1");
}

// The keys of a group are told as far as a person would read them.
TEST_F(RemoteLostWrite, UnknownKeysOfALargeGroup) {
  lose(Action::lost_answer, "POST");
  service_.add_fault({.method = "GET", .times = 0, .status = 403, .code = "AuthorizationFailure"});
  const std::string message = db_.error(
      "WITH RECURSIVE i(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM i WHERE n < 29) INSERT INTO t "
      "(PartitionKey, RowKey, N) SELECT 'p', printf('%.*c', 400, 'x') || n, n FROM i");
  EXPECT_TRUE(holds(message, "was applied is unknown (PartitionKey 'p', RowKeys 'xxx")) << message;
  const std::string x(400, 'x');
  EXPECT_TRUE(holds(message, "'" + x + "10', '" + x + "11'")) << message;
  EXPECT_TRUE(holds(message, "'" + x + "19' and 10 more up to '" + x + "29')")) << message;
  EXPECT_EQ(service_.size("Things"), 20U);
}

TEST_F(RemoteLostWrite, OtherGroupsAreToldApart) {
  lose(Action::answer, "POST");
  service_.clear_faults();
  service_.add_fault({.action = Action::answer, .method = "POST", .times = 0, .status = 500});
  map("one", ", concurrency '1'");
  int code = 0;
  const std::string message = db_.error(
      "INSERT INTO one (PartitionKey, RowKey, N) VALUES ('a', 'r', 2), ('b', 'r', 2), ('c', 'r', 2)", &code);
  EXPECT_TRUE(holds(message,
                    "whether 1 group (partition 'a') was applied is unknown (PartitionKey 'a', RowKey "
                    "'r'); 2 groups (partition 'b', 'c') not sent"))
      << message;
  EXPECT_EQ(code & 0xff, SQLITE_IOERR);
}

TEST_F(RemoteLostWrite, TablesMadeAndDropped) {
  const auto call = [&](const std::string& function) {
    return "SELECT " + function + "('" + service_.endpoint() + "', 'Fresh')";
  };
  // Whether it was there before nobody can tell any more.
  lose(Action::lost_answer, "POST");
  const std::string message = db_.error(call("ts_create_table"));
  EXPECT_TRUE(holds(message, "whether this call made it is unknown")) << message;
  EXPECT_TRUE(holds(message, "TableAlreadyExists")) << message;
  EXPECT_EQ(service_.table_names().size(), 2U);
  // It is gone, as was asked.
  lose(Action::lost_answer, "DELETE");
  EXPECT_EQ(db_.value(call("ts_drop_table")), "Fresh");
  EXPECT_EQ(service_.table_names().size(), 1U);
  for (const Action action : {Action::reset_before_answer, Action::answer}) {
    lose(action, "POST");
    EXPECT_EQ(db_.value(call("ts_create_table")), "Fresh");
    lose(action, "DELETE");
    EXPECT_EQ(db_.value(call("ts_drop_table")), "Fresh");
  }
  service_.clear_faults();
  EXPECT_TRUE(holds(db_.error(call("ts_drop_table")), "404"));
}

// A clock of the service that tells another time must not make an entity look older than the write.
TEST_F(RemoteLostWrite, DateThatIsWrong) {
  for (const int minutes : {-10, 10}) {
    service_.configure(
        [&](fake::Settings& settings) { settings.clock_offset = std::chrono::minutes(minutes); });
    lose(Action::lost_answer, "POST");
    const int rc = sqlite3_exec(db_.handle(), kInsert, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) {
      EXPECT_TRUE(holds(sqlite3_errmsg(db_.handle()), "unknown")) << sqlite3_errmsg(db_.handle());
    }
    EXPECT_EQ(sent("POST").size(), 1U);
    EXPECT_EQ(stored("r"), "1");
    service_.remove("Things", {"p", "r"});
  }
}

}  // namespace
}  // namespace table_storage::test
