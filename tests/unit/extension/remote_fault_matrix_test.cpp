// Every operation of the remote backend × every fault of the fake × the first, the middle and the last
// request × once and for ever. The answer is the one without the fault, or an error after which the service
// holds what its words say: nothing of the operation, exactly the groups that are named as applied, or
// "unknown", which is said only of a write whose answer was lost or damaged.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/chaos/claims.h"
#include "tests/service/fake_service.h"
#include "tests/unit/extension/database.h"

namespace table_storage::test {
namespace {

using Action = fake::Fault::Action;
using Rows = std::vector<std::string>;

struct Operation {
  const char* name;
  const char* sql;
  const char* names = "Things";  // what its errors name
  bool makes = false;            // or drops a table
  /// Not to be sent again when its answer was lost, since it could then be done twice.
  bool once_only = false;
};

constexpr Operation kOperations[] = {
    {"Scan", "SELECT RowKey, N FROM t"},
    {"PointRead", "SELECT N FROM t WHERE PartitionKey = 'p' AND RowKey = 'r3'"},
    {"KeyList", "SELECT RowKey, N FROM t WHERE PartitionKey = 'p' AND RowKey IN ('r0', 'r4', 'r8', 'none')"},
    {"Join", "SELECT count(*), sum(a.N * b.N) FROM t a JOIN t b USING (PartitionKey, RowKey)"},
    {"ListTables", "SELECT name FROM ts_tables('s')", "listing the tables of server s"},
    {"Insert", "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'new', 1)", "Things", false, true},
    {"InsertOrIgnore", "INSERT OR IGNORE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'new', 1)", "Things",
     false, true},
    {"Upsert", "INSERT OR REPLACE INTO t (PartitionKey, RowKey, N) VALUES ('p', 'r1', 70)"},
    {"Merge", "UPDATE t SET N = N + 100 WHERE PartitionKey = 'p' AND RowKey = 'r1'"},
    {"Replace", "UPDATE t SET N = N + 100, S = NULL WHERE PartitionKey = 'p' AND RowKey = 'r2'"},
    {"Delete", "DELETE FROM t WHERE PartitionKey = 'p' AND RowKey = 'r1'"},
    {"Batch", "UPDATE t SET N = N + 100 WHERE PartitionKey = 'p'"},
    {"BatchOfInserts", "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('p', 'x', 1), ('p', 'y', 2)"},
    {"ThreeGroups",
     "INSERT INTO t (PartitionKey, RowKey, N) VALUES ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3), "
     "('b', 'y', 4), ('c', 'x', 5), ('c', 'y', 6)"},
    {"CreateTable", "SELECT ts_create_table('s', 'Made')", "creating table Made", true, true},
    {"DropTable", "SELECT ts_drop_table('s', 'Gone')", "dropping table Gone", true, true},
};

enum class Kind : unsigned char {
  harmless,  // only late
  busy,      // says that nothing was done; may be repeated
  open,      // does not say whether it was done
  refusal    // says no
};

struct Wrong {
  const char* name;
  Kind kind;
  fake::Fault fault;
};

fake::Fault fault_of(Action action, int status = 503, const char* code = "ServerBusy") {
  fake::Fault fault;
  fault.action = action;
  fault.status = status;
  fault.code = code;
  fault.headers = {{"Retry-After", "0"}};
  return fault;
}

fake::Fault slow(Action action) {
  fake::Fault fault = fault_of(action);
  fault.delay = std::chrono::milliseconds(action == Action::delay ? 30 : 0);
  fault.bytes = 300;
  return fault;
}

const std::vector<Wrong>& faults() {
  static const std::vector<Wrong> kFaults{
      {"Busy503", Kind::busy, fault_of(Action::answer)},
      {"Busy429", Kind::busy, fault_of(Action::answer, 429, "TooManyRequests")},
      {"Error500", Kind::open, fault_of(Action::answer, 500, "InternalError")},
      {"Error502", Kind::open, fault_of(Action::html_error, 502)},
      {"Error504", Kind::open, fault_of(Action::empty_body, 504)},
      {"Html400", Kind::refusal, fault_of(Action::html_error, 400)},
      {"Empty403", Kind::refusal, fault_of(Action::empty_body, 403)},
      {"Failed500", Kind::open, fault_of(Action::failed_answer, 500, "InternalError")},
      {"ResetBeforeReading", Kind::open, fault_of(Action::reset_before_reading)},
      {"ResetBeforeAnswer", Kind::open, fault_of(Action::reset_before_answer)},
      {"CloseBeforeAnswer", Kind::open, fault_of(Action::close_before_answer)},
      {"LostAnswer", Kind::open, fault_of(Action::lost_answer)},
      {"ResetInBody", Kind::open, fault_of(Action::reset_in_body)},
      {"CutBody", Kind::open, fault_of(Action::cut_body)},
      {"CorruptBody", Kind::open, fault_of(Action::corrupt_json)},
      {"SlowBody", Kind::harmless, slow(Action::slow_body)},
      {"Delay", Kind::harmless, slow(Action::delay)},
      {"Hang", Kind::open, fault_of(Action::hang)},
  };
  return kFaults;
}

/// A service with entities, and a connection to it.
class World {
 public:
  World() {
    service_.configure([](fake::Settings& settings) {
      settings.paging.page_size = 4;
      settings.paging.empty_every = 3;
      settings.deletion_time = std::chrono::milliseconds(0);
    });
    service_.create_table("Things");
    service_.create_table("Gone");
    for (int i = 0; i < 9; ++i) {
      service_.put("Things", {"p", "r" + std::to_string(i)},
                   {{"N", edm::Value::int32(i)}, {"S", edm::Value::string("s")}});
    }
    setenv("TS_MATRIX_TEST", service_.connection_string().c_str(), 1);
    db_.run(
        "SELECT fdw('CREATE SERVER s FOREIGN DATA WRAPPER table_storage OPTIONS (connection_string "
        "\"env:TS_MATRIX_TEST\", dialect \"storage\", concurrency \"1\", max_retries \"1\", request_timeout "
        "\"1\"); CREATE FOREIGN TABLE t (N INT32, S STRING) SERVER s OPTIONS (table \"Things\")')");
  }

  struct Outcome {
    int code = SQLITE_OK;
    Rows rows;
    std::string message;
  };
  Outcome run(const std::string& sql) {
    service_.forget_requests();
    Outcome outcome;
    sqlite3_stmt* statement = nullptr;
    int rc = sqlite3_prepare_v2(db_.handle(), sql.c_str(), -1, &statement, nullptr);
    while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
      rc = SQLITE_OK;
      std::string row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        row += (text == nullptr ? "NULL" : std::string(text)) + "|";
      }
      outcome.rows.push_back(row);
    }
    if (rc != SQLITE_DONE) {
      outcome.code = sqlite3_extended_errcode(db_.handle());
      outcome.message = sqlite3_errmsg(db_.handle());
    }
    sqlite3_finalize(statement);
    EXPECT_NE(sqlite3_get_autocommit(db_.handle()), 0);
    return outcome;
  }

  /// By partition: keys and N. By the name "": the tables.
  std::map<std::string, std::set<std::string>> held() const {
    std::map<std::string, std::set<std::string>> all;
    for (const char* partition : {"a", "b", "c", "p"}) {
      std::set<std::string>& rows = all[partition];
      for (const char* row : {"new", "x", "y", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"}) {
        const auto entity = service_.get("Things", {partition, row});
        if (!entity) continue;
        std::string text = row;
        for (const auto& [name, value] : entity->properties) {
          text += " " + name;
          if (name == "N") text += std::to_string(value.view().as_int64());
        }
        rows.insert(text);
      }
    }
    for (const std::string& name : service_.table_names()) all[""].insert(name);
    return all;
  }

  fake::FakeService service_;
  Database db_;
};

class FaultMatrix : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  void one(const Operation& operation, const Wrong& wrong, std::size_t nth, bool for_ever,
           const World::Outcome& right, const std::map<std::string, std::set<std::string>>& made) const;
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void FaultMatrix::one(const Operation& operation, const Wrong& wrong, std::size_t nth, bool for_ever,
                      const World::Outcome& right,
                      const std::map<std::string, std::set<std::string>>& made) const {
  World world;
  const auto before = world.held();
  fake::Fault fault = wrong.fault;
  fault.nth = nth;
  fault.times = for_ever ? 0 : 1;
  world.service_.close_idle_connections();
  world.service_.add_fault(fault);
  const World::Outcome outcome = world.run(operation.sql);
  EXPECT_GT(world.service_.faults_struck(), 0U) << "the fault has not struck";
  const auto is = world.held();
  EXPECT_TRUE(world.service_.violations().empty());
  if (outcome.code == SQLITE_OK) {
    EXPECT_EQ(outcome.rows, right.rows);
    EXPECT_EQ(is, made);
    EXPECT_NE(wrong.kind, Kind::refusal) << "a refusal was taken for an answer";
    return;
  }
  const std::string& message = outcome.message;
  EXPECT_TRUE(holds(message, operation.names)) << "names nothing: " << message;
  EXPECT_FALSE(holds(message, "devstoreaccount1/")) << message;
  EXPECT_NE(wrong.kind, Kind::harmless) << message;
  // One fault is got over, unless it may have been a write that must not be done twice, or a no.
  const std::vector<fake::Recorded> all = world.service_.requests();
  const bool written = std::any_of(all.begin(), all.end(), [](const fake::Recorded& request) {
    return request.fault && request.request.method != "GET";
  });
  // A "not found" that cannot be read is not taken for one.
  const bool garbled = wrong.fault.action == Action::corrupt_json && holds(message, "HTTP 404");
  if (!for_ever && wrong.kind != Kind::refusal && !garbled) {
    EXPECT_TRUE(operation.once_only && wrong.kind == Kind::open && written) << message;
  }
  const bool unknown = holds(message, "unknown");
  if (unknown) {
    EXPECT_TRUE(wrong.kind == Kind::open && written) << message;
  }
  if (operation.makes) {
    EXPECT_TRUE(is == before || (unknown && is == made)) << message;
    return;
  }
  const chaos::Claims claims(message);
  for (const auto& [partition, rows] : is) {
    if (rows == before.at(partition) && rows == made.at(partition)) continue;
    switch (claims.of("Things", partition)) {
      case chaos::Claim::applied:
        EXPECT_EQ(rows, made.at(partition)) << partition << ": " << message;
        break;
      case chaos::Claim::not_applied:
        EXPECT_EQ(rows, before.at(partition)) << partition << ": " << message;
        break;
      case chaos::Claim::in_part:
      case chaos::Claim::unnamed:
        ADD_FAILURE() << "three groups at most: " << message;
        break;
      case chaos::Claim::unknown:
        EXPECT_TRUE(rows == before.at(partition) || rows == made.at(partition)) << partition << message;
        break;
    }
  }
}

TEST_P(FaultMatrix, RightAnswerOrATrueError) {
  const Operation& operation = kOperations[std::get<0>(GetParam())];
  const Wrong& wrong = faults()[std::get<1>(GetParam())];
  World without;
  const World::Outcome right = without.run(operation.sql);
  ASSERT_EQ(right.code, SQLITE_OK) << right.message;
  const std::size_t requests = without.service_.request_count();
  ASSERT_GT(requests, 0U);
  const auto made = without.held();
  for (const std::size_t nth : std::set<std::size_t>{1, (requests + 1) / 2, requests}) {
    for (const bool for_ever : {false, true}) {
      // To wait once is enough to see that the wait ends.
      if (wrong.fault.action == Action::hang && (for_ever || nth != requests)) continue;
      SCOPED_TRACE("request " + std::to_string(nth) + " of " + std::to_string(requests) +
                   (for_ever ? " and all after it" : ""));
      one(operation, wrong, nth, for_ever, right, made);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FaultMatrix,
                         ::testing::Combine(::testing::Range<std::size_t>(0, std::size(kOperations)),
                                            ::testing::Range<std::size_t>(0, faults().size())),
                         [](const auto& tested) {
                           return std::string(kOperations[std::get<0>(tested.param)].name) + "_" +
                                  faults()[std::get<1>(tested.param)].name;
                         });

}  // namespace
}  // namespace table_storage::test
