// What parse_filter() accepts, as text and the canonical text of what it means.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parser/odata/filter.h"

namespace table_storage::odata {
namespace {

using edm::Value;

struct Case {
  const char* text;
  const char* meaning;  // as print() writes it
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    try {
      EXPECT_EQ(print(parse_filter(c.text)), c.meaning) << c.text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << c.text << "\n  " << error.what();
    }
  }
}

TEST(ODataGrammar, OperatorsBindByPrecedence) {
  expect_all({
      {"a or b and c", "a eq true or b eq true and c eq true"},
      {"(a or b) and c", "(a eq true or b eq true) and c eq true"},
      {"a and b or c and d", "a eq true and b eq true or c eq true and d eq true"},
      {"a or b or c", "a eq true or b eq true or c eq true"},
      {"a or (b or c)", "a eq true or (b eq true or c eq true)"},
      {"(a or b) or c", "(a eq true or b eq true) or c eq true"},
      {"(a and b) and (c and d)", "(a eq true and b eq true) and (c eq true and d eq true)"},
      {"not a and b", "not (a eq true) and b eq true"},
      {"not (a and b)", "not (a eq true and b eq true)"},
      {"not a or not b", "not (a eq true) or not (b eq true)"},
      {"not not a", "not (not (a eq true))"},
      {"not not (v eq 5)", "not (not (v eq 5))"},
      {"a eq 1 and not (b eq 2) or c eq 3", "a eq 1 and not (b eq 2) or c eq 3"},
      {"((((a eq 1))))", "a eq 1"},
  });
}

TEST(ODataGrammar, ChainsBecomeOneNodeAndGroupsStayNodes) {
  const Filter flat = parse_filter("a eq 1 and b eq 2 and c eq 3");
  EXPECT_EQ(flat.kind, Filter::Kind::conjunction);
  EXPECT_EQ(flat.operands.size(), 3u);
  const Filter grouped = parse_filter("(a eq 1 and b eq 2) and c eq 3");
  EXPECT_EQ(grouped.operands.size(), 2u);
  EXPECT_EQ(grouped.operands[0].kind, Filter::Kind::conjunction);
  EXPECT_NE(flat, grouped);
  EXPECT_EQ(parse_filter("(a eq 1)"), Filter::compare("a", Operator::eq, Value::int32(1)));
}

TEST(ODataGrammar, ConstantsStandOnEitherSide) {
  expect_all({
      {"5 eq v", "v eq 5"},
      {"5 ne v", "v ne 5"},
      {"5 lt v", "v gt 5"},
      {"5 le v", "v ge 5"},
      {"5 gt v", "v lt 5"},
      {"5 ge v", "v le 5"},
      {"'a' eq PartitionKey", "PartitionKey eq 'a'"},
      {"datetime'2020-01-01' lt Timestamp", "Timestamp gt datetime'2020-01-01T00:00:00Z'"},
      {"(5) lt (v)", "v gt 5"},
  });
}

TEST(ODataGrammar, BarePropertyIsComparedWithTrue) {
  expect_all({
      {"active", "active eq true"},
      {"(active)", "active eq true"},
      {"not active", "not (active eq true)"},
      {"a or b eq 5", "a eq true or b eq 5"},
      {"true eq v", "v eq true"},
      {"v ne false", "v ne false"},
  });
}

TEST(ODataGrammar, WhiteSpaceIsNeededOnlyWhereTokensFuse) {
  expect_all({
      {"  PartitionKey   eq    'test1'  ", "PartitionKey eq 'test1'"},
      {"(a eq '')or(b eq false)", "a eq '' or b eq false"},
      {"v eq(5)", "v eq 5"},
      {"v eq'x'and w eq'y'", "v eq 'x' and w eq 'y'"},
      {"not(v)", "not (v eq true)"},
      {"v eq-5", "v eq -5"},
      {"v eq 5and w eq 6", "v eq 5 and w eq 6"},
      {"v eq 5or w", "v eq 5 or w eq true"},
      {"v\teq\r\n5", "v eq 5"},
      {"v\xC2\xA0"
       "eq\xE3\x80\x80"
       "5",
       "v eq 5"},
      {"v eq - 5", "v eq -5"},
  });
}

TEST(ODataGrammar, NumbersKeepTheTypeTheyAreWrittenIn) {
  const auto literal = [](const char* text) { return parse_filter(std::string("v eq ") + text).literal; };
  EXPECT_EQ(literal("5"), Value::int32(5));
  EXPECT_EQ(literal("-5"), Value::int32(-5));
  EXPECT_EQ(literal("007"), Value::int32(7));
  EXPECT_EQ(literal("2147483647"), Value::int32(2147483647));
  EXPECT_EQ(literal("-2147483648"), Value::int32(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ(literal("5L"), Value::int64(5));
  EXPECT_EQ(literal("-5l"), Value::int64(-5));
  EXPECT_EQ(literal("9223372036854775807L"), Value::int64(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(literal("-9223372036854775808L"), Value::int64(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(literal("5.0"), Value::real(5));
  EXPECT_EQ(literal("5d"), Value::real(5));
  EXPECT_EQ(literal("5D"), Value::real(5));
  EXPECT_EQ(literal("1e3"), Value::real(1000));
  EXPECT_EQ(literal("1E+3"), Value::real(1000));
  EXPECT_EQ(literal("1.5E-7"), Value::real(1.5e-7));
  EXPECT_EQ(literal("-1.5e3d"), Value::real(-1500));
  EXPECT_EQ(literal("-0.0"), Value::real(-0.0));
  EXPECT_EQ(literal("1e-999"), Value::real(0));
  EXPECT_EQ(literal("INF"), Value::real(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(literal("-INF"), Value::real(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(literal("NaN"), Value::real(std::numeric_limits<double>::quiet_NaN()));
}

TEST(ODataGrammar, StringsDoubleTheirQuotesAndNothingElse) {
  const auto text = [](const char* filter) {
    return std::string(parse_filter(filter).literal.view().bytes());
  };
  EXPECT_EQ(text("v eq ''"), "");
  EXPECT_EQ(text("v eq ' '"), " ");
  EXPECT_EQ(text("v eq ''''"), "'");
  EXPECT_EQ(text("v eq ''''''''''"), "''''");
  EXPECT_EQ(text("v eq 'Foo Bar'''"), "Foo Bar'");
  EXPECT_EQ(text("v eq '''Foo Bar'"), "'Foo Bar");
  EXPECT_EQ(text("v eq 'a\\n\"`%27'"), "a\\n\"`%27");
  EXPECT_EQ(text("v eq 'true'"), "true");
  EXPECT_EQ(text("v eq '123'"), "123");
  EXPECT_EQ(text("v eq '\xF0\x9F\x98\x80 \xEE\x80\x80'"), "\xF0\x9F\x98\x80 \xEE\x80\x80");
  EXPECT_EQ(text("v eq 'line\nbreak'"), "line\nbreak");
  EXPECT_EQ(text("please eq 'never query ''this'' eq this or suchandsuch eq ''worse'''"),
            "never query 'this' eq this or suchandsuch eq 'worse'");
}

TEST(ODataGrammar, TypedConstants) {
  expect_all({
      {"v eq datetime'2020-01-02T03:04:05.1234567Z'", "v eq datetime'2020-01-02T03:04:05.1234567Z'"},
      {"v eq DateTime'2020-01-02T03:04:05Z'", "v eq datetime'2020-01-02T03:04:05Z'"},
      {"v eq DATETIME'2020-01-02T03:04'", "v eq datetime'2020-01-02T03:04:00Z'"},
      {"v eq datetime'2020-01-02T03:04:05+01:00'", "v eq datetime'2020-01-02T02:04:05Z'"},
      {"v eq guid'C9DA6455-213d-42c9-9a79-3e9149a57833'", "v eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'"},
      {"v eq GUID'12345678-1234-1234-1234-123456789012'", "v eq guid'12345678-1234-1234-1234-123456789012'"},
      {"v eq X'62696e'", "v eq X'62696e'"},
      {"v eq x'0AFF'", "v eq X'0aff'"},
      {"v eq binary'0aff'", "v eq X'0aff'"},
      {"v eq BINARY''", "v eq X''"},
      {"v eq 0x0aFF", "v eq X'0aff'"},
      {"v eq 0X00or w", "v eq X'00' or w eq true"},
  });
}

TEST(ODataGrammar, NamesAreIdentifiersInAnyScript) {
  expect_all({
      {"_myProperty eq 'test'", "_myProperty eq 'test'"},
      {"größe eq 5", "größe eq 5"},
      {"名前 eq '山田'", "名前 eq '山田'"},
      {"a\xCC\x81 eq 5", "a\xCC\x81 eq 5"},
      {"eq5 eq 5", "eq5 eq 5"},
      {"note", "note eq true"},
      {"order eq 5 and android", "order eq 5 and android eq true"},
      {"truest or nullable or INFx or NaNs",
       "truest eq true or nullable eq true or INFx eq true or NaNs eq true"},
      {"Not eq 5", "Not eq 5"},
      {"TRUE eq 5", "TRUE eq 5"},
      {"X eq 5 and guid eq 6 and datetime eq 7", "X eq 5 and guid eq 6 and datetime eq 7"},
  });
}

// Operator words are operators by their place, as in the library: a property may be called mod or or.
TEST(ODataGrammar, OperatorWordsMayBeProperties) {
  expect_all({
      {"mod eq 5", "mod eq 5"},
      {"eq eq 5", "eq eq 5"},
      {"5 eq eq", "eq eq 5"},
      {"or or and and not eq", "or eq true or and eq true and not (eq eq true)"},
  });
}

// Queries of the emulator's own unit tests, with the service's outcome.
TEST(ODataGrammar, EmulatorQueries) {
  expect_all({
      {"PartitionKey eq 'test' and RowKey eq 'test2'", "PartitionKey eq 'test' and RowKey eq 'test2'"},
      {"PartitionKey eq 'test' or PartitionKey eq 'test2' and RowKey eq 'test3'",
       "PartitionKey eq 'test' or PartitionKey eq 'test2' and RowKey eq 'test3'"},
      {"(a and RowKey eq '1') and ((b or PartitionKey eq 'p1') or PartitionKey eq 'p2') or PartitionKey eq "
       "'p3'",
       "(a eq true and RowKey eq '1') and ((b eq true or PartitionKey eq 'p1') or PartitionKey eq 'p2') or "
       "PartitionKey eq 'p3'"},
      {"TableName ge 'a' and TableName lt 'b'", "TableName ge 'a' and TableName lt 'b'"},
      {"myDouble gt -123.01", "myDouble gt -123.01"},
      {"PartitionKey eq 'Iam''good''atTypeScript'", "PartitionKey eq 'Iam''good''atTypeScript'"},
      {"myDateTime lt datetime'2020-01-01T00:00:00.000Z' and number gt 11 and PartitionKey eq 'partition1'",
       "myDateTime lt datetime'2020-01-01T00:00:00Z' and number gt 11 and PartitionKey eq 'partition1'"},
      {"(PartitionKey eq '1168485761365502459') and (guidField ge "
       "guid'22222222-2222-2222-2222-222222222222')",
       "PartitionKey eq '1168485761365502459' and guidField ge guid'22222222-2222-2222-2222-222222222222'"},
  });
}

}  // namespace
}  // namespace table_storage::odata
