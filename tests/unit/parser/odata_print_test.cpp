// print() and parse_filter() are inverse to each other.
#include <gtest/gtest.h>

#include <string>

#include "parser/error.h"
#include "parser/odata/filter.h"
#include "tests/unit/parser/odata_generator.h"

namespace table_storage::odata {
namespace {

Filter is(const char* name, std::int32_t value) {
  return Filter::compare(name, Operator::eq, edm::Value::int32(value));
}

TEST(ODataPrint, StructureNeedsNoMoreParenthesesThanItHas) {
  const Filter a = is("a", 1);
  const Filter b = is("b", 2);
  const Filter c = is("c", 3);
  EXPECT_EQ(print(Filter::any_of({Filter::all_of({a, b}), c})), "a eq 1 and b eq 2 or c eq 3");
  EXPECT_EQ(print(Filter::all_of({Filter::any_of({a, b}), c})), "(a eq 1 or b eq 2) and c eq 3");
  EXPECT_EQ(print(Filter::all_of({Filter::all_of({a, b}), c})), "(a eq 1 and b eq 2) and c eq 3");
  EXPECT_EQ(print(Filter::any_of({a, Filter::any_of({b, c})})), "a eq 1 or (b eq 2 or c eq 3)");
  EXPECT_EQ(print(Filter::negate(Filter::any_of({a, b}))), "not (a eq 1 or b eq 2)");
  EXPECT_EQ(print(Filter::negate(Filter::negate(a))), "not (not (a eq 1))");
}

TEST(ODataPrint, FactoriesKeepASingleOperandAsItIs) {
  EXPECT_EQ(Filter::all_of({is("a", 1)}), is("a", 1));
  EXPECT_EQ(Filter::any_of({is("a", 1)}), is("a", 1));
}

TEST(ODataPrint, LiteralsKeepTheirType) {
  const auto text = [](const edm::Value& value) {
    std::string out;
    print_literal(value, out);
    return out;
  };
  EXPECT_EQ(text(edm::Value::string("it's")), "'it''s'");
  EXPECT_EQ(text(edm::Value::string("")), "''");
  EXPECT_EQ(text(edm::Value::string("''")), "''''''");
  EXPECT_EQ(text(edm::Value::binary(std::string_view("\x0a\xff\0", 3))), "X'0aff00'");
  EXPECT_EQ(text(edm::Value::boolean(false)), "false");
  EXPECT_EQ(text(edm::Value::int32(-5)), "-5");
  EXPECT_EQ(text(edm::Value::int64(5)), "5L");
  EXPECT_EQ(text(edm::Value::real(5)), "5.0");
  EXPECT_EQ(text(edm::Value::real(1e300)), "1e+300");
  EXPECT_EQ(text(edm::Value::real(std::numeric_limits<double>::infinity())), "INF");
  EXPECT_EQ(text(edm::Value::real(-std::numeric_limits<double>::infinity())), "-INF");
  EXPECT_EQ(text(edm::Value::real(std::numeric_limits<double>::quiet_NaN())), "NaN");
  EXPECT_EQ(text(edm::Value::datetime(621'355'968'000'000'001)), "datetime'1970-01-01T00:00:00.0000001Z'");
  EXPECT_EQ(text(edm::Value::guid(std::string(16, '\xAB'))), "guid'abababab-abab-abab-abab-abababababab'");
}

TEST(ODataPrint, NamesThatNoFilterCanHoldAreRefusedInsteadOfMisread) {
  for (const char* name : {"", "a b", "a-b", "1a", "x eq 1 or y", "not", "true", "false", "null", "NaN",
                           "INF", "a/b", "a.b", "$x", "\xF0\x9F\x98\x80", "\xFF"}) {
    EXPECT_FALSE(can_name(name)) << name;
    EXPECT_FALSE(can_name_everywhere(name)) << name;
    EXPECT_THROW(print(is(name, 1)), Error) << name;
  }
  for (const char* name : {"mod", "or", "and", "eq", "le", "div"}) {
    EXPECT_TRUE(can_name(name)) << name;
    EXPECT_FALSE(can_name_everywhere(name)) << name;
    EXPECT_EQ(parse_filter(print(is(name, 1))), is(name, 1));
  }
  for (const char* name : {"a", "_", "_1", "größe", "名前", "Not", "nota", "TRUE", "datetime", "guid", "X",
                           "INFx", "a\xCC\x81" /* combining accent */}) {
    EXPECT_TRUE(can_name_everywhere(name)) << name;
    EXPECT_EQ(parse_filter(print(is(name, 1))), is(name, 1)) << name;
  }
}

TEST(ODataPrint, EveryFilterReadsBackAsItself) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Generator random(seed);
  for (int i = 0; i < 4000; ++i) {
    const Filter filter = random.filter(random.below(6));
    const std::string text = print(filter);
    ASSERT_EQ(parse_filter(text), filter) << text;
  }
}

TEST(ODataPrint, OtherSpellingsReadAsTheSameFilter) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Generator random(seed);
  for (int i = 0; i < 4000; ++i) {
    const Filter filter = random.filter(random.below(6));
    const std::string text = random.scribble(filter);
    ASSERT_EQ(parse_filter(text), filter) << text << "\nprints as " << print(filter);
  }
}

// Cut or damaged text must end in a Filter or an Error with a position inside the text, never in anything
// else.
TEST(ODataPrint, DamagedTextIsReadOrRefused) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::Generator random(seed);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = random.scribble(random.filter(3));
    for (int j = 1 + random.below(3); j > 0 && !text.empty(); --j) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size())));
      switch (random.below(3)) {
        case 0:
          text.erase(at);
          break;
        case 1:
          text[at] = static_cast<char>(random.below(256));
          break;
        default:
          text.insert(at, 1, "()'-/. 0xeLnot"[random.below(14)]);
      }
    }
    try {
      const Filter filter = parse_filter(text);
      ASSERT_EQ(parse_filter(print(filter)), filter) << text;
    } catch (const Error& error) {
      ++refused;
      ASSERT_TRUE(error.kind() == Error::Kind::invalid || error.kind() == Error::Kind::unsupported) << text;
      ASSERT_TRUE(error.position().has_value()) << text << "\n" << error.what();
      ASSERT_LE(*error.position(), text.size()) << text << "\n" << error.what();
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace table_storage::odata
