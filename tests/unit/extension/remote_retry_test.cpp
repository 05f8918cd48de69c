#include <gtest/gtest.h>

#include "extension/backend/remote/retry_policy.h"

namespace table_storage::backend::remote {
namespace {

using std::chrono::milliseconds;
using Kind = TransferFailure::Kind;

const Clock::time_point kNow = Clock::from_time_t(1'704'067'200);  // Mon, 01 Jan 2024 00:00:00 GMT

HttpResponse answer(long status, Headers headers = {}, std::string body = {}) {
  HttpResponse response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::move(body);
  return response;
}

RetryDecision after(const HttpResponse& response, int retries = 0, Repeat repeat = Repeat::harmless,
                    double random = 0.4) {
  RetryState state;
  state.retries = retries;
  return RetryPolicy().after(response, state, repeat, random, kNow);
}

RetryDecision after(Kind kind, int retries = 0, Repeat repeat = Repeat::harmless, double random = 0.4) {
  RetryState state;
  state.retries = retries;
  return RetryPolicy().after(TransferFailure{kind, "reason"}, state, repeat, random);
}

TEST(RemoteRetry, Statuses) {
  for (const long status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(after(answer(status)).retry) << status;
  for (const long status :
       {200, 201, 204, 202, 301, 304, 400, 401, 403, 404, 405, 409, 412, 413, 414, 431, 501, 505}) {
    EXPECT_FALSE(after(answer(status)).retry) << status;
  }
}

TEST(RemoteRetry, ThreeTimesWithGrowingDelay) {
  // 0.8 + 0.5 * 0.4 = 1.0
  EXPECT_EQ(after(answer(503), 0).delay, milliseconds(800));
  EXPECT_EQ(after(answer(503), 1).delay, milliseconds(1600));
  EXPECT_EQ(after(answer(503), 2).delay, milliseconds(3200));
  EXPECT_TRUE(after(answer(503), 2).retry);
  EXPECT_FALSE(after(answer(503), 3).retry);
  EXPECT_EQ(after(answer(503), 0, Repeat::harmless, 0.0).delay, milliseconds(640));
  EXPECT_EQ(after(answer(503), 0, Repeat::harmless, 0.9999999).delay, milliseconds(1039));
  EXPECT_EQ(after(Kind::connect, 1).delay, milliseconds(1600));
}

TEST(RemoteRetry, DelayIsCapped) {
  RetryOptions options;
  options.max_retries = 1'000'000;
  RetryState state;
  for (const int retries : {7, 20, 63, 64, 5000}) {
    state.retries = retries;
    EXPECT_EQ(RetryPolicy(options).after(answer(503), state, Repeat::harmless, 0.5, kNow).delay,
              milliseconds(60'000))
        << retries;
  }
}

TEST(RemoteRetry, NoneIfNotWanted) {
  RetryOptions options;
  options.max_retries = 0;
  EXPECT_FALSE(RetryPolicy(options).after(answer(503), {}, Repeat::harmless, 0.5, kNow).retry);
  EXPECT_FALSE(RetryPolicy(options).after({Kind::connect, ""}, {}, Repeat::harmless, 0.5).retry);
  EXPECT_TRUE(RetryPolicy(options).after({Kind::dead_reused, ""}, {}, Repeat::harmless, 0.5).retry);
}

TEST(RemoteRetry, HintsOfTheServerWin) {
  EXPECT_EQ(after(answer(503, {{"Retry-After", "7"}})).delay, milliseconds(7000));
  EXPECT_EQ(after(answer(503, {{"retry-after", "0"}})).delay, milliseconds(0));
  EXPECT_EQ(after(answer(429, {{"x-ms-retry-after-ms", "250"}})).delay, milliseconds(250));
  EXPECT_EQ(
      after(answer(429, {{"Retry-After", "9"}, {"x-ms-retry-after-ms", "250"}, {"retry-after-ms", "50"}}))
          .delay,
      milliseconds(50));
  EXPECT_EQ(after(answer(429, {{"Retry-After", "9"}, {"x-ms-retry-after-ms", "junk"}})).delay,
            milliseconds(9000));
  EXPECT_EQ(after(answer(503, {{"Retry-After", "120"}})).delay,
            milliseconds(120'000));  // longer than our own cap
}

TEST(RemoteRetry, RetryAfterAsDate) {
  EXPECT_EQ(after(answer(503, {{"Retry-After", "Mon, 01 Jan 2024 00:00:05 GMT"}})).delay, milliseconds(5000));
  EXPECT_EQ(after(answer(503, {{"Retry-After", "Sun, 31 Dec 2023 23:59:00 GMT"}})).delay, milliseconds(0));
}

TEST(RemoteRetry, HintsThatAreNone) {
  for (const char* text : {"", "-5", "soon", "1.5", "7x", " "}) {
    EXPECT_EQ(after(answer(503, {{"Retry-After", text}})).delay, milliseconds(800)) << text;
  }
  for (const char* text : {"99999999999", "999999999999999999999999999", "9223372036854775807"}) {
    EXPECT_EQ(after(answer(503, {{"Retry-After", text}})).delay, std::chrono::hours(24)) << text;
  }
  EXPECT_FALSE(after(answer(400, {{"Retry-After", "1"}})).retry);
}

TEST(RemoteRetry, DeadConnectionAtOnceAndForFree) {
  const RetryDecision decision = after(Kind::dead_reused, 3);
  EXPECT_TRUE(decision.retry);
  EXPECT_EQ(decision.delay, milliseconds(0));
  RetryState state;
  RetryPolicy::advance(state, decision);
  EXPECT_EQ(state.retries, 0);
  EXPECT_EQ(state.dead_reused, 1);
  // A write under an ETag too; the next 412 may be the answer to it.
  EXPECT_TRUE(after(Kind::dead_reused, 0, Repeat::refused).retry);
  EXPECT_TRUE(state.maybe_applied);
  // An insert that was applied and taken away must not come again.
  EXPECT_FALSE(after(Kind::dead_reused, 0, Repeat::harmful).retry);
  EXPECT_TRUE(after(Kind::dead_reused, 0, Repeat::harmful).maybe_applied);
  // Not for ever.
  state = {};
  int count = 0;
  for (; count < 1000; ++count) {
    const RetryDecision next = RetryPolicy().after({Kind::dead_reused, ""}, state, Repeat::harmless, 0.5);
    if (!next.retry) break;
    RetryPolicy::advance(state, next);
  }
  EXPECT_LT(count, 200);
}

TEST(RemoteRetry, WritesWhoseAnswerWasLost) {
  const RetryDecision lost = after(Kind::lost_answer, 0, Repeat::harmful);
  EXPECT_FALSE(lost.retry);
  EXPECT_TRUE(lost.maybe_applied);
  EXPECT_TRUE(after(Kind::lost_answer, 0, Repeat::harmless).retry);
  EXPECT_TRUE(after(Kind::lost_answer, 0, Repeat::harmless).maybe_applied);
  EXPECT_FALSE(after(Kind::lost_answer, 0, Repeat::refused).retry);
  // Nothing was sent.
  EXPECT_TRUE(after(Kind::connect, 0, Repeat::harmful).retry);
  EXPECT_FALSE(after(Kind::connect, 0, Repeat::harmful).maybe_applied);
  for (const long status : {500, 502, 504}) {
    EXPECT_FALSE(after(answer(status), 0, Repeat::harmful).retry) << status;
    EXPECT_TRUE(after(answer(status), 0, Repeat::harmful).maybe_applied) << status;
  }
  for (const long status : {408, 429, 503}) {
    EXPECT_TRUE(after(answer(status), 0, Repeat::harmful).retry) << status;
    EXPECT_FALSE(after(answer(status), 0, Repeat::harmful).maybe_applied) << status;
  }
  EXPECT_FALSE(after(answer(503, {{"x-ms-error-code", "OperationTimedOut"}}), 0, Repeat::harmful).retry);
}

// A connection that breaks says nothing about the service.
TEST(RemoteRetry, LostAnswersAtOnceAndThenSlower) {
  for (const Kind kind : {Kind::lost_answer, Kind::damaged}) {
    EXPECT_EQ(after(kind, 0).delay, milliseconds(0));
    EXPECT_EQ(after(kind, 1).delay, milliseconds(800));
    EXPECT_EQ(after(kind, 2).delay, milliseconds(1600));
    EXPECT_FALSE(after(kind, 3).retry);
    EXPECT_TRUE(after(kind, 0).maybe_applied);
    EXPECT_FALSE(after(kind, 0, Repeat::harmful).retry);
  }
}

// A wrong port or name is told within a second, and a service that is starting gets a second chance.
TEST(RemoteRetry, NobodyThereIsToldSoon) {
  milliseconds total{0};
  RetryState state;
  int attempts = 1;
  for (;; ++attempts) {
    const RetryDecision decision =
        RetryPolicy().after({Kind::unreachable, "refused"}, state, Repeat::harmful, 0.9999999);
    if (!decision.retry) break;
    EXPECT_FALSE(decision.maybe_applied);
    total += decision.delay;
    RetryPolicy::advance(state, decision);
  }
  EXPECT_EQ(attempts, 3);
  EXPECT_LE(total, milliseconds(1000));
  EXPECT_GE(total, milliseconds(500));
  RetryOptions none;
  none.max_retries = 0;
  EXPECT_FALSE(RetryPolicy(none).after({Kind::unreachable, "refused"}, {}, Repeat::harmless, 0.5).retry);
}

TEST(RemoteRetry, CancelledIsTheEnd) {
  EXPECT_FALSE(after(Kind::cancelled).retry);
  EXPECT_TRUE(after(Kind::cancelled).maybe_applied);
}

TEST(RemoteRetry, TableBeingDeletedIsSlow) {
  const HttpResponse deleted = answer(
      409, {},
      R"({"odata.error":{"code":"TableBeingDeleted","message":{"lang":"en-US","value":"The specified table is being deleted."}}})");
  RetryState state;
  state.retries = 3;  // counted apart
  milliseconds total{0};
  for (int i = 0; i < 100; ++i) {
    const RetryDecision decision = RetryPolicy().after(deleted, state, Repeat::harmful, 0.5, kNow);
    if (!decision.retry) break;
    total += decision.delay;
    RetryPolicy::advance(state, decision);
  }
  EXPECT_GE(total, std::chrono::seconds(40));
  EXPECT_LE(total, std::chrono::minutes(3));
  EXPECT_EQ(state.retries, 3);
  EXPECT_FALSE(state.maybe_applied);
  EXPECT_FALSE(after(answer(409, {{"x-ms-error-code", "EntityAlreadyExists"}})).retry);
}

}  // namespace
}  // namespace table_storage::backend::remote
