#include "extension/backend/remote/retry_policy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "extension/backend/remote/service_error.h"

namespace table_storage::backend::remote {
namespace {

using std::chrono::milliseconds;

// A pool may hold many connections that a server closed at once, but not endlessly many.
constexpr int kMaxDeadReused = 100;
// Longer hints are as good as "never" and would overflow sums of times.
constexpr milliseconds kLongestHint = std::chrono::hours(24);

constexpr double kLeastJitter = 0.8;
constexpr double kMostJitter = 1.3;

std::optional<milliseconds> parse_count(std::string_view text, std::int64_t factor) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || text[0] == '-' || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return kLongestHint;
  if (error != std::errc()) return std::nullopt;
  return milliseconds(std::min(count, kLongestHint.count() / factor) * factor);
}

/// What the server asks for; the most exact header wins.
std::optional<milliseconds> hint_of(const HttpResponse& response, Clock::time_point now) {
  for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
    if (const auto text = response.header(name)) {
      if (const auto delay = parse_count(*text, 1)) return delay;
    }
  }
  const auto text = response.header("Retry-After");
  if (!text) return std::nullopt;
  if (const auto delay = parse_count(*text, 1000)) return delay;
  const auto date = parse_http_date(*text);
  if (!date) return std::nullopt;
  const auto delay = std::chrono::ceil<milliseconds>(*date - now);
  return std::clamp(delay, milliseconds(0), kLongestHint);
}

bool is_transient(long status) {
  switch (status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

/// 408, 429 and 503 say that the request was not taken up; the other transient ones leave it open. A service
/// that names a time limit of its own had begun.
bool may_be_applied(const HttpResponse& response) {
  switch (response.status) {
    case 500:
    case 502:
    case 504:
      return true;
    case 408:
    case 503:
      return service_code(response) == "OperationTimedOut";
    default:
      return false;
  }
}

}  // namespace

milliseconds RetryPolicy::backoff(milliseconds first, int retries, double random) const {
  const double factor = kLeastJitter + (kMostJitter - kLeastJitter) * random;
  const double delay = std::ldexp(static_cast<double>(first.count()), retries) * factor;
  return milliseconds(
      static_cast<std::int64_t>(std::min(delay, static_cast<double>(options_.longest_delay.count()))));
}

RetryDecision RetryPolicy::after(const TransferFailure& failure, const RetryState& state, Repeat repeat,
                                 double random) const {
  using Kind = TransferFailure::Kind;
  RetryDecision decision;
  // A connection that was dead already cannot be told from one that died while the service worked. It is
  // almost always the former, so what cannot do harm goes out again at once, marked.
  decision.maybe_applied =
      failure.kind == Kind::lost_answer || failure.kind == Kind::dead_reused || failure.kind == Kind::damaged;
  if (failure.kind == Kind::cancelled) {
    decision.maybe_applied = true;
    return decision;
  }
  if (failure.out_of_memory) return decision;  // another attempt would need no less
  if (failure.kind == Kind::dead_reused && repeat != Repeat::harmful && state.dead_reused < kMaxDeadReused) {
    decision.retry = true;
    decision.reason = RetryDecision::Reason::dead_reused;
    return decision;
  }
  if (decision.maybe_applied && repeat != Repeat::harmless) return decision;
  const bool unreachable = failure.kind == Kind::unreachable;
  const int most =
      unreachable ? std::min(options_.max_retries, options_.max_unreachable_retries) : options_.max_retries;
  if (state.retries >= most) return decision;
  decision.retry = true;
  decision.reason = RetryDecision::Reason::counted;
  if (unreachable) {
    decision.delay = backoff(options_.unreachable_delay, state.retries, random);
  } else if (decision.maybe_applied) {
    // One connection broke, which says nothing about the service: the first time without delay, then as ever.
    decision.delay =
        state.retries == 0 ? milliseconds(0) : backoff(options_.first_delay, state.retries - 1, random);
  } else {
    decision.delay = backoff(options_.first_delay, state.retries, random);
  }
  return decision;
}

RetryDecision RetryPolicy::after(const HttpResponse& response, const RetryState& state, Repeat repeat,
                                 double random, Clock::time_point now) const {
  RetryDecision decision;
  if (response.status == 409) {
    if (state.being_deleted >= options_.max_deleted_retries ||
        service_code(response) != "TableBeingDeleted") {
      return decision;
    }
    decision.retry = true;
    decision.reason = RetryDecision::Reason::being_deleted;
    decision.delay = hint_of(response, now).value_or(options_.deleted_delay);
    return decision;
  }
  if (!is_transient(response.status)) return decision;
  decision.maybe_applied = may_be_applied(response);
  if (decision.maybe_applied && repeat != Repeat::harmless) return decision;
  if (state.retries >= options_.max_retries) return decision;
  decision.retry = true;
  decision.reason = RetryDecision::Reason::counted;
  decision.delay = hint_of(response, now).value_or(backoff(options_.first_delay, state.retries, random));
  return decision;
}

void RetryPolicy::advance(RetryState& state, const RetryDecision& decision) {
  state.maybe_applied = state.maybe_applied || decision.maybe_applied;
  switch (decision.reason) {
    case RetryDecision::Reason::none:
      break;
    case RetryDecision::Reason::counted:
      ++state.retries;
      break;
    case RetryDecision::Reason::dead_reused:
      ++state.dead_reused;
      break;
    case RetryDecision::Reason::being_deleted:
      ++state.being_deleted;
      break;
  }
}

}  // namespace table_storage::backend::remote
