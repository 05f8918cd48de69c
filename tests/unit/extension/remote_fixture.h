// SQL against the fake of the Table service in this process, for the tests of the remote backend.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "extension/backend/remote/parallel_scan.h"
#include "extension/module/near_service.h"
#include "parser/edm/value.h"
#include "tests/service/fake_service.h"
#include "tests/service/wire.h"
#include "tests/unit/extension/database.h"

namespace table_storage::test {

using edm::Value;
using fake::Fault;

class RemoteTest : public ::testing::Test {
 protected:
  explicit RemoteTest(fake::FakeOptions options = {}) : service_(std::move(options)) {
    backend::remote::least_wait_for_parts = 0;
    module::near_service = 0;
    service_.create_table("Things");
  }

  void TearDown() override {
    for (const std::string& line : service_.violations()) ADD_FAILURE() << "breaks the protocol: " << line;
  }

  /// CREATE VIRTUAL TABLE `name` over the service's table `remote`.
  void map(const std::string& name = "t", const std::string& more_options = {},
           const std::string& remote = "Things") {
    db_.run("CREATE VIRTUAL TABLE " + name + " USING table_storage(" + kColumns + ", OPTIONS (table '" +
            remote + "', endpoint '" + service_.endpoint() + "', dialect 'storage'" + more_options + "))");
  }

  /// The recorded requests of one method as carried out, all of them if it is empty.
  std::vector<fake::Request> sent(const std::string& method = {}) const {
    std::vector<fake::Request> all;
    for (const fake::Recorded& recorded : service_.requests()) {
      if (method.empty() || recorded.request.method == method) all.push_back(recorded.request);
    }
    return all;
  }

  /// "GET GET POST": what was sent since the last call.
  std::string methods() {
    std::string text;
    for (const fake::Request& request : sent()) text += (text.empty() ? "" : " ") + request.method;
    service_.forget_requests();
    return text;
  }

  /// A decoded query parameter; "-" if the request has none of that name.
  static std::string parameter(const fake::Request& request, const std::string& name) {
    for (const auto& [key, value] : fake::parse_query(request.query)) {
      if (key == name) return value;
    }
    return "-";
  }

  static std::string header(const fake::Request& request, const std::string& name) {
    const std::string* value = request.header(name);
    return value == nullptr ? "-" : *value;
  }

  /// $filter of the one request that `sql` makes.
  std::string filter_of(const std::string& sql) {
    service_.forget_requests();
    db_.rows(sql);
    const std::vector<fake::Request> requests = sent();
    EXPECT_EQ(requests.size(), 1U) << sql;
    return requests.empty() ? "" : parameter(requests.front(), "$filter");
  }

  /// A stored property of type Int32, as text; "-" where there is no such entity or property.
  std::string stored(const std::string& row, const std::string& property = "N",
                     const std::string& partition = "p") const {
    const auto entity = service_.get("Things", {partition, row});
    if (!entity) return "-";
    for (const auto& [name, value] : entity->properties) {
      if (name != property) continue;
      return value.type() == edm::Type::String ? std::string(value.view().bytes())
                                               : std::to_string(value.view().as_int64());
    }
    return "-";
  }

  std::string put(const std::string& row, std::int32_t n, const std::string& partition = "p") {
    return service_.put("Things", {partition, row}, {{"N", Value::int32(n)}});
  }

  static constexpr const char* kColumns = "N INT32, S STRING, D DOUBLE, L INT64, B BOOLEAN, T DATETIME";
  using Rows = std::vector<std::string>;

  fake::FakeService service_;
  Database db_;  // last: it is closed before the service goes
};

}  // namespace table_storage::test
