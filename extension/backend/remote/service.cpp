#include "extension/backend/remote/service.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "extension/backend/remote/http_date.h"
#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/sas.h"
#include "extension/backend/remote/service_error.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

constexpr std::string_view kServiceVersion = "2019-02-02";

double random_share() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

Error interrupted_error(const std::string& asked) {
  return Error(Error::Kind::storage, "", asked + ": interrupted").native(SQLITE_INTERRUPT);
}

}  // namespace

Service::Service(Endpoint endpoint, Credential credential, ServiceOptions options, Interrupted interrupted)
    : endpoint_(std::move(endpoint)),
      credential_(std::move(credential)),
      options_(std::move(options)),
      interrupted_(std::move(interrupted)),
      policy_(options_.retry),
      transport_(options_.transport) {}

std::string Service::describe(const std::string& asked) const {
  return options_.name.empty() ? asked + " of " + endpoint_.origin : asked + " of server " + options_.name;
}

std::unique_ptr<Call> Service::prepare(HttpRequest request, std::string asked, bool idempotent) {
  request.origin = endpoint_.origin;
  return std::unique_ptr<Call>(new Call(*this, std::move(request), describe(asked), idempotent));
}

std::unique_ptr<Call> Service::start(HttpRequest request, std::string asked, bool idempotent) {
  std::unique_ptr<Call> call = prepare(std::move(request), std::move(asked), idempotent);
  call->transfer_ = transport_.start(call->signed_request());
  return call;
}

HttpResponse Service::perform(HttpRequest request, const std::string& asked, bool idempotent) {
  HttpResponse response = prepare(std::move(request), asked, idempotent)->get();
  if (response.status < 200 || response.status >= 300) throw refusal(response, asked);
  return response;
}

Error Service::refusal(const HttpResponse& response, const std::string& asked) const {
  return to_error(response, describe(asked), Clock::now());
}

/// What every request carries. Signed anew for each attempt, since a signature holds the time.
void Service::complete(HttpRequest& request) const {
  set_header(request, "x-ms-version", kServiceVersion);
  set_header(request, "DataServiceVersion", "3.0");
  set_header(request, "MaxDataServiceVersion", "3.0;NetFx");
  if (std::none_of(request.headers.begin(), request.headers.end(),
                   [](const auto& header) { return header.first == "Accept"; })) {
    set_header(request, "Accept", kAccept);
  }
  const std::string date = format_http_date(Clock::now());
  if (const auto* key = std::get_if<std::shared_ptr<const SharedKey>>(&credential_)) {
    (*key)->sign(request, date);
  } else {
    set_header(request, "x-ms-date", date);
    if (const auto* sas = std::get_if<SasToken>(&credential_)) append_sas(request, sas->query);
  }
}

void Service::pause(std::chrono::milliseconds delay, const std::string& asked) const {
  const auto until = std::chrono::steady_clock::now() + delay;
  for (;;) {
    if (interrupted_ && interrupted_()) throw interrupted_error(asked);
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return;
    std::this_thread::sleep_for(std::min(
        std::chrono::duration_cast<std::chrono::milliseconds>(until - now) + std::chrono::milliseconds(1),
        std::chrono::milliseconds(kInterruptInterval)));
  }
}

void Service::give_up(const TransferFailure& failure, const Call& call) const {
  if (failure.kind == TransferFailure::Kind::cancelled) throw interrupted_error(call.asked_);
  std::string message = call.asked_ + ": ";
  message +=
      failure.kind == TransferFailure::Kind::connect ? "no connection to " + endpoint_.origin : "no answer";
  message += " (" + failure.reason + ")";
  if (call.state_.retries > 0) message += " after " + std::to_string(call.state_.retries + 1) + " attempts";
  if (failure.kind != TransferFailure::Kind::connect && !call.idempotent_) {
    message += "; whether the service did it is unknown";
  }
  throw Error(Error::Kind::storage, "", message).native(SQLITE_IOERR);
}

Call::Call(Service& service, HttpRequest request, std::string asked, bool idempotent)
    : service_(service), request_(std::move(request)), asked_(std::move(asked)), idempotent_(idempotent) {}

HttpRequest Call::signed_request() const {
  HttpRequest request = request_;
  service_.complete(request);
  return request;
}

TransferResult Call::attempt() {
  if (!transfer_) return service_.transport_.perform(signed_request(), service_.interrupted_);
  const std::shared_ptr<Transfer> transfer = std::exchange(transfer_, nullptr);
  return transfer->get(service_.interrupted_);
}

HttpResponse Call::get() {
  for (;;) {
    TransferResult result = attempt();
    RetryDecision decision;
    if (const auto* failure = std::get_if<TransferFailure>(&result)) {
      decision = service_.policy_.after(*failure, state_, idempotent_, random_share());
      if (!decision.retry) {
        state_.maybe_applied = state_.maybe_applied || decision.maybe_applied;
        service_.give_up(*failure, *this);
      }
    } else {
      const auto& response = std::get<HttpResponse>(result);
      decision = service_.policy_.after(response, state_, idempotent_, random_share(), Clock::now());
      if (!decision.retry) {
        state_.maybe_applied = state_.maybe_applied || decision.maybe_applied;
        return std::move(std::get<HttpResponse>(result));
      }
    }
    RetryPolicy::advance(state_, decision);
    service_.pause(decision.delay, asked_);
  }
}

}  // namespace table_storage::backend::remote
