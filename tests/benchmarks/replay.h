// A stand-in for the Table service that answers from memory as fast as a plain server can, for benchmarks of
// the remote backend: the fake service answers each request once, in earnest, and from then on its answers
// are repeated. Writes are accepted and dropped. Faults are dealt out evenly where they are asked for.
//
// The fake calls it in its own thread; the benchmark's thread changes modes between measurements.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/service/fake_service.h"
#include "tests/service/wire.h"

namespace table_storage::benchmarks {

/// What was asked, to be asked again by someone else.
struct Asked {
  std::string method;
  std::string target;  // path?query
  fake::Headers headers;
  std::string body;
};

class Replay {
 public:
  explicit Replay(fake::FakeService& service) : service_(service) {
    service_.set_hook([this](const fake::Request& request) { return answer(request); });
  }
  ~Replay() { service_.set_hook(nullptr); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Collects requests from here on.
  void start_recording() {
    const std::lock_guard lock(mutex_);
    asked_.clear();
    recording_ = true;
  }
  std::vector<Asked> stop_recording() {
    const std::lock_guard lock(mutex_);
    recording_ = false;
    return std::move(asked_);
  }
  /// The answer that GET `target` shall have.
  void remember(const std::string& target, fake::Answer answer) {
    const std::lock_guard lock(mutex_);
    known_[target] = std::move(answer);
  }
  bool knows(const std::string& target) {
    const std::lock_guard lock(mutex_);
    return known_.count(target) != 0;
  }
  /// One query in `every` is answered badly, each time in another way; 0: none.
  void set_faults(std::size_t every) {
    every_ = every;
    queries_ = 0;
    struck_ = 0;
  }
  std::size_t faults_struck() const { return struck_; }
  /// How long every answer from memory takes.
  void set_delay(std::chrono::milliseconds delay) { delay_ms_ = delay.count(); }

 private:
  static std::string target_of(const fake::Request& request) {
    return request.query.empty() ? request.path : request.path + '?' + request.query;
  }

  std::optional<fake::Answer> answer(const fake::Request& request) {
    const std::string target = target_of(request);
    const std::lock_guard lock(mutex_);
    if (recording_) asked_.push_back({request.method, target, request.headers, request.body});
    if (request.method != "GET") return written(request);
    const auto known = known_.find(target);
    if (known == known_.end()) return std::nullopt;
    if (every_ != 0 && ++queries_ % every_ == 0) return damaged(known->second, request.query);
    fake::Answer answer = known->second;
    answer.delay = std::chrono::milliseconds(delay_ms_);
    return answer;
  }

  static fake::Answer written(const fake::Request& request) {
    fake::Answer answer;
    answer.status = 204;
    answer.headers = {{"ETag", "W/\"datetime'2024-06-01T00%3A00%3A00.0000000Z'\""},
                      {"Preference-Applied", "return-no-content"}};
    if (!request.path.ends_with("/$batch")) return answer;
    constexpr std::string_view kPart = "Content-Transfer-Encoding: binary";
    const std::string part =
        "--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
        "Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n"
        "ETag: W/\"datetime'2024-06-01T00%3A00%3A00.0000000Z'\"\r\n\r\n\r\n";
    answer.status = 202;
    answer.headers = {{"Content-Type", "multipart/mixed; boundary=batchresponse_1"}};
    answer.body = "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n";
    for (std::size_t at = request.body.find(kPart); at != std::string::npos;
         at = request.body.find(kPart, at + kPart.size()))
      answer.body += part;
    answer.body += "--changesetresponse_1--\r\n--batchresponse_1--\r\n";
    return answer;
  }

  /// Busy twice over, broken off twice over, damaged, or empty with a token.
  fake::Answer damaged(const fake::Answer& good, const std::string& query) {
    fake::Answer bad;
    switch (struck_++ % 6) {
      case 0:
        bad.status = 503;
        bad.headers = {{"Retry-After", "0"}};
        return bad;
      case 1:
        bad.status = 429;
        bad.headers = {{"Retry-After", "0"}};
        return bad;
      case 2:
        bad = good;
        bad.ending = fake::Answer::Ending::reset;
        bad.body_bytes = good.body.size() / 2;
        return bad;
      case 3:
        bad = good;
        bad.ending = fake::Answer::Ending::close;
        bad.body_bytes = good.body.size() / 2;
        return bad;
      case 4:
        bad = good;
        bad.body[bad.body.size() / 2] = '\x01';
        return bad;
      default:
        break;
    }
    // A token to the same place; the first page has none.
    std::string partition;
    std::string row;
    for (const auto& [name, value] : fake::parse_query(query)) {
      if (name == "NextPartitionKey") partition = value;
      if (name == "NextRowKey") row = value;
    }
    if (partition.empty()) return good;
    bad = good;
    bad.body = "{\"value\":[]}";
    bad.headers = {{"Content-Type", "application/json;odata=minimalmetadata"},
                   {"x-ms-continuation-NextPartitionKey", partition},
                   {"x-ms-continuation-NextRowKey", row}};
    return bad;
  }

  fake::FakeService& service_;
  std::mutex mutex_;
  std::unordered_map<std::string, fake::Answer> known_;
  std::vector<Asked> asked_;
  bool recording_ = false;
  std::atomic<std::size_t> every_{0};
  std::atomic<std::size_t> struck_{0};
  std::atomic<std::chrono::milliseconds::rep> delay_ms_{0};
  std::size_t queries_ = 0;
};

}  // namespace table_storage::benchmarks
