// Nesting and length: a filter may not bring the process down, whatever it looks like.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <string>

#include "parser/error.h"
#include "parser/odata/evaluate.h"
#include "parser/odata/filter.h"

namespace table_storage::odata {
namespace {

std::string repeat(std::string_view part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

// Runs in a thread with the stack that a Linux main thread has by default.
void on_usual_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8u << 20);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* argument) -> void* {
                  (*static_cast<std::function<void()>*>(argument))();
                  return nullptr;
                },
                &body),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void expect_whole_life(const std::string& text) {
  on_usual_stack([&] {
    const Filter filter = parse_filter(text);
    const std::string printed = print(filter);
    EXPECT_TRUE(parse_filter(printed) == filter);
    const Evaluator evaluator(filter);
    const std::vector<edm::ValueView> slots(evaluator.properties().size());
    evaluator.matches(slots.data());
  });
}

void expect_refusal(const std::string& text, Error::Kind kind, const std::string& part) {
  on_usual_stack([&] {
    try {
      parse_filter(text);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_LT(std::string(error.what()).size(), 400u) << "the message quotes the whole filter";
    }
  });
}

TEST(ODataDepth, DeepestNestingWorks) {
  expect_whole_life(repeat("(", kMaxDepth) + "a" + repeat(")", kMaxDepth));
  expect_whole_life(repeat("not (", kMaxDepth) + "a eq 5" + repeat(")", kMaxDepth));
  expect_whole_life(repeat("not ", kMaxDepth) + "a");
  expect_whole_life(repeat("a or b and (", kMaxDepth) + "a" + repeat(")", kMaxDepth));
  expect_whole_life(repeat("(", kMaxDepth) + "a or b" + repeat(" and c or d)", kMaxDepth));
  expect_whole_life(repeat("a and not (", kMaxDepth) + "a" + repeat(")", kMaxDepth));
}

TEST(ODataDepth, OneLevelMoreIsRefused) {
  const int n = kMaxDepth + 1;
  expect_refusal(repeat("(", n) + "a" + repeat(")", n), Error::Kind::invalid, "nests deeper than 800 levels");
  expect_refusal(repeat("not (", n) + "a" + repeat(")", n), Error::Kind::invalid,
                 "nests deeper than 800 levels");
  expect_refusal(repeat("not ", n) + "a", Error::Kind::invalid, "nests deeper than 800 levels");
  expect_refusal(repeat("-", n) + "a eq 5", Error::Kind::invalid, "nests deeper than 800 levels");
  expect_refusal(repeat("f(", n) + "a" + repeat(")", n), Error::Kind::invalid,
                 "nests deeper than 800 levels");
  // The first "(" is one level, each "not not (" after it two, and the last "not not" two.
  expect_whole_life(repeat("(not not ", kMaxDepth / 2 - 1) + "(not a" + repeat(")", kMaxDepth / 2));
  expect_refusal(repeat("(not not ", kMaxDepth / 2) + "a" + repeat(")", kMaxDepth / 2), Error::Kind::invalid,
                 "nests deeper than 800 levels");
}

TEST(ODataDepth, DeepestNestingOfWhatIsNotImplemented) {
  expect_refusal(repeat("f(", kMaxDepth) + "a" + repeat(")", kMaxDepth), Error::Kind::unsupported,
                 "no functions");
  expect_refusal(repeat("a or a and a eq a add a mul (", kMaxDepth) + "a" + repeat(")", kMaxDepth),
                 Error::Kind::unsupported, "arithmetic");
}

TEST(ODataDepth, ParenthesesInsideConstantsDoNotCount) {
  expect_whole_life("a eq '" + repeat("(", 5000) + "'");
  expect_whole_life("a eq '''" + repeat("(", 5000) + "''' and b eq ')'");
  expect_whole_life("a eq 1" + repeat(" or (a eq 2)", 5000));
}

// Anything but linear time would run into the time limit of the test runner.
TEST(ODataDepth, AbsurdTextIsRefused) {
  expect_refusal(repeat("(", 1'000'000), Error::Kind::invalid, "nests deeper");
  expect_refusal(repeat("not(", 1'000'000), Error::Kind::invalid, "nests deeper");
  expect_refusal(repeat("not ", 1'000'000) + "a", Error::Kind::invalid, "nests deeper");
  expect_refusal(repeat(")", 1'000'000), Error::Kind::invalid, "expected a property name");
  expect_refusal("a eq '" + repeat("''", 1'000'000), Error::Kind::invalid, "closing quote");
  expect_refusal("a eq " + repeat("9", 1'000'000), Error::Kind::invalid, "out of range");
  expect_refusal(repeat("a", 1'000'000) + " 5", Error::Kind::invalid, "expected a comparison operator");
  expect_refusal(repeat(" ", 1'000'000), Error::Kind::invalid, "empty");
}

TEST(ODataDepth, LongChainsAreFlat) {
  constexpr int kTerms = 20'000;
  const Filter filter = parse_filter("a eq 0" + repeat(" or a eq 1", kTerms - 1));
  EXPECT_EQ(filter.kind, Filter::Kind::disjunction);
  EXPECT_EQ(filter.operands.size(), static_cast<std::size_t>(kTerms));
  expect_whole_life(print(filter));
  expect_whole_life("a" + repeat(" and b", kTerms));
  expect_whole_life("a" + repeat(" or b and c eq 'x'", kTerms));
  expect_refusal("a eq 1" + repeat(" eq true", kTerms), Error::Kind::unsupported, "result of a condition");
  expect_refusal("a eq 1" + repeat(" add 1", kTerms), Error::Kind::unsupported, "arithmetic");
}

}  // namespace
}  // namespace table_storage::odata
