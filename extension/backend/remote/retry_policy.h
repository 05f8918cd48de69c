// Whether a request is sent again, and after how long. No clock, no random source, no network: all of these
// are arguments.
//
// Source: the retry policy of the official C++ SDK (statuses, delays, hints), "Table Storage error codes".
#pragma once

#include <chrono>

#include "extension/backend/remote/http.h"
#include "extension/backend/remote/http_date.h"

namespace table_storage::backend::remote {

/// What a request does that the service carries out twice.
enum class Repeat : unsigned char {
  harmless,  // the same as once
  refused,   // nothing: it carries an ETag, and the second time is refused
  harmful    // maybe something: an entity inserted once more after somebody has taken it away
};

struct RetryOptions {
  int max_retries = 3;  // 0: never, but for dead connections
  std::chrono::milliseconds first_delay{800};
  std::chrono::milliseconds longest_delay{60'000};  // of our own; a hint of the server may be longer
  /// Where nobody listens, or the name has no address: usually a slip in the server's definition, and at best
  /// a service that is just starting. Twice, within a second in all.
  int max_unreachable_retries = 2;
  std::chrono::milliseconds unreachable_delay{250};
  /// A table that is being deleted keeps its name for 40 s or more: its own count and pace.
  int max_deleted_retries = 6;
  std::chrono::milliseconds deleted_delay{15'000};
};

/// What has been done about one request so far. Starts empty; advance() counts.
struct RetryState {
  int retries = 0;  // that count against max_retries
  int dead_reused = 0;
  int being_deleted = 0;
  /// Some attempt may have been applied although its success was never seen: a 409, 412 or 404 that follows
  /// may be the answer to our own write.
  bool maybe_applied = false;
};

struct RetryDecision {
  enum class Reason : unsigned char { none, counted, dead_reused, being_deleted };

  bool retry = false;
  std::chrono::milliseconds delay{0};
  /// This attempt may have been applied. A request whose repetition is not harmless is then not sent again
  /// (read back instead). A dead connection is the exception where a repetition would be refused:
  /// RetryState::maybe_applied remembers, since that refusal may be about this attempt.
  bool maybe_applied = false;
  Reason reason = Reason::none;
};

/// Constant after construction: any thread.
class RetryPolicy {
 public:
  explicit RetryPolicy(RetryOptions options = {}) : options_(options) {}

  /// No complete answer came. `random` is in [0, 1).
  RetryDecision after(const TransferFailure& failure, const RetryState& state, Repeat repeat,
                      double random) const;
  /// An answer came. Success, and errors that a repetition would not change, are not retried. `now` is for a
  /// Retry-After that is a date.
  RetryDecision after(const HttpResponse& response, const RetryState& state, Repeat repeat, double random,
                      Clock::time_point now) const;

  static void advance(RetryState& state, const RetryDecision& decision);

 private:
  std::chrono::milliseconds backoff(std::chrono::milliseconds first, int retries, double random) const;

  RetryOptions options_;
};

}  // namespace table_storage::backend::remote
