// What about a hundred queries ask of a service: the plan, the requests and the number of rows, against a
// golden file. golden/requests.sql has the queries, golden/requests.txt what came of them on SQLite 3.40.1,
// and golden/requests-3.53.txt on the newer one of better-sqlite3, which plans otherwise here and there
// (tests/newer_sqlite.sh runs all tests on it).
//
// To take over a change: GOLDEN_BLESS=1 extension_tests --gtest_filter='Golden*', and read the difference.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "parser/edm/text.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

class GoldenTest : public RemoteTest {
 protected:
  /// 5 partitions with 500 readings, 8 devices in 2 partitions, and a native table with 40 keys.
  GoldenTest() {
    service_.create_table("Readings");
    service_.create_table("Devices");
    const std::string place = "endpoint '" + service_.endpoint() + "', dialect 'storage'";
    db_.run(
        "CREATE VIRTUAL TABLE readings USING table_storage(Temperature DOUBLE, Count INT32, Seq INT64, "
        "Location STRING, Active BOOLEAN, At DATETIME, Note STRING, OPTIONS (table 'Readings', " +
        place + "))");
    db_.run(
        "CREATE VIRTUAL TABLE devices USING table_storage(Model STRING, N INT32, OPTIONS (table 'Devices', " +
        place + "))");
    db_.run("CREATE TABLE keys(p TEXT, r TEXT); BEGIN");
    const std::int64_t start = *edm::parse_datetime("2024-06-15");
    for (int i = 0; i < 2500; ++i) {
      const int count = i % 500;
      const std::string partition = "dev0" + std::to_string(i / 500);
      const std::string row =
          "r" + std::string(4 - std::to_string(count).size(), '0') + std::to_string(count);
      fake::Properties properties{{"Temperature", Value::real(20 + count % 50 / 10.0)},
                                  {"Count", Value::int32(count)},
                                  {"Seq", Value::int64(5'000'000'000 + count)},
                                  {"Location", Value::string("it's hall " + std::to_string(count % 3))},
                                  {"Active", Value::boolean(count % 2 == 1)},
                                  {"At", Value::datetime(start + count * edm::kTicksPerSecond)}};
      if (count % 100 == 0) properties.emplace_back("Note", Value::string("full hundred"));
      service_.put("Readings", {partition, row}, properties);
      if (i % 62 == 0) db_.run("INSERT INTO keys VALUES ('" + partition + "', '" + row + "')");
    }
    for (int i = 0; i < 8; ++i) {
      service_.put("Devices", {i % 2 == 0 ? "east" : "west", "dev0" + std::to_string(i)},
                   {{"Model", Value::string("m" + std::to_string(i % 3))}, {"N", Value::int32(i)}});
    }
    db_.run("COMMIT");
  }

  static std::filesystem::path file(const std::string& name) {
    return std::filesystem::path(GOLDEN_FOLDER) / name;
  }

  /// "  GET Readings()?$filter=…", equal ones counted; those under way at once come in any order.
  Rows requests() {
    Rows lines;
    for (const std::string& request :
         db_.rows("SELECT method || ' ' || replace(request, '/devstoreaccount1/', '') "
                  "|| iif(status = 200, '', ' -> ' || ifnull(status, failure)) "
                  "FROM ts_requests WHERE id > " +
                  std::to_string(last_request_))) {
      lines.push_back("  " + request);
    }
    const std::string last = db_.value("SELECT ifnull(max(id), 0) FROM ts_requests");
    last_request_ = std::max(last_request_, std::stoll(last));
    constexpr std::size_t kShown = 12;
    if (lines.size() > kShown) {
      const std::string more = "  … and " + std::to_string(lines.size() - kShown) + " more";
      lines.resize(kShown);
      lines.push_back(more);
    }
    return lines;
  }

  std::string record_of(const std::string& sql) {
    std::string text = sql + "\n";
    for (const std::string& line : db_.rows("EXPLAIN QUERY PLAN " + sql)) {
      text += "  plan: " + line.substr(line.rfind('|') + 1) + "\n";
    }
    // What earlier queries taught about the tables must not decide.
    db_.run("SELECT 1");
    text += "  rows: " + std::to_string(db_.rows(sql).size()) + "\n";
    for (const std::string& line : requests()) text += line + "\n";
    return text + "\n";
  }

  long long last_request_ = 0;
};

TEST_F(GoldenTest, PlansAndRequests) {
  std::ifstream queries(file("requests.sql"));
  ASSERT_TRUE(queries) << file("requests.sql");
  std::string printed;
  for (std::string line; std::getline(queries, line);) {
    printed += line.starts_with("--") ? line + "\n\n" : record_of(line);
  }
  const std::string name = sqlite3_libversion_number() < 3'050'000 ? "requests.txt" : "requests-3.53.txt";
  if (std::getenv("GOLDEN_BLESS") != nullptr) {
    std::ofstream(file(name)) << printed;
    return;
  }
  std::ifstream kept(file(name));
  const std::string expected{std::istreambuf_iterator<char>(kept), std::istreambuf_iterator<char>()};
  // The first record that differs says more than all of the text.
  std::size_t at = 0;
  while (at < printed.size() && at < expected.size() && printed[at] == expected[at]) ++at;
  const auto record = [at](const std::string& text) {
    const std::size_t from = text.rfind("\n\n", at);
    const std::size_t begin = from == std::string::npos ? 0 : from + 2;
    return text.substr(std::min(begin, text.size()), text.find("\n\n", at) - begin);
  };
  if (printed != expected) {
    EXPECT_EQ(record(printed), record(expected)) << name;
  }
}

}  // namespace
}  // namespace table_storage::test
