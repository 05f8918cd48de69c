// The plan language: golden texts, refusals, and random plans there and back.
#include "parser/plan/plan.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "parser/error.h"

namespace table_storage::plan {
namespace {

Plan full_plan() {
  Plan plan;
  plan.access = Plan::Access::keys;
  plan.keys = {{"PartitionKey", Operator::eq, {1, true}}, {"RowKey", Operator::ge, {2, false}}};
  plan.filter = {{"Temperature", Operator::gt, {3, true}}, {"In use", Operator::is, {4, false}}};
  plan.odata = {{5, false}, {6, true}};
  plan.fetch = {"Temperature", "In use"};
  plan.order = {"PartitionKey", "RowKey"};
  plan.limit = Argument{7, false};
  plan.offset = Argument{8, true};
  plan.rechecked = {"Temperature", "say \"hi\""};
  return plan;
}

TEST(Plan, PrintsEveryClauseInOrder) {
  EXPECT_EQ(print(full_plan()),
            "keys PartitionKey = ?1! and RowKey >= ?2; filter Temperature > ?3! and \"In use\" is ?4; "
            "odata ?5 and ?6!; fetch Temperature, \"In use\"; ordered by PartitionKey, RowKey; limit ?7 "
            "offset ?8!; "
            "SQLite checks Temperature, \"say \"\"hi\"\"\"");
  EXPECT_EQ(parse_plan(print(full_plan())), full_plan());
}

TEST(Plan, DistinctPartitions) {
  Plan plan;
  plan.order = {"PartitionKey"};
  plan.distinct_partitions = true;
  EXPECT_EQ(print(plan), "whole table; fetch keys only; ordered by PartitionKey; distinct PartitionKey");
  EXPECT_EQ(parse_plan(print(plan)), plan);
  EXPECT_THROW(parse_plan("whole table; fetch keys only; distinct RowKey"), Error);
  EXPECT_THROW(parse_plan("whole table; distinct PartitionKey; fetch keys only"), Error);
}

TEST(Plan, PrintsTheOtherAccesses) {
  EXPECT_EQ(print(Plan{}), "whole table; fetch keys only");
  Plan row;
  row.access = Plan::Access::row;
  row.keys = {{"rowid", Operator::in, {1, false}}};
  row.fetch = {"keys only", "keys"};
  EXPECT_EQ(print(row), "row rowid in ?1; fetch \"keys only\", \"keys\"");
  EXPECT_EQ(parse_plan(print(row)), row);
}

TEST(Plan, EveryOperator) {
  const std::vector<std::string_view> texts{"=", "is", "<", "<=", ">", ">=", "<>", "like", "glob", "in"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto op = static_cast<Operator>(i);
    EXPECT_EQ(text_of(op), texts[i]);
    const std::string text = "whole table; filter a " + std::string(texts[i]) + " ?12; fetch keys only";
    const Plan plan = parse_plan(text);
    ASSERT_EQ(plan.filter.size(), 1U);
    EXPECT_EQ(plan.filter[0].op, op);
    EXPECT_EQ(plan.filter[0].argument, (Argument{12, false}));
    EXPECT_EQ(print(plan), text);
  }
}

TEST(Plan, QuotesWhatIsNoPlainWord) {
  Plan plan;
  for (const char* name :
       {"", "and", "IS", "Keys", "9lives", "a b", "Größe", "a\"b", "\"", "a; limit ?1", "a\nb", "a.b"})
    plan.fetch.emplace_back(name);
  EXPECT_EQ(print(plan),
            "whole table; fetch \"\", \"and\", \"IS\", \"Keys\", \"9lives\", \"a b\", \"Größe\", \"a\"\"b\", "
            "\"\"\"\", \"a; limit ?1\", \"a\nb\", \"a.b\"");
  EXPECT_EQ(parse_plan(print(plan)), plan);
}

TEST(Plan, ReadsWordsOfTheLanguageAsColumnsToo) {
  const Plan plan = parse_plan("whole table; filter and is ?1 and is = ?2; fetch keys, only");
  EXPECT_EQ(plan.filter[0].column, "and");
  EXPECT_EQ(plan.filter[1].column, "is");
  EXPECT_EQ(plan.fetch, (std::vector<std::string>{"keys", "only"}));
}

TEST(Plan, AbsentFetchIsKeysOnly) {
  EXPECT_EQ(parse_plan("whole table"), parse_plan("whole table; fetch keys only"));
}

struct Case {
  std::string text;
  std::size_t position;
  std::string message;
};

TEST(Plan, RefusesWithThePlace) {
  const std::string clause =
      "expected the end, or a clause: filter, match, odata, fetch, ordered by, distinct PartitionKey, limit, "
      "SQLite checks (in this "
      "order, "
      "each at "
      "most once) before ";
  const std::vector<Case> cases{
      {"", 0, "scan plan, byte 0: expected whole table, keys or row at the end"},
      {"all", 0, "scan plan, byte 0: expected whole table, keys or row before `all`"},
      {"keys ", 5, "scan plan, byte 5: expected a condition, as RowKey = ?1 at the end"},
      {"keys RowKey", 11, "scan plan, byte 11: expected a blank at the end"},
      {"keys RowKey  = ?1", 12,
       "scan plan, byte 12: expected an operator (= is < <= > >= <> like glob in) before ` = ?1`"},
      {"keys RowKey == ?1", 13, "scan plan, byte 13: expected a blank before `= ?1`"},
      {"keys RowKey isnt ?1", 14, "scan plan, byte 14: expected a blank before `nt ?1`"},
      {"keys RowKey = 1", 14, "scan plan, byte 14: expected an argument, as ?1 before `1`"},
      {"keys RowKey = ?", 15, "scan plan, byte 15: expected a number from 1 at the end"},
      {"keys RowKey = ?0", 15, "scan plan, byte 15: expected a number from 1 before `0`"},
      {"keys RowKey = ?-1", 15, "scan plan, byte 15: expected a number from 1 before `-1`"},
      {"keys RowKey = ?01", 15, "scan plan, byte 15: expected a number from 1 before `01`"},
      {"keys RowKey = ?9999999999", 15, "scan plan, byte 15: expected a number from 1 before `9999999999`"},
      {"keys RowKey = ?1 and", 16, "scan plan, byte 16: " + clause + "` and`"},
      {"keys RowKey = ?1 and ", 21, "scan plan, byte 21: expected a condition, as RowKey = ?1 at the end"},
      {"row rowid = ?1 and rowid = ?2", 14, "scan plan, byte 14: " + clause + "` and rowid = ?2`"},
      {"whole table; fetch ", 19, "scan plan, byte 19: expected keys only, or a column at the end"},
      {"whole table; fetch a,b", 20, "scan plan, byte 20: " + clause + "`,b`"},
      {"whole table; fetch a, ", 22, "scan plan, byte 22: expected a column at the end"},
      {"whole table; fetch \"a", 21, "scan plan, byte 21: expected the closing \" at the end"},
      {"whole table; fetch keys only, a", 28, "scan plan, byte 28: " + clause + "`, a`"},
      {"whole table; limit 5", 19, "scan plan, byte 19: expected an argument, as ?1 before `5`"},
      {"whole table; limit ?1 offset 2", 29, "scan plan, byte 29: expected an argument, as ?1 before `2`"},
      {"whole table; offset ?1", 11, "scan plan, byte 11: " + clause + "`; offset ?1`"},
      {"whole table; limit ?1; fetch a", 21, "scan plan, byte 21: " + clause + "`; fetch a`"},
      {"whole table; fetch a; fetch b", 20, "scan plan, byte 20: " + clause + "`; fetch b`"},
      {"whole table; ", 11, "scan plan, byte 11: " + clause + "`; `"},
      {" whole table", 0, "scan plan, byte 0: expected whole table, keys or row before ` whole table`"},
      {"keys a = ?1", 0,
       "scan plan `keys a = ?1`: access by keys takes conditions on PartitionKey and RowKey"},
      {"row RowKey = ?1", 0, "scan plan `row RowKey = ?1`: access by row takes one condition on rowid"},
  };
  for (const Case& c : cases) {
    try {
      parse_plan(c.text);
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::invalid);
      EXPECT_EQ(std::string(error.what()), c.message);
      EXPECT_EQ(error.position(), c.position) << c.text;
    }
  }
}

TEST(Plan, DoesNotPrintWhatItCouldNotRead) {
  const auto refused = [](auto&& spoil) {
    Plan plan = full_plan();
    spoil(plan);
    EXPECT_THROW(print(plan), Error);
  };
  refused([](Plan& p) { p.access = Plan::Access::whole_table; });
  refused([](Plan& p) { p.access = Plan::Access::row; });
  refused([](Plan& p) { p.keys.clear(); });
  refused([](Plan& p) { p.keys[0].column = "Other"; });
  refused([](Plan& p) { p.limit.reset(); });
  refused([](Plan& p) { p.filter[0].argument.position = 0; });
  refused([](Plan& p) { p.odata[0].position = -1; });
  refused([](Plan& p) { p.match = {{"a", Operator::lt, {9, false}}}; });
  refused([](Plan& p) { p.match = {{"a", Operator::eq, {0, false}}}; });
  refused([](Plan& p) { p.offset->position = 0; });
}

class RandomPlans {
 public:
  explicit RandomPlans(unsigned seed) : random_(seed) {}

  Plan next() {
    Plan plan;
    plan.access = static_cast<Plan::Access>(below(3));
    if (plan.access == Plan::Access::row) plan.keys = {condition("rowid")};
    if (plan.access == Plan::Access::keys)
      for (int n = below(4); n >= 0; --n)
        plan.keys.push_back(condition(below(2) ? "PartitionKey" : "RowKey"));
    for (int n = below(4); n > 0; --n) plan.filter.push_back(condition(name()));
    for (int n = below(3); n > 0; --n)
      plan.match.push_back({name(), below(2) ? Operator::eq : Operator::is, argument()});
    for (int n = below(3); n > 0; --n) plan.odata.push_back(argument());
    for (int n = below(4); n > 0; --n) plan.fetch.push_back(name());
    for (int n = below(3); n > 0; --n) plan.order.push_back(name());
    if (below(2)) plan.limit = argument();
    if (plan.limit && below(2)) plan.offset = argument();
    for (int n = below(4); n > 0; --n) plan.rechecked.push_back(name());
    return plan;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Argument argument() { return {below(4) ? 1 + below(20) : 999'999'999 - below(3), below(2) == 1}; }
  Condition condition(std::string column) {
    return {std::move(column), static_cast<Operator>(below(10)), argument()};
  }

  std::string name() {
    static const std::vector<std::string> odd{"and",
                                              "is",
                                              "in",
                                              "keys only",
                                              "keys",
                                              "row",
                                              "limit",
                                              "a and b",
                                              "; fetch x",
                                              "?1",
                                              "?1!",
                                              "\"",
                                              "\"\"",
                                              "a\" = ?1 and \"b",
                                              ", ",
                                              "",
                                              " ",
                                              "=",
                                              "温度",
                                              "Größe",
                                              "😀",
                                              "\xff\x80",
                                              "SQLite checks",
                                              "x'y",
                                              "a\\b",
                                              "\n"};
    if (below(3) == 0) return odd[static_cast<std::size_t>(below(static_cast<int>(odd.size())))];
    static constexpr std::string_view letters = "abcXYZ019_ \"';,?!=<>.\xc3\xa9";
    std::string out;
    for (int n = below(12); n >= 0; --n)
      out += letters[static_cast<std::size_t>(below(static_cast<int>(letters.size())))];
    return out;
  }

  std::mt19937 random_;
};

unsigned seed() {
  if (const char* given = std::getenv("TABLE_STORAGE_SEED"))
    return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  return std::random_device{}();
}

TEST(Plan, RandomPlansComeBack) {
  const unsigned start = seed();
  SCOPED_TRACE("TABLE_STORAGE_SEED=" + std::to_string(start));
  RandomPlans plans(start);
  for (int i = 0; i < 20'000; ++i) {
    const Plan plan = plans.next();
    const std::string text = print(plan);
    ASSERT_EQ(parse_plan(text), plan) << text;
    ASSERT_EQ(print(parse_plan(text)), text);
  }
}

TEST(Plan, DamagedPlansAreReadOrRefused) {
  const unsigned start = seed();
  SCOPED_TRACE("TABLE_STORAGE_SEED=" + std::to_string(start));
  std::mt19937 random(start);
  RandomPlans plans(start);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = print(plans.next());
    const std::size_t at = random() % text.size();
    if (i % 3 == 0)
      text.erase(at, 1);
    else if (i % 3 == 1)
      text[at] = static_cast<char>(random());
    else
      text.resize(at);
    try {
      const Plan plan = parse_plan(text);
      ASSERT_EQ(parse_plan(print(plan)), plan) << text;  // whatever it means, it means it twice
    } catch (const Error& error) {
      ASSERT_LE(error.position().value_or(10'000), text.size());
    }
  }
}

}  // namespace
}  // namespace table_storage::plan
