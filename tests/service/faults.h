// What goes wrong, and when: a script of faults that the fake service goes through for each request.
// Not for several threads: the service guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/service/http_server.h"

namespace table_storage::fake {

struct Fault {
  enum class Action : unsigned char {
    answer,      // `status`, `headers`, and `body` or the JSON of `code`; the request is not carried out
    html_error,  // `status` with an HTML page; not carried out
    empty_body,  // `status` without a body; not carried out
    reset_before_reading,  // as soon as the headers are there
    reset_before_answer,   // when all of it is there; not carried out
    close_before_answer,   // likewise, in good order
    failed_answer,         // carried out, and then answered with `status` and `code` all the same
    lost_answer,           // carried out, then the connection is reset
    reset_in_body,         // carried out; reset after `bytes` of the body (half, if not given)
    cut_body,              // the same with a clean close
    corrupt_json,          // carried out; the second half of the body is missing, the length says so
    slow_body,             // carried out; `bytes` each 10 ms (1024, if not given)
    delay,                 // carried out; answered after `delay`
    hang,                  // not carried out, never answered
    wrong_date             // carried out; the Date header is off by `clock_offset`
  };
  Action action = Action::answer;

  // Which requests: those that match method and path, from the nth on, `times` of them, each with
  // `probability`.
  std::string method{};         // empty: any; as carried out, X-HTTP-Method applied
  std::string path_contains{};  // empty: any; looked for in path?query as received
  std::size_t nth = 1;          // 1: the next that matches
  std::size_t times = 1;        // 0: for ever
  double probability = 1;

  int status = 503;
  std::string code = "ServerBusy";
  std::string body{};
  Headers headers{};
  std::chrono::milliseconds delay{0};
  std::optional<std::size_t> bytes{};
  std::chrono::seconds clock_offset{0};
};

/// "action=answer;status=503;header=Retry-After: 0;nth=3;times=2;path=Things", any of Fault's members by
/// these names: action method path nth times probability status code body header delay (ms) bytes
/// clock_offset (s). Throws std::invalid_argument.
Fault parse_fault(std::string_view text);

class FaultScript {
 public:
  void add(Fault fault) { entries_.push_back({std::move(fault), 0, 0}); }
  void clear() { entries_.clear(); }
  void seed(std::uint64_t seed) { random_.seed(seed); }
  /// Faults that have struck so far.
  std::size_t struck() const { return struck_; }

  /// The fault that strikes this request, if any: the first in the order of add(). Counts the request for
  /// all.
  std::optional<Fault> next(std::string_view method, std::string_view target);

 private:
  struct Entry {
    Fault fault;
    std::size_t seen = 0;
    std::size_t done = 0;
  };
  std::vector<Entry> entries_;
  std::mt19937_64 random_{1};
  std::size_t struck_ = 0;
};

}  // namespace table_storage::fake
