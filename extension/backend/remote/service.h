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

#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"
#include "extension/backend/remote/retry_policy.h"
#include "extension/backend/remote/signing.h"
#include "extension/backend/remote/transport.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

/// A SAS, as connection::parse_sas() leaves it.
struct SasToken {
  std::string query;
};
using Credential = std::variant<std::monostate, std::shared_ptr<const SharedKey>, SasToken>;

struct ServiceOptions {
  std::string name;  // of the server, for messages
  TransportOptions transport;
  RetryOptions retry;
  std::size_t concurrency = 8;  // requests of one scan under way at once
};

class Service;

/// One request, sent again as the retry policy says. Made by Service::start() or prepare().
class Call {
 public:
  /// Waits for the answer that stays: a success, or a refusal that a repetition would not change. Throws
  /// Error(storage) if none came in time, with SQLITE_INTERRUPT if the connection was interrupted.
  HttpResponse get();
  /// After get(): whether an attempt may have been applied although it did not succeed. A refusal may then be
  /// the answer to this call's own earlier attempt.
  bool maybe_applied() const { return state_.maybe_applied; }

 private:
  friend class Service;
  Call(Service& service, HttpRequest request, std::string asked, bool idempotent);
  HttpRequest signed_request() const;
  TransferResult attempt();

  Service& service_;
  HttpRequest request_;
  std::string asked_;
  bool idempotent_;
  RetryState state_;
  std::shared_ptr<Transfer> transfer_;  // null: the next attempt is sent when it is waited for
};

class Service {
 public:
  Service(Endpoint endpoint, Credential credential, ServiceOptions options, Interrupted interrupted);

  const Endpoint& endpoint() const { return endpoint_; }
  const ServiceOptions& options() const { return options_; }

  /// Sends a request that has method, path, query, body and the headers of its own. `asked` is what a reader
  /// wants to know of it: "reading table Devices".
  std::unique_ptr<Call> start(HttpRequest request, std::string asked, bool idempotent);
  /// The same, but sent by get(), from the calling thread: quicker where nothing is done meanwhile.
  std::unique_ptr<Call> prepare(HttpRequest request, std::string asked, bool idempotent);
  /// Sends and waits; an answer that is no success becomes an Error.
  HttpResponse perform(HttpRequest request, const std::string& asked, bool idempotent);

  /// The error of an answer that is no success.
  Error refusal(const HttpResponse& response, const std::string& asked) const;

 private:
  friend class Call;
  void complete(HttpRequest& request) const;
  void pause(std::chrono::milliseconds delay, const std::string& asked) const;
  [[noreturn]] void give_up(const TransferFailure& failure, const Call& call) const;
  std::string describe(const std::string& asked) const;

  Endpoint endpoint_;
  Credential credential_;
  ServiceOptions options_;
  Interrupted interrupted_;
  RetryPolicy policy_;
  Transport transport_;
};

}  // namespace table_storage::backend::remote
