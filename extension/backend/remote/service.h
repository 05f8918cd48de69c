// One table service that one connection talks to: where it is, what opens it, and how requests to it are sent
// until they have an answer.
//
// Calls come from the connection's thread; transfers run in the transport's own. An interrupt of the
// connection ends every wait, for an answer as for the next attempt.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"
#include "extension/backend/remote/request_log.h"
#include "extension/backend/remote/retry_policy.h"
#include "extension/backend/remote/signing.h"
#include "extension/backend/remote/token.h"
#include "extension/backend/remote/transport.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

/// A SAS, as connection::parse_sas() leaves it.
struct SasToken {
  std::string query;
};
/// With tokens, requests go over TLS only.
using Credential =
    std::variant<std::monostate, std::shared_ptr<const SharedKey>, SasToken, std::shared_ptr<TokenCache>>;

struct ServiceOptions {
  std::string name;  // of the server, for messages
  TransportOptions transport;
  RetryOptions retry;
};

/// Makes something of an answer that is a success, in the thread that received it and before get() returns,
/// with the answer's body to take away. What it throws counts as a damaged answer, and the request is sent
/// again. It owns what it works on, since it may run on after the Call is gone.
struct AnswerReader {
  std::function<void(HttpResponse&)> read;  // may be empty
  /// Nobody waits for the answer any longer: no attempt goes on after that.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  std::string buffer;  // memory for the body of the first answer
};

class Service;

/// One request, sent again as the retry policy says. Made by Service::start() or prepare().
class Call {
 public:
  /// A request that was sent and whose answer nobody took is logged too.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Waits for the answer that stays: a success, or a refusal that a repetition would not change. Throws
  /// Error(storage) if none came in time, with SQLITE_INTERRUPT if the connection was interrupted.
  HttpResponse get();
  /// After get(): whether an attempt may have been applied although it did not succeed. A refusal may then be
  /// the answer to this call's own earlier attempt.
  bool maybe_applied() const { return state_.maybe_applied; }
  /// What get() will return if it is a success (status 200) that has come already, else null. Null for a
  /// prepared call.
  const HttpResponse* succeeded();
  /// True when get() would not wait. Sends again what the policy sends again, once its time has come, without
  /// waiting for it.
  bool settle();
  /// Answers that said that the service has too much to do (429, 503).
  int throttled() const { return throttled_; }

 private:
  friend class Service;
  using Time = std::chrono::steady_clock::time_point;
  /// What the policy says to a result; nullopt: it is the one to stay.
  std::optional<std::chrono::milliseconds> delay_before_another(const TransferResult& result);
  void send();
  Call(Service& service, HttpRequest request, std::string asked, Repeat repeat, AnswerReader reader);
  HttpRequest signed_request();
  TransferResult attempt();
  /// Where the caller's time is limited, what is left of it.
  std::optional<std::chrono::milliseconds> time_left() const;
  /// Throws once nothing is left.
  void end_with_statement();
  void log(const HttpResponse* response, const std::string& failure) noexcept;
  /// A token that is refused is renewed once, and the request sent again: it has done nothing yet.
  bool renews_token(const HttpResponse& response);

  Service& service_;
  HttpRequest request_;
  std::string asked_;
  Repeat repeat_;
  RetryState state_;
  AnswerReader reader_;
  std::shared_ptr<Transfer> transfer_;   // null: the next attempt is sent when it is waited for
  std::optional<TransferResult> early_;  // of the transfer, taken before get()
  std::optional<Time> due_;              // of the next attempt, where settle() has found that there is one
  std::string token_;                    // of the last attempt; empty where none is used
  bool token_renewed_ = false;
  int throttled_ = 0;
};

class Service {
 public:
  /// Throws Error(invalid) for a token without TLS.
  Service(Endpoint endpoint, Credential credential, ServiceOptions options, Interrupted interrupted);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  const ServiceOptions& options() const { return options_; }
  const RequestLog& log() const { return log_; }
  const TransportCounters& counters() const { return *options_.transport.counters; }

  /// Sends a request that has method, path, query, body and the headers of its own. `asked` is what a reader
  /// wants to know of it: "reading table Devices".
  std::unique_ptr<Call> start(HttpRequest request, std::string asked, Repeat repeat,
                              AnswerReader reader = {});
  /// The same, but sent by get(), from the calling thread: quicker where nothing is done meanwhile.
  std::unique_ptr<Call> prepare(HttpRequest request, std::string asked, Repeat repeat,
                                AnswerReader reader = {});
  /// Sends and waits; an answer that is no success becomes an Error.
  HttpResponse perform(HttpRequest request, const std::string& asked, Repeat repeat,
                       AnswerReader reader = {});

  /// Waits until get() of one of the calls, all made by start(), would not wait. Meanwhile attempts that
  /// failed are sent again, each when its time has come. Null pointers are passed over; there must be a call.
  /// Throws Error with SQLITE_INTERRUPT if the connection is interrupted.
  void wait_any(const std::vector<Call*>& calls, const std::string& asked) const;

  /// Waits before a request is sent again. Throws Error with SQLITE_INTERRUPT if the connection is
  /// interrupted.
  void pause(std::chrono::milliseconds delay, const std::string& asked) const;

  /// The error of an answer that is no success.
  Error refusal(const HttpResponse& response, const std::string& asked) const;

 private:
  friend class Call;
  /// Returns the token that the request carries; empty if none.
  std::string complete(HttpRequest& request) const;
  [[noreturn]] void give_up(const TransferFailure& failure, const Call& call) const;
  std::string describe(const std::string& asked) const;

  Endpoint endpoint_;
  Credential credential_;
  ServiceOptions options_;
  Interrupted interrupted_;
  Interrupted sometimes_interrupted_;  // the same, asked no more often than an answer is worth
  RetryPolicy policy_;
  RequestLog log_;
  Transport transport_;
};

}  // namespace table_storage::backend::remote
