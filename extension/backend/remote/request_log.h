// The last requests that a service was sent, for ts_requests.
//
// No secret gets in: requests are noted as they are before they are signed, without headers and bodies.
// The connection's thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace table_storage::backend::remote {

struct LoggedRequest {
  std::uint64_t number = 0;                         // counts the requests of the process
  std::chrono::system_clock::time_point completed;  // when its answer was taken
  std::string asked;                                // "reading table Devices"
  std::string method;
  std::string path;
  std::string query;    // percent-encoded
  long status = 0;      // 0: no answer
  std::string failure;  // why there is none
  int attempts = 0;
  std::size_t sent = 0;               // bytes of the body
  std::size_t received = 0;           // likewise
  std::size_t rows = 0;               // entities in the answer
  std::chrono::microseconds took{0};  // of the last attempt
};

/// "Devices()?$filter=Model eq 'x'": path and query as they read before they were percent-encoded.
std::string readable_target(const LoggedRequest& request);

class RequestLog {
 public:
  void add(LoggedRequest request) {
    constexpr std::size_t kKept = 1000;
    request.number = next_number();
    if (requests_.size() == kKept) requests_.pop_front();
    requests_.push_back(std::move(request));
  }
  const std::deque<LoggedRequest>& requests() const { return requests_; }

 private:
  static std::uint64_t next_number();

  std::deque<LoggedRequest> requests_;  // oldest first
};

}  // namespace table_storage::backend::remote
