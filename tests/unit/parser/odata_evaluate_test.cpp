// The evaluator against a reference that is written from the rules alone: no tables, no jumps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/odata/evaluate.h"
#include "parser/odata/filter.h"
#include "tests/unit/parser/odata_generator.h"

namespace table_storage::odata {
namespace {

using edm::Type;
using edm::Value;
using edm::ValueView;

// --- Reference -----------------------------------------------------------------------------------

std::u16string utf16(std::string_view utf8) {
  std::u16string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto byte = [&](std::size_t k) {
      return static_cast<char32_t>(static_cast<unsigned char>(utf8[i + k]));
    };
    const std::size_t size = byte(0) < 0x80 ? 1 : (byte(0) < 0xE0 ? 2 : (byte(0) < 0xF0 ? 3 : 4));
    char32_t code = size == 1 ? byte(0) : byte(0) & (0xFFu >> (size + 1));
    for (std::size_t k = 1; k < size; ++k) code = (code << 6) | (byte(k) & 0x3F);
    if (code >= 0x10000) {
      out += static_cast<char16_t>(0xD800 + ((code - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
      out += static_cast<char16_t>(code);
    }
    i += size;
  }
  return out;
}

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

// Every integer of 64 bits and every double fits the 64-bit mantissa of an x87 long double.
static_assert(std::numeric_limits<long double>::digits >= 64);
std::optional<long double> number(ValueView v) {
  if (v.type() == Type::Double) return static_cast<long double>(v.as_double());
  if (v.type() == Type::Int32 || v.type() == Type::Int64) return static_cast<long double>(v.as_int64());
  return std::nullopt;
}

int rank(Type type) { return type == Type::Int32 ? 0 : (type == Type::Int64 ? 1 : 2); }

// -1, 0 or 1: the property against the literal. A mismatch is -1.
int reference_order(ValueView property, ValueView literal) {
  if (const auto a = number(property), b = number(literal); a && b) {
    if (rank(literal.type()) > rank(property.type())) return -1;  // literals do not narrow
    if (std::isnan(*a) || std::isnan(*b)) return order(std::isnan(*b), std::isnan(*a));
    return order(*a, *b);
  }
  if (property.type() != literal.type()) return -1;
  switch (property.type()) {
    case Type::String:
      return order(utf16(property.bytes()), utf16(literal.bytes()));
    case Type::Binary:
    case Type::Guid:
      return order(std::basic_string<unsigned char>(property.bytes().begin(), property.bytes().end()),
                   std::basic_string<unsigned char>(literal.bytes().begin(), literal.bytes().end()));
    case Type::Boolean:
      return order(property.as_boolean(), literal.as_boolean());
    default:
      return order(property.as_int64(), literal.as_int64());
  }
}

using Entity = std::map<std::string, Value>;

bool reference_matches(const Filter& filter, const Entity& entity) {
  switch (filter.kind) {
    case Filter::Kind::negation:
      return !reference_matches(filter.operands.at(0), entity);
    case Filter::Kind::conjunction: {
      bool all = true;
      for (const Filter& f : filter.operands) all = reference_matches(f, entity) && all;
      return all;
    }
    case Filter::Kind::disjunction: {
      bool any = false;
      for (const Filter& f : filter.operands) any = reference_matches(f, entity) || any;
      return any;
    }
    case Filter::Kind::comparison:
      break;
  }
  const auto found = entity.find(filter.property);
  if (found == entity.end()) return false;
  const int o = reference_order(found->second, filter.literal);
  switch (filter.op) {
    case Operator::eq:
      return o == 0;
    case Operator::ne:
      return o != 0;
    case Operator::gt:
      return o > 0;
    case Operator::ge:
      return o >= 0;
    case Operator::lt:
      return o < 0;
    case Operator::le:
      return o <= 0;
  }
  return false;
}

bool matches(const Evaluator& evaluator, const Entity& entity) {
  std::vector<ValueView> slots;
  for (const std::string& name : evaluator.properties()) {
    const auto found = entity.find(name);
    slots.push_back(found == entity.end() ? ValueView::missing() : found->second.view());
  }
  return evaluator.matches(slots.data());
}

bool matches(const char* filter, const Entity& entity) {
  return matches(Evaluator(parse_filter(filter)), entity);
}

// --- Tests ---------------------------------------------------------------------------------------

std::vector<Value> samples() {
  using Double = std::numeric_limits<double>;
  using Long = std::numeric_limits<std::int64_t>;
  std::vector<Value> out = {
      Value::boolean(false),
      Value::boolean(true),
      Value::int32(-5),
      Value::int32(0),
      Value::int32(5),
      Value::int32(2147483647),
      Value::int64(-5),
      Value::int64(5),
      Value::int64(2147483648),
      Value::int64((1LL << 53) + 1),
      Value::int64(Long::min()),
      Value::int64(Long::max()),
      Value::real(-5),
      Value::real(5),
      Value::real(5.5),
      Value::real(0.0),
      Value::real(-0.0),
      Value::real(9007199254740992.0),
      Value::real(9223372036854775808.0),
      Value::real(-9223372036854775808.0),
      Value::real(Double::infinity()),
      Value::real(-Double::infinity()),
      Value::real(Double::quiet_NaN()),
      Value::datetime(0),
      Value::datetime(5),
      Value::datetime(637'134'446'450'000'000),
      Value::datetime(637'134'446'450'000'001),
  };
  for (const char* text :
       {"", "5", "A", "a", "aa", "é", "\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF", "true"}) {
    out.push_back(Value::string(text));
  }
  out.push_back(Value::string(std::string_view("a\0b", 3)));
  for (const std::string_view bytes : {std::string_view(""), std::string_view("\0", 1), std::string_view("a"),
                                       std::string_view("a\xFF"), std::string_view("\xFF")}) {
    out.push_back(Value::binary(bytes));
  }
  out.push_back(Value::guid(std::string(16, '\0')));
  out.push_back(Value::guid(std::string(16, '\xAB')));
  out.push_back(Value::guid(std::string(15, '\xAB') + "\xAC"));
  return out;
}

TEST(ODataEvaluate, EveryTypeMeetsEveryTypeUnderEveryOperator) {
  const std::vector<Value> all = samples();
  for (const Value& literal : all) {
    for (int i = 0; i < 6; ++i) {
      const Filter filter = Filter::compare("v", static_cast<Operator>(i), literal);
      const Evaluator plain(filter);
      const Evaluator negated(Filter::negate(filter));
      EXPECT_FALSE(matches(plain, {}));
      EXPECT_TRUE(matches(negated, {}));
      for (const Value& property : all) {
        const Entity entity = {{"v", property}};
        const bool expected = reference_matches(filter, entity);
        std::string shown;
        print_literal(property, shown);
        EXPECT_EQ(matches(plain, entity), expected) << print(filter) << " on " << shown;
        EXPECT_EQ(matches(negated, entity), !expected) << print(filter) << " on " << shown;
      }
    }
  }
}

// The rows of the facts that people stumble over, spelt out.
TEST(ODataEvaluate, ServiceRules) {
  const Entity int5 = {{"v", Value::int32(5)}};
  const Entity long5 = {{"v", Value::int64(5)}};
  const Entity dbl5 = {{"v", Value::real(5)}};
  const Entity str5 = {{"v", Value::string("5")}};
  const Entity yes = {{"v", Value::boolean(true)}};
  const Entity absent = {{"w", Value::int32(5)}};

  for (const Entity* e : {&int5, &long5, &dbl5}) EXPECT_TRUE(matches("v eq 5", *e));
  EXPECT_FALSE(matches("v eq 5", str5));
  EXPECT_FALSE(matches("v eq 5L", int5));
  EXPECT_TRUE(matches("v eq 5L", long5));
  EXPECT_TRUE(matches("v eq 5L", dbl5));
  EXPECT_FALSE(matches("v eq 5.0", int5));
  EXPECT_FALSE(matches("v eq 5.0", long5));
  EXPECT_TRUE(matches("v eq 5.0", dbl5));
  // A mismatch behaves as if the property were smaller.
  for (const char* filter : {"v ne '5'", "v lt '5'", "v le '5'"})
    EXPECT_TRUE(matches(filter, int5)) << filter;
  for (const char* filter : {"v eq '5'", "v gt '5'", "v ge '5'"})
    EXPECT_FALSE(matches(filter, int5)) << filter;
  // Missing: false under every operator, true under not.
  for (const char* filter : {"v eq 5", "v ne 5", "v gt 5", "v ge 5", "v lt 5", "v le 5", "v"}) {
    EXPECT_FALSE(matches(filter, absent)) << filter;
    EXPECT_TRUE(matches((std::string("not (") + filter + ")").c_str(), absent)) << filter;
  }
  EXPECT_TRUE(matches("not (v ne 5 and v ne 6)", absent));
  // A bare property is `eq true`: no truthiness.
  EXPECT_TRUE(matches("v", yes));
  EXPECT_FALSE(matches("v", int5));
  EXPECT_FALSE(matches("not v", yes));
  EXPECT_TRUE(matches("not v", int5));
  // Strings are not padded, not folded and ordered by UTF-16 unit.
  EXPECT_TRUE(matches("v ge ''", str5));
  EXPECT_FALSE(matches("v lt ''", str5));
  EXPECT_TRUE(matches("v lt ''", int5));
  EXPECT_TRUE(matches("v lt '\xEE\x80\x80'", {{"v", Value::string("\xF0\x9F\x98\x80")}}));
}

TEST(ODataEvaluate, PropertiesAreListedOnceInOrderOfUse) {
  const Evaluator evaluator(parse_filter("b eq 1 or (a eq 2 and b eq 3) or not (B eq 4)"));
  EXPECT_EQ(evaluator.properties(), (std::vector<std::string>{"b", "a", "B"}));
  EXPECT_EQ(evaluator.filter(), parse_filter("b eq 1 or (a eq 2 and b eq 3) or not (B eq 4)"));
}

TEST(ODataEvaluate, CopiesAndMovesStayValid) {
  std::optional<Evaluator> first(
      Evaluator(parse_filter("v eq 'short' or v eq 'a string too long to be stored inside'")));
  const Evaluator copy = *first;
  Evaluator moved = std::move(*first);
  first.reset();
  EXPECT_TRUE(matches(copy, {{"v", Value::string("short")}}));
  EXPECT_TRUE(matches(moved, {{"v", Value::string("a string too long to be stored inside")}}));
  moved = copy;
  EXPECT_FALSE(matches(moved, {{"v", Value::string("other")}}));
}

TEST(ODataEvaluate, RandomFiltersAgreeWithTheReference) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Generator random(seed);
  int held = 0;
  int total = 0;
  for (int i = 0; i < 1500; ++i) {
    const Filter filter = random.filter(random.below(6));
    const Evaluator evaluator(filter);
    for (int j = 0; j < 10; ++j) {
      Entity entity;
      for (const std::string& name : evaluator.properties()) {
        if (random.chance(70)) entity.emplace(name, random.literal());
      }
      const bool expected = reference_matches(filter, entity);
      ASSERT_EQ(matches(evaluator, entity), expected) << print(filter);
      held += expected ? 1 : 0;
      ++total;
    }
  }
  // Both outcomes occur often enough to mean something.
  EXPECT_GT(held, total / 10);
  EXPECT_LT(held, total - total / 10);
}

}  // namespace
}  // namespace table_storage::odata
