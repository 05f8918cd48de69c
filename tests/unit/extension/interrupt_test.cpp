// sqlite3_interrupt() while the service is slow, stuck, busy or silent: the call returns soon, the error says
// what was asked and whether anything was sent, and the connection is as good as before.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

using Action = Fault::Action;
using Clock = std::chrono::steady_clock;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Interrupt : public RemoteTest {
 protected:
  Interrupt() {
    map();
    service_.configure([](fake::Settings& settings) { settings.paging.page_size = 5; });
    for (int i = 0; i < 20; ++i) put("r" + std::to_string(i), i);
    setenv("TS_INTERRUPT_TEST", service_.connection_string().c_str(), 1);
    db_.run(
        "SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (connection_string "
        "\"env:TS_INTERRUPT_TEST\", dialect \"storage\")')");
  }

  /// The message of a statement that is interrupted when a fault has struck. Without the interrupt it would
  /// go on for half a minute or more.
  std::string interrupted(const std::string& sql, const Fault& fault) {
    service_.clear_faults();
    const std::size_t before = service_.faults_struck();
    service_.add_fault(fault);
    Clock::time_point asked;
    std::thread other([&] {
      const auto give_up = Clock::now() + std::chrono::seconds(20);
      while (service_.faults_struck() == before && Clock::now() < give_up)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      asked = Clock::now();
      sqlite3_interrupt(db_.handle());
    });
    int code = 0;
    std::string message = db_.error(sql, &code);
    const auto ended = Clock::now();
    other.join();
    EXPECT_EQ(code & 0xff, SQLITE_INTERRUPT) << message;
    EXPECT_LT(ended - asked, std::chrono::seconds(5)) << sql;
    EXPECT_GT(service_.faults_struck(), before) << sql;
    EXPECT_NE(sqlite3_get_autocommit(db_.handle()), 0) << "a transaction is open after " << sql;
    service_.clear_faults();
    return message;
  }

  std::string count() { return db_.value("SELECT count(*) FROM t"); }

  static Fault stuck(const std::string& method = {}, std::size_t nth = 1) {
    return {.action = Action::hang, .method = method, .nth = nth};
  }
  static Fault busy(const std::string& method = {}) {
    return {.method = method, .times = 0, .headers = {{"Retry-After", "30"}}};
  }
};

TEST_F(Interrupt, OfAScan) {
  for (const std::size_t nth : {1U, 2U, 4U}) {
    const std::string message = interrupted("SELECT sum(N) FROM t", stuck("GET", nth));
    EXPECT_TRUE(holds(message, "Things")) << message;
    EXPECT_EQ(count(), "20");
  }
}

TEST_F(Interrupt, OfAPageThatTrickles) {
  const std::string message = interrupted(
      "SELECT sum(N) FROM t", {.action = Action::slow_body, .method = "GET", .nth = 2, .bytes = 1});
  EXPECT_TRUE(holds(message, "Things")) << message;
  EXPECT_EQ(count(), "20");
}

TEST_F(Interrupt, OfAPointRead) {
  interrupted("SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r1'", stuck("GET"));
  EXPECT_EQ(count(), "20");
}

TEST_F(Interrupt, OfAJoin) {
  interrupted("SELECT sum(a.N) FROM t a JOIN t b ON b.RowKey = a.RowKey", stuck("GET", 3));
  EXPECT_EQ(count(), "20");
}

TEST_F(Interrupt, OfAPauseBetweenAttempts) {
  interrupted("SELECT sum(N) FROM t", busy());
  const std::string message =
      interrupted("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'new', 1)", busy("POST"));
  // Busy says that nothing was done.
  EXPECT_TRUE(holds(message, "nothing was applied")) << message;
  EXPECT_EQ(stored("new"), "-");
  // The same inside an answer that is a success by itself.
  Fault inside{.method = "POST", .times = 0, .status = 202};
  inside.headers = {{"Content-Type", "multipart/mixed; boundary=b"}};
  inside.body =
      "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n"
      "HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\n\r\n"
      R"({"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"0:busy"}}})"
      "\r\n--c--\r\n--b--\r\n";
  const std::string group = interrupted(
      "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'new', 1), ('p', 'newer', 2)", inside);
  EXPECT_TRUE(holds(group, "nothing was applied")) << group;
  EXPECT_TRUE(holds(group, "interrupted")) << group;
  EXPECT_EQ(stored("new") + stored("newer"), "--");
}

TEST_F(Interrupt, OfACommit) {
  const std::string one =
      interrupted("INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'new', 1)", stuck("POST"));
  EXPECT_TRUE(holds(one, "unknown (PartitionKey 'p', RowKey 'new')")) << one;

  map("slow", ", concurrency '1'");
  const std::string several = interrupted(
      "INSERT INTO slow (PartitionKey, RowKey, N) VALUES ('a', 'x', 1), ('b', 'x', 2), ('c', 'x', 3)",
      stuck("POST", 2));
  EXPECT_TRUE(holds(several, "1 group (partition 'a') applied, and that stays")) << several;
  EXPECT_TRUE(holds(several, "1 group (partition 'b') was applied is unknown")) << several;
  EXPECT_TRUE(holds(several, "1 group (partition 'c') not sent")) << several;
  EXPECT_EQ(stored("x", "N", "a") + stored("x", "N", "b") + stored("x", "N", "c"), "1--");
  EXPECT_EQ(count(), "21");
}

TEST_F(Interrupt, OfAnUpdateThatReads) {
  interrupted("UPDATE t SET N = N + 1", stuck("GET", 2));
  EXPECT_EQ(db_.value("SELECT sum(N) FROM t"), "190");
}

TEST_F(Interrupt, OfListingAndMakingTables) {
  interrupted("SELECT * FROM ts_tables('s')", stuck("GET"));
  for (const auto& [sql, method] : {std::pair("SELECT ts_create_table('s', 'Others')", "POST"),
                                    std::pair("SELECT ts_drop_table('s', 'Things')", "DELETE")}) {
    const std::string open = interrupted(sql, stuck(method));
    EXPECT_TRUE(holds(open, "whether the service did it is unknown")) << open;
    const std::string nothing = interrupted(sql, busy(method));
    EXPECT_FALSE(holds(nothing, "unknown")) << nothing;
  }
  EXPECT_EQ(count(), "20");
  EXPECT_EQ(db_.value("SELECT group_concat(name) FROM ts_tables('s')"), "Things");
}

// What the text did before is undone, and no transaction is left that nobody began.
TEST_F(Interrupt, OfAnImport) {
  const std::string import = "IMPORT FOREIGN SCHEMA tables FROM SERVER s INTO main";
  const std::string servers = "SELECT group_concat(name) FROM ts_servers";
  const std::string before = db_.value(servers);
  const std::string message = interrupted("SELECT fdw('" + import + "')", stuck("GET", 2));
  EXPECT_TRUE(holds(message, "Things")) << message;
  interrupted(
      "SELECT fdw('CREATE SERVER more FOREIGN DATA WRAPPER table_storage; CREATE FOREIGN TABLE "
      "made () SERVER s; " +
          import + "')",
      stuck("GET", 2));
  EXPECT_EQ(db_.value(servers), before);
  EXPECT_EQ(db_.value("SELECT count(*) FROM sqlite_schema WHERE name = 'made'"), "0");

  // In a transaction that somebody began: all of it goes, as with an interrupted UPDATE.
  db_.run("CREATE TABLE plain (n); BEGIN; INSERT INTO plain VALUES (1)");
  interrupted("SELECT fdw('ALTER SERVER s OPTIONS (ADD page_size \"7\"); " + import + "')", stuck("GET", 2));
  EXPECT_EQ(db_.value("SELECT count(*) FROM plain"), "0");
  EXPECT_EQ(db_.value(servers), before);
  EXPECT_EQ(db_.value("SELECT fdw('" + import + "')"), "IMPORT FOREIGN SCHEMA");
  EXPECT_EQ(db_.value("SELECT count(*) FROM Things"), "20");
}

}  // namespace
}  // namespace table_storage::test
