// SQL over a service that fails: reads give the same rows or an error, writes never happen twice, errors say
// what is known and hold no secret.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class RemoteFault : public RemoteTest {
 protected:
  RemoteFault() { map(); }

  void fill() {
    service_.configure([](fake::Settings& settings) { settings.paging.page_size = 4; });
    for (int i = 0; i < 10; ++i) put("r" + std::to_string(i), i);
  }
  std::string shown() { return db_.value("SELECT count(*), sum(N), group_concat(RowKey, '') FROM t"); }

  static constexpr const char* kAll = "10|45|r0r1r2r3r4r5r6r7r8r9";
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(RemoteFault, BusyServiceIsAskedAgain) {
  fill();
  for (const std::size_t nth : {1U, 2U, 3U}) {
    service_.clear_faults();
    service_.add_fault({.nth = nth, .times = 2, .headers = {{"Retry-After", "0"}}});
    EXPECT_EQ(shown(), kAll);
  }
  EXPECT_GE(service_.faults_struck(), 6U);
}

TEST_F(RemoteFault, BusyForEverIsAnError) {
  fill();
  service_.add_fault({.times = 0, .headers = {{"Retry-After", "0"}}});
  service_.forget_requests();
  const std::string message = db_.error("SELECT * FROM t");
  EXPECT_TRUE(holds(message, "ServerBusy")) << message;
  EXPECT_TRUE(holds(message, "503")) << message;
  EXPECT_EQ(service_.request_count(), 4U);
  service_.clear_faults();
  EXPECT_EQ(shown(), kAll);
}

TEST_F(RemoteFault, ResetBeforeTheAnswerOfARead) {
  fill();
  EXPECT_EQ(shown(), kAll);  // so that there are connections to reuse
  service_.add_fault({.action = Fault::Action::reset_before_answer, .nth = 2});
  EXPECT_EQ(shown(), kAll);
  EXPECT_EQ(service_.faults_struck(), 1U);
}

TEST_F(RemoteFault, ResetInThePageOfARead) {
  fill();
  service_.add_fault({.action = Fault::Action::reset_in_body, .nth = 2});
  EXPECT_EQ(shown(), kAll);
  EXPECT_EQ(service_.faults_struck(), 1U);
}

TEST_F(RemoteFault, PageCutShort) {
  fill();
  service_.add_fault({.action = Fault::Action::cut_body, .nth = 3});
  EXPECT_EQ(shown(), kAll);
  EXPECT_EQ(service_.faults_struck(), 1U);
}

TEST_F(RemoteFault, PageThatIsNoJsonIsAskedForAgain) {
  fill();
  for (const std::size_t nth : {1U, 2U, 3U}) {  // in this thread and in the transport's
    service_.clear_faults();
    service_.add_fault({.action = Fault::Action::corrupt_json, .nth = nth});
    EXPECT_EQ(shown(), kAll);
  }
  EXPECT_EQ(service_.faults_struck(), 3U);
  service_.clear_faults();
  service_.add_fault({.action = Fault::Action::corrupt_json});
  EXPECT_EQ(db_.value("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r7'"), "7");
}

TEST_F(RemoteFault, PageThatIsNeverJson) {
  fill();
  map("impatient", ", max_retries '1'");
  service_.add_fault({.action = Fault::Action::corrupt_json, .nth = 2, .times = 0});
  service_.forget_requests();
  const std::string message = db_.error("SELECT * FROM impatient");
  EXPECT_TRUE(holds(message, "Things")) << message;
  EXPECT_TRUE(holds(message, "damaged")) << message;
  EXPECT_TRUE(holds(message, "2 attempts")) << message;
  EXPECT_EQ(service_.request_count(), 3U);
}

TEST_F(RemoteFault, UnconditionalWriteIsRepeated) {
  db_.rows("SELECT N FROM t");
  service_.add_fault({.action = Fault::Action::lost_answer, .method = "PUT"});
  db_.run("INSERT OR REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)");
  EXPECT_EQ(stored("r"), "1");
}

TEST_F(RemoteFault, BusyServiceTakesAWriteLater) {
  service_.add_fault({.method = "POST", .times = 2, .headers = {{"Retry-After", "0"}}});
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)");
  EXPECT_EQ(stored("r"), "1");
}

TEST_F(RemoteFault, ServerErrorLeavesAWriteOpen) {
  service_.add_fault({.method = "POST", .times = 0, .status = 500, .code = "InternalError"});
  service_.forget_requests();
  const std::string message = db_.error("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)");
  EXPECT_TRUE(holds(message, "InternalError")) << message;
  EXPECT_TRUE(holds(message, "unknown")) << message;
  EXPECT_EQ(sent("POST").size(), 1U);
}

TEST_F(RemoteFault, InterruptOfACommit) {
  service_.add_fault({.action = Fault::Action::hang, .method = "POST"});
  const auto began = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sqlite3_interrupt(db_.handle());
  });
  int code = 0;
  const std::string message =
      db_.error("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)", &code);
  other.join();
  EXPECT_EQ(code & 0xff, SQLITE_INTERRUPT);
  EXPECT_TRUE(holds(message, "unknown")) << message;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
  EXPECT_EQ(db_.rows("SELECT N FROM t"), Rows{});
}

TEST_F(RemoteFault, InterruptOfThePauseBetweenAttempts) {
  service_.add_fault({.times = 0, .headers = {{"Retry-After", "30"}}});
  const auto began = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sqlite3_interrupt(db_.handle());
  });
  int code = 0;
  db_.error("SELECT * FROM t", &code);
  other.join();
  EXPECT_EQ(code & 0xff, SQLITE_INTERRUPT);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
}

TEST_F(RemoteFault, ClockThatIsOff) {
  fill();
  service_.configure([](fake::Settings& settings) { settings.clock_offset = std::chrono::minutes(20); });
  const std::string message = db_.error("SELECT * FROM t");
  EXPECT_TRUE(holds(message, "20 minutes behind")) << message;
  EXPECT_TRUE(holds(message, "AuthenticationFailed")) << message;
}

TEST_F(RemoteFault, RedirectIsNotFollowed) {
  fake::FakeService elsewhere;
  elsewhere.create_table("Things");
  service_.add_fault({.times = 0,
                      .status = 307,
                      .code = "Moved",
                      .headers = {{"Location", elsewhere.endpoint() + "/Things()"}}});
  const std::string message = db_.error("SELECT * FROM t");
  EXPECT_TRUE(holds(message, "307")) << message;
  EXPECT_EQ(elsewhere.request_count(), 0U);
}

TEST_F(RemoteFault, HtmlInPlaceOfAnAnswer) {
  service_.add_fault({.action = Fault::Action::html_error, .times = 0, .status = 400});
  EXPECT_TRUE(holds(db_.error("SELECT * FROM t"), "400"));
}

TEST_F(RemoteFault, NobodyListens) {
  std::string endpoint;
  {
    const fake::FakeService gone;
    endpoint = gone.endpoint();
  }
  db_.run(
      "CREATE VIRTUAL TABLE nobody USING table_storage(N INT32, OPTIONS (table 'Things', max_retries '0', "
      "endpoint '" +
      endpoint + "'))");
  const std::string message = db_.error("SELECT * FROM nobody");
  EXPECT_TRUE(holds(message, "no connection")) << message;
  // What never left is not unknown.
  const std::string write = db_.error("INSERT INTO nobody (PartitionKey, RowKey) VALUES ('p', 'r')");
  EXPECT_TRUE(holds(write, "nothing was applied")) << write;
  EXPECT_FALSE(holds(write, "unknown")) << write;
}

// --- statement_timeout ---

TEST_F(RemoteFault, AStatementHasATimeLimit) {
  put("r", 1);
  map("limited", ", statement_timeout '1', max_retries '20', page_size '1'");
  EXPECT_EQ(db_.value("SELECT N FROM limited"), "1");
  // One that never answers, and one that always wants to be asked later.
  for (const Fault& fault : {Fault{.action = Fault::Action::hang, .times = 0},
                             Fault{.times = 0, .headers = {{"Retry-After", "1"}}}}) {
    service_.clear_faults();
    service_.add_fault(fault);
    const std::string message = db_.error("SELECT N FROM limited");
    EXPECT_TRUE(holds(message, "reading table Things") && holds(message, "statement_timeout")) << message;
  }
  // Many requests, each of them quick enough.
  service_.clear_faults();
  for (int i = 0; i < 40; ++i) put("r" + std::to_string(i), i);
  service_.add_fault({.action = Fault::Action::delay, .times = 0, .delay = std::chrono::milliseconds(100)});
  const std::string message = db_.error("SELECT N FROM limited");
  EXPECT_TRUE(
      holds(message, "limited: the statement takes longer than the 1 s that statement_timeout allows") ||
      holds(message, "no answer came within the time that statement_timeout allows"))
      << message;
  // Time passes while the program looks at a row; what comes next is not even asked for.
  service_.clear_faults();
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.handle(), "SELECT N FROM limited", -1, &statement, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  service_.forget_requests();
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ERROR);
  EXPECT_EQ(sqlite3_errmsg(db_.handle()),
            std::string("limited: the statement takes longer than the 1 s that statement_timeout allows; "
                        "narrow it with conditions on PartitionKey and RowKey (ts_explain shows what they "
                        "save), or raise statement_timeout"));
  EXPECT_EQ(service_.request_count(), 0U);
  sqlite3_finalize(statement);
  // A statement of its own begins anew, and a COMMIT is not cut off.
  service_.clear_faults();
  service_.add_fault({.action = Fault::Action::delay,
                      .method = "POST",
                      .times = 0,
                      .delay = std::chrono::milliseconds(1200)});
  db_.run("INSERT INTO limited (PartitionKey, RowKey, N) VALUES ('q', 'r', 1)");
  EXPECT_EQ(stored("r", "N", "q"), "1");
}

constexpr const char* kKey = "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldCE=";
constexpr const char* kOtherKey = "bm90IHRoZSBrZXkgbm90IHRoZSBrZXkgbm90IHRoZSBrZXk=";

class RemoteSecret : public RemoteTest {
 protected:
  RemoteSecret() : RemoteTest(own_key()) {}

  static fake::FakeOptions own_key() {
    fake::FakeOptions options;
    options.settings.account = "acct";
    options.settings.key = kKey;
    return options;
  }
  void map_by_connection_string(const std::string& name, const std::string& text) {
    setenv("TS_REMOTE_TEST", text.c_str(), 1);
    db_.run("CREATE VIRTUAL TABLE " + name +
            " USING table_storage(N INT32, OPTIONS (table 'Things', connection_string 'env:TS_REMOTE_TEST', "
            "dialect 'storage', max_retries '0'))");
  }
  static void expect_no_secret(const std::string& message) {
    for (const char* secret : {kKey, kOtherKey, "SharedKey", "c2lnbmF0dXJl"}) {
      EXPECT_FALSE(holds(message, secret)) << message;
    }
  }
};

TEST_F(RemoteSecret, ConnectionStringOfTheEnvironment) {
  map_by_connection_string("t", service_.connection_string());
  db_.run("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r', 1)");
  EXPECT_EQ(db_.value("SELECT N FROM t"), "1");
  EXPECT_FALSE(holds(db_.value("SELECT sql FROM sqlite_master"), kKey));
}

TEST_F(RemoteSecret, NoErrorHoldsAKey) {
  std::string text = service_.connection_string();
  text.replace(text.find(kKey), std::string(kKey).size(), kOtherKey);
  map_by_connection_string("wrong", text);
  const std::string message = db_.error("SELECT * FROM wrong");
  EXPECT_TRUE(holds(message, "403")) << message;
  expect_no_secret(message);

  map_by_connection_string("t", service_.connection_string());
  using Action = Fault::Action;
  for (const Action action : {Action::answer, Action::html_error, Action::empty_body,
                              Action::close_before_answer, Action::corrupt_json, Action::cut_body}) {
    service_.clear_faults();
    service_.add_fault({.action = action, .times = 0, .status = 400});
    db_.rows("SELECT 1");
    expect_no_secret(db_.error("SELECT * FROM t"));
  }
}

TEST_F(RemoteSecret, NoErrorHoldsASas) {
  map_by_connection_string("t", "TableEndpoint=" + service_.endpoint() +
                                    ";SharedAccessSignature=sv=2019-02-02&tn=things&sp=r&sig=c2lnbmF0dXJl");
  const std::string message = db_.error("SELECT * FROM t");
  EXPECT_TRUE(holds(message, "403")) << message;
  expect_no_secret(message);
  // A service that repeats the address in its answer.
  service_.add_fault({.times = 0,
                      .status = 400,
                      .body = R"({"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":)"
                              R"("no: /Things()?sv=2019-02-02&sig=c2lnbmF0dXJl"}}})"});
  expect_no_secret(db_.error("SELECT * FROM t"));
  service_.clear_faults();
  service_.add_fault({.action = Fault::Action::close_before_answer, .times = 0});
  expect_no_secret(db_.error("SELECT * FROM t"));
}

}  // namespace
}  // namespace table_storage::test
