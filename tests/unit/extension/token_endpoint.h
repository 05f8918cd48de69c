// A server that gives out bearer tokens, "token-1" and so on, whichever way it is asked.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "tests/service/http_server.h"

namespace table_storage::test {

/// A token endpoint of any flow: answers each request with the next token, or as it is told.
class TokenEndpoint {
 public:
  TokenEndpoint()
      : server_(
            0, [this](const fake::Request& request) { return answer(request); },
            [](const fake::Request&) { return false; }) {}

  std::string origin() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<fake::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  /// So many answers of this status before a token comes.
  void busy(int times, int status) {
    const std::lock_guard lock(mutex_);
    busy_ = times;
    status_ = status;
  }
  /// Of the tokens from now on.
  void expires_in(int seconds) {
    const std::lock_guard lock(mutex_);
    expires_in_ = seconds;
  }
  void fall_silent() {
    const std::lock_guard lock(mutex_);
    silent_ = true;
  }

 private:
  fake::Answer answer(const fake::Request& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    fake::Answer answer;
    answer.headers = {{"Content-Type", "application/json"}};
    if (silent_) answer.ending = fake::Answer::Ending::never;
    if (busy_ > 0) {
      --busy_;
      answer.status = status_;
      answer.headers.emplace_back("Retry-After", "0");
      answer.body = R"({"error":"temporarily_unavailable","error_description":"try again"})";
      return answer;
    }
    answer.body = R"({"token_type":"Bearer","expires_in":)" + std::to_string(expires_in_) +
                  R"(,"access_token":"token-)" + std::to_string(++given_) + "\"}";
    return answer;
  }

  mutable std::mutex mutex_;
  std::vector<fake::Request> requests_;
  int busy_ = 0, status_ = 503, given_ = 0, expires_in_ = 3600;
  bool silent_ = false;
  fake::HttpServer server_;  // last: its thread uses the others
};

}  // namespace table_storage::test
