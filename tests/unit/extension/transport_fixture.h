// Short ways to say things in the tests of the transport.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "extension/backend/remote/transport.h"
#include "tests/service/fake_service.h"

namespace table_storage::backend::remote::testing {

using namespace std::chrono_literals;
using fake::FakeService;
using fake::Fault;
using Kind = TransferFailure::Kind;

inline std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

inline fake::FakeOptions without_authorization() {
  fake::FakeOptions options;
  options.settings.check_authorization = false;
  return options;
}

/// "answer 200" or "connect", "unreachable", "dead_reused", "lost_answer", "damaged", "cancelled".
inline std::string outcome(const TransferResult& result) {
  if (const auto* response = std::get_if<HttpResponse>(&result))
    return "answer " + std::to_string(response->status);
  switch (std::get<TransferFailure>(result).kind) {
    case Kind::connect:
      return "connect";
    case Kind::unreachable:
      return "unreachable";
    case Kind::damaged:
      return "damaged";
    case Kind::dead_reused:
      return "dead_reused";
    case Kind::lost_answer:
      return "lost_answer";
    case Kind::cancelled:
      return "cancelled";
  }
  return "?";
}
inline std::string reason(const TransferResult& result) {
  const auto* failure = std::get_if<TransferFailure>(&result);
  return failure == nullptr ? outcome(result) : failure->reason;
}

/// The two ways in: each test runs with both.
enum class Way { perform, start };

class TransportTest : public ::testing::TestWithParam<Way> {
 protected:
  TransportTest() : service_(without_authorization()) {
    service_.create_table("Things");
    service_.put("Things", {"p", "r"}, {{"Text", edm::Value::string(std::string(5000, 'x'))}});
  }

  HttpRequest request(const std::string& method, const std::string& path) const {
    HttpRequest request;
    request.method = method;
    request.origin = service_.origin();
    request.path = "/devstoreaccount1" + path;
    request.headers = {{"Accept", "application/json;odata=minimalmetadata"}, {"x-ms-version", "2019-02-02"}};
    return request;
  }
  HttpRequest get() const { return request("GET", "/Things()"); }
  HttpRequest insert(const std::string& row) const {
    HttpRequest insert = request("POST", "/Things");
    insert.headers.emplace_back("Content-Type", "application/json");
    insert.body = R"({"PartitionKey":"p","RowKey":")" + row + "\"}";
    return insert;
  }

  TransferResult send(Transport& transport, HttpRequest request, const Interrupted& interrupted = {}) const {
    if (GetParam() == Way::perform) return transport.perform(std::move(request), interrupted);
    return transport.start(std::move(request))->get(interrupted);
  }
  TransferResult send(HttpRequest request, const Interrupted& interrupted = {}) {
    return send(transport_, std::move(request), interrupted);
  }

  FakeService service_;
  Transport transport_{TransportOptions{}};
};

/// How long a call took, in milliseconds.
template <typename Action>
long milliseconds(const Action& action) {
  const auto from = std::chrono::steady_clock::now();
  action();
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - from).count());
}

}  // namespace table_storage::backend::remote::testing
