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
constexpr std::string_view kServiceVersionWithTokens = "2020-12-06";

double random_share() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

/// Asks once in kInterruptInterval. To ask costs an SQL statement, and most answers come sooner than that.
class SometimesInterrupted {
 public:
  explicit SometimesInterrupted(Interrupted interrupted) : interrupted_(std::move(interrupted)) {}
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + kInterruptInterval;
    return interrupted_();
  }

 private:
  Interrupted interrupted_;
  std::chrono::steady_clock::time_point next_{};
};

/// Runs `read` over a success; what it throws makes a damaged answer of it.
void read_answer(const std::function<void(HttpResponse&)>& read, TransferResult& result) noexcept {
  auto* response = std::get_if<HttpResponse>(&result);
  if (!read || response == nullptr || response->status != 200) return;
  try {
    read(*response);
  } catch (const Error& error) {
    result = failure_of(TransferFailure::Kind::damaged, error.what());
  } catch (const std::bad_alloc&) {
    result = TransferFailure::no_memory(TransferFailure::Kind::damaged);
  }
}

ServiceOptions with_counters(ServiceOptions options) {
  if (!options.transport.counters) options.transport.counters = std::make_shared<TransportCounters>();
  return options;
}

Error interrupted_error(const std::string& asked) {
  return Error(Error::Kind::storage, "", asked + ": interrupted").native(SQLITE_INTERRUPT);
}

}  // namespace

Service::Service(Endpoint endpoint, Credential credential, ServiceOptions options, Interrupted interrupted)
    : endpoint_(std::move(endpoint)),
      credential_(std::move(credential)),
      options_(with_counters(std::move(options))),
      interrupted_(std::move(interrupted)),
      sometimes_interrupted_(interrupted_ ? Interrupted(SometimesInterrupted(interrupted_)) : Interrupted()),
      policy_(options_.retry),
      transport_(options_.transport) {
  if (std::holds_alternative<std::shared_ptr<TokenCache>>(credential_) && !endpoint_.is_secure()) {
    throw Error(Error::Kind::invalid, "",
                "a bearer token opens everything to whoever sees it, and is sent over https only, not to " +
                    endpoint_.origin);
  }
}

std::string Service::describe(const std::string& asked) const {
  return options_.name.empty() ? asked + " of " + endpoint_.origin : asked + " of server " + options_.name;
}

std::unique_ptr<Call> Service::prepare(HttpRequest request, std::string asked, Repeat repeat,
                                       AnswerReader reader) {
  request.origin = endpoint_.origin;
  return std::unique_ptr<Call>(
      new Call(*this, std::move(request), std::move(asked), repeat, std::move(reader)));
}

std::unique_ptr<Call> Service::start(HttpRequest request, std::string asked, Repeat repeat,
                                     AnswerReader reader) {
  std::unique_ptr<Call> call = prepare(std::move(request), std::move(asked), repeat, std::move(reader));
  call->send();
  return call;
}

void Service::wait_any(const std::vector<Call*>& calls, const std::string& asked) const {
  std::vector<std::shared_ptr<Transfer>> transfers;
  for (;;) {
    // Whatever is due later is looked at again then.
    auto until = std::chrono::steady_clock::now() + std::chrono::hours(1);
    transfers.clear();
    for (Call* call : calls) {
      if (call == nullptr) continue;
      if (call->settle()) return;
      if (call->due_) until = std::min(until, *call->due_);
      if (call->transfer_) transfers.push_back(call->transfer_);
    }
    bool stop = false;
    const Interrupted interrupted = [&] { return stop = sometimes_interrupted_ && sometimes_interrupted_(); };
    if (transfers.empty()) {
      pause(std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()) +
                std::chrono::milliseconds(1),
            asked);
    } else {
      transport_.wait_any(transfers, until, interrupted);
    }
    if (stop) throw interrupted_error(describe(asked));
  }
}

HttpResponse Service::perform(HttpRequest request, const std::string& asked, Repeat repeat,
                              AnswerReader reader) {
  HttpResponse response = prepare(std::move(request), asked, repeat, std::move(reader))->get();
  if (response.status < 200 || response.status >= 300) throw refusal(response, asked);
  return response;
}

Error Service::refusal(const HttpResponse& response, const std::string& asked) const {
  return to_error(response, describe(asked), Clock::now());
}

/// What every request carries. Signed anew for each attempt, since a signature holds the time.
std::string Service::complete(HttpRequest& request) const {
  const auto* tokens = std::get_if<std::shared_ptr<TokenCache>>(&credential_);
  constexpr std::size_t kAdded = 6;
  request.headers.reserve(request.headers.size() + kAdded);
  set_header(request, "x-ms-version", tokens != nullptr ? kServiceVersionWithTokens : kServiceVersion);
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
  if (tokens == nullptr) return {};
  std::string token = (*tokens)->get();
  set_header(request, "Authorization", "Bearer " + token);
  return token;
}

void Service::pause(std::chrono::milliseconds delay, const std::string& asked) const {
  const auto until = std::chrono::steady_clock::now() + delay;
  for (;;) {
    if (interrupted_ && interrupted_()) throw interrupted_error(describe(asked));
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return;
    std::this_thread::sleep_for(std::min(
        std::chrono::duration_cast<std::chrono::milliseconds>(until - now) + std::chrono::milliseconds(1),
        std::chrono::milliseconds(kInterruptInterval)));
  }
}

void Service::give_up(const TransferFailure& failure, const Call& call) const {
  if (failure.kind == TransferFailure::Kind::cancelled) throw interrupted_error(describe(call.asked_));
  const bool connected =
      failure.kind != TransferFailure::Kind::connect && failure.kind != TransferFailure::Kind::unreachable;
  if (failure.out_of_memory && (!connected || call.repeat_ == Repeat::harmless)) throw std::bad_alloc();
  std::string message = describe(call.asked_) + ": ";
  if (failure.kind == TransferFailure::Kind::damaged) {
    message += failure.reason;
  } else {
    message += connected ? "no answer" : "no connection to " + endpoint_.origin;
    message += " (" + failure.reason + ")";
  }
  if (call.state_.retries > 0) message += " after " + std::to_string(call.state_.retries + 1) + " attempts";
  if (connected && call.repeat_ != Repeat::harmless) {
    message += "; whether the service did it is unknown";
  }
  throw Error(Error::Kind::storage, "", message).native(SQLITE_IOERR);
}

Call::Call(Service& service, HttpRequest request, std::string asked, Repeat repeat, AnswerReader reader)
    : service_(service),
      request_(std::move(request)),
      asked_(std::move(asked)),
      repeat_(repeat),
      reader_(std::move(reader)) {}

Call::~Call() {
  if (early_) {
    log(std::get_if<HttpResponse>(&*early_), "not waited for");
  } else if (transfer_ || due_) {
    log(nullptr, "not waited for");
  }
}

void Call::log(const HttpResponse* response, const std::string& failure) noexcept {
  try {
    LoggedRequest entry;
    entry.completed = std::chrono::system_clock::now();
    entry.asked = asked_;
    entry.method = request_.method;
    entry.path = request_.path;
    entry.query = request_.query;
    entry.failure = failure;
    entry.attempts = state_.retries + state_.dead_reused + state_.being_deleted + 1;
    entry.sent = request_.body.size();
    if (response != nullptr) {
      entry.status = response->status;
      entry.received = response->received;
      entry.rows = response->rows;
      entry.took = response->took;
    }
    service_.log_.add(std::move(entry));
  } catch (const std::bad_alloc&) {
    return;  // a request is not to fail for want of a note about it
  }
}

HttpRequest Call::signed_request() {
  HttpRequest request = request_;
  try {
    token_ = service_.complete(request);
  } catch (Error& error) {
    error.prefix(service_.describe(asked_));
    throw;
  }
  return request;
}

bool Call::renews_token(const HttpResponse& response) {
  if (response.status != 401 || token_.empty() || token_renewed_) return false;
  token_renewed_ = true;
  std::get<std::shared_ptr<TokenCache>>(service_.credential_)->reject(token_);
  return true;
}

std::optional<std::chrono::milliseconds> Call::time_left() const {
  if (reader_.until == std::chrono::steady_clock::time_point::max()) return std::nullopt;
  const auto left = reader_.until - std::chrono::steady_clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

void Call::end_with_statement() {
  if (time_left() != std::chrono::milliseconds(0)) return;
  log(nullptr, "statement_timeout");
  throw Error(Error::Kind::storage, "",
              service_.describe(asked_) +
                  ": no answer came within the time that statement_timeout allows the statement");
}

TransferResult Call::attempt() {
  if (early_) return *std::exchange(early_, std::nullopt);
  if (transfer_) {
    const std::shared_ptr<Transfer> transfer = std::exchange(transfer_, nullptr);
    return transfer->get(service_.sometimes_interrupted_);
  }
  Delivery delivery;
  delivery.fresh_connection = repeat_ == Repeat::harmful;
  delivery.timeout = time_left();
  delivery.buffer = std::move(reader_.buffer);
  TransferResult result =
      service_.transport_.perform(signed_request(), service_.sometimes_interrupted_, std::move(delivery));
  read_answer(reader_.read, result);
  return result;
}

const HttpResponse* Call::succeeded() {
  if (!early_) {
    if (!transfer_ || !transfer_->done()) return nullptr;
    early_ = std::exchange(transfer_, nullptr)->take();
  }
  const auto* response = std::get_if<HttpResponse>(&*early_);
  return response != nullptr && response->status == 200 ? response : nullptr;
}

void Call::send() {
  Delivery delivery;
  delivery.fresh_connection = repeat_ == Repeat::harmful;
  delivery.timeout = time_left();
  delivery.buffer = std::move(reader_.buffer);
  if (reader_.read) {
    delivery.finish = [read = reader_.read](TransferResult& result) { read_answer(read, result); };
  }
  transfer_ = service_.transport_.start(signed_request(), std::move(delivery));
}

std::optional<std::chrono::milliseconds> Call::delay_before_another(const TransferResult& result) {
  RetryDecision decision;
  if (const auto* failure = std::get_if<TransferFailure>(&result)) {
    decision = service_.policy_.after(*failure, state_, repeat_, random_share());
  } else {
    const auto& response = std::get<HttpResponse>(result);
    if (renews_token(response)) return std::chrono::milliseconds(0);
    decision = service_.policy_.after(response, state_, repeat_, random_share(), Clock::now());
    constexpr long kTooMany = 429;
    constexpr long kBusy = 503;
    if (decision.retry && (response.status == kTooMany || response.status == kBusy)) ++throttled_;
  }
  if (!decision.retry) {
    state_.maybe_applied = state_.maybe_applied || decision.maybe_applied;
    return std::nullopt;
  }
  RetryPolicy::advance(state_, decision);
  return decision.delay;
}

bool Call::settle() {
  for (;;) {
    if (early_) return true;
    if (due_) {
      if (std::chrono::steady_clock::now() < *due_) return false;
      if (time_left() == std::chrono::milliseconds(0)) return true;  // get() says so
      due_.reset();
      send();
    }
    if (!transfer_) return true;  // get() sends it
    if (!transfer_->done()) return false;
    TransferResult result = std::exchange(transfer_, nullptr)->take();
    if (const auto delay = delay_before_another(result)) {
      due_ = std::min(std::chrono::steady_clock::now() + *delay, reader_.until);
    } else {
      early_ = std::move(result);
    }
  }
}

HttpResponse Call::get() {
  const auto pause = [this](std::chrono::milliseconds delay) {
    const auto left = time_left();
    service_.pause(left ? std::min(delay, *left) : delay, asked_);
    end_with_statement();
  };
  for (;;) {
    if (due_) {
      pause(std::chrono::duration_cast<std::chrono::milliseconds>(*std::exchange(due_, std::nullopt) -
                                                                  std::chrono::steady_clock::now()));
    }
    TransferResult result = attempt();
    if (const auto delay = delay_before_another(result)) {
      pause(*delay);
      continue;
    }
    if (const auto* failure = std::get_if<TransferFailure>(&result)) {
      if (failure->kind != TransferFailure::Kind::cancelled) end_with_statement();
      log(nullptr, failure->reason);
      service_.give_up(*failure, *this);
    }
    log(&std::get<HttpResponse>(result), {});
    return std::move(std::get<HttpResponse>(result));
  }
}

}  // namespace table_storage::backend::remote
