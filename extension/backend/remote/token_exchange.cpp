#include "extension/backend/remote/token_exchange.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "extension/backend/remote/retry_policy.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::chrono::seconds kWholeTime{60};
constexpr std::chrono::seconds kOneRequest{20};
constexpr std::chrono::seconds kMetadataConnect{1};

bool asks_metadata_service(const HttpRequest& request) {
  return request.path.starts_with("/metadata/identity/");
}

Error interrupted_error() {
  return Error(Error::Kind::storage, "", "interrupted while a token was asked for").native(SQLITE_INTERRUPT);
}

class TokenExchanger {
 public:
  TokenExchanger(TransportOptions options, Interrupted interrupted)
      : transport_(limited(options, kOneRequest)),
        metadata_transport_(limited(std::move(options), kMetadataConnect)),
        interrupted_(std::move(interrupted)) {}

  HttpResponse exchange(const HttpRequest& request) {
    using std::chrono::milliseconds;
    const auto end = std::chrono::steady_clock::now() + kWholeTime;
    Transport& transport = asks_metadata_service(request) ? metadata_transport_ : transport_;
    RetryState state;
    for (;;) {
      const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      Delivery delivery;
      delivery.timeout = std::max(milliseconds(1), left);
      TransferResult result = transport.perform(request, interrupted_, std::move(delivery));
      RetryDecision decision;
      if (const auto* failure = std::get_if<TransferFailure>(&result)) {
        if (failure->kind == TransferFailure::Kind::cancelled) throw interrupted_error();
        // Nobody at home is what a machine without a metadata service says, and asking again would not help.
        if (!asks_metadata_service(request)) decision = policy_.after(*failure, state, Repeat::harmless, 0.5);
        if (!decision.retry || std::chrono::steady_clock::now() + decision.delay >= end) {
          throw Error(Error::Kind::storage, "",
                      "no answer from " + request.origin + ", which gives tokens (" + failure->reason + ")")
              .native(SQLITE_IOERR);
        }
      } else {
        auto& response = std::get<HttpResponse>(result);
        decision = after(request, response, state);
        if (!decision.retry || std::chrono::steady_clock::now() + decision.delay >= end)
          return std::move(response);
      }
      RetryPolicy::advance(state, decision);
      pause(decision.delay);
    }
  }

 private:
  static TransportOptions limited(TransportOptions options, std::chrono::seconds connect) {
    options.connect_timeout = std::min<std::chrono::milliseconds>(options.connect_timeout, connect);
    options.request_timeout = std::min<std::chrono::milliseconds>(options.request_timeout, kOneRequest);
    options.stall_timeout = std::min<std::chrono::seconds>(options.stall_timeout, kOneRequest);
    options.largest_answer = std::size_t{1} << 20;
    options.idle_connections = 1;
    return options;
  }

  RetryDecision after(const HttpRequest& request, const HttpResponse& response,
                      const RetryState& state) const {
    // While an identity is being assigned and while the service is updated.
    if (asks_metadata_service(request) && (response.status == 404 || response.status == 410)) {
      HttpResponse busy;
      busy.status = 503;
      return policy_.after(busy, state, Repeat::harmless, 0.5, Clock::now());
    }
    return policy_.after(response, state, Repeat::harmless, 0.5, Clock::now());
  }

  void pause(std::chrono::milliseconds delay) const {
    const auto until = std::chrono::steady_clock::now() + delay;
    while (std::chrono::steady_clock::now() < until) {
      if (interrupted_ && interrupted_()) throw interrupted_error();
      std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(delay, kInterruptInterval));
    }
  }

  Transport transport_;
  Transport metadata_transport_;
  Interrupted interrupted_;
  RetryPolicy policy_;
};

class RereadSource final : public TokenSource {
 public:
  RereadSource(std::string name, std::function<std::string()> read)
      : name_(std::move(name)), read_(std::move(read)) {}

  Token fetch(const Exchanger&, WallTime now) const override {
    constexpr std::chrono::minutes kUsed{5};
    std::string token = read_();
    if (token.empty() ||
        std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c >= 0x7F; }))
      throw Error(Error::Kind::invalid, "",
                  name_ + " is no bearer token: it holds characters that no token has");
    return {std::move(token), now + kUsed};
  }

 private:
  const std::string name_;
  const std::function<std::string()> read_;
};

class ChainSource final : public TokenSource {
 public:
  explicit ChainSource(std::vector<std::unique_ptr<TokenSource>> sources) : sources_(std::move(sources)) {}

  Token fetch(const Exchanger& exchange, WallTime now) const override {
    std::string said;
    for (const auto& source : sources_) {
      try {
        return source->fetch(exchange, now);
      } catch (const Error& error) {
        if (error.native_code() == SQLITE_INTERRUPT) throw;
        said += (said.empty() ? "" : "; ") + std::string(error.what());
      }
    }
    throw Error(Error::Kind::storage, "", "no way to sign in gave a token: " + said);
  }

 private:
  const std::vector<std::unique_ptr<TokenSource>> sources_;
};

}  // namespace

Exchanger make_exchanger(TransportOptions options, Interrupted interrupted) {
  auto exchanger = std::make_shared<TokenExchanger>(std::move(options), std::move(interrupted));
  return [exchanger](const HttpRequest& request) { return exchanger->exchange(request); };
}

std::unique_ptr<TokenSource> reread_source(std::string name, std::function<std::string()> read) {
  return std::make_unique<RereadSource>(std::move(name), std::move(read));
}

std::unique_ptr<TokenSource> chain_source(std::vector<std::unique_ptr<TokenSource>> sources) {
  return std::make_unique<ChainSource>(std::move(sources));
}

}  // namespace table_storage::backend::remote
