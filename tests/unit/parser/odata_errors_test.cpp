// What parse_filter() refuses: status, position and what the message says.
#include <gtest/gtest.h>

#include <string>

#include "parser/error.h"
#include "parser/odata/filter.h"

namespace table_storage::odata {
namespace {

struct Refusal {
  std::string text;
  int status;
  std::size_t position;
  const char* part;  // of the message
};

void expect_all(std::initializer_list<Refusal> cases) {
  for (const Refusal& c : cases) {
    try {
      const Filter filter = parse_filter(c.text);
      ADD_FAILURE() << c.text << "\n  was read as " << print(filter);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), c.status == 400 ? Error::Kind::invalid : Error::Kind::unsupported)
          << c.text << "\n  " << error.what();
      EXPECT_EQ(error.code(), c.status == 400 ? "InvalidInput" : "NotImplemented") << c.text;
      EXPECT_EQ(error.position(), c.position) << c.text << "\n  " << error.what();
      EXPECT_NE(error.message().find(c.part), std::string::npos)
          << c.text << "\n  " << error.what() << "\n  should say " << c.part;
    }
  }
}

TEST(ODataErrors, WholeMessages) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_filter(text);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message("Priority 5"),
            "InvalidInput: Syntax error at position 9 in \"Priority 5\": expected a comparison operator (eq, "
            "ne, gt, "
            "ge, lt, le), and, or, or the end of the filter");
  EXPECT_EQ(message("Priority eq null"),
            "InvalidInput: Property Priority has no value null; test for a missing property in SQL with IS "
            "NULL (at "
            "position 12 in \"Priority eq null\")");
  EXPECT_EQ(
      message("startswith(Name,'a') and x"),
      "NotImplemented: The Table service evaluates no functions, and startswith is one; use SQL for it, or a "
      "range: Name ge 'abc' and Name lt 'abd' (at position 0 in \"startswith(Name,'a') and x\")");
  // Long text is cut around the place, at character boundaries.
  EXPECT_EQ(
      message("größe eq 'ääääääääääääääääääää' and größe eq 5 und größe eq 'ääääääääääääääääääää'"),
      "InvalidInput: Syntax error at position 71 in \"…äääääää' and größe eq 5 und größe eq 'ääääääää…\": "
      "expected a comparison operator (eq, ne, gt, ge, lt, le), and, or, or the end of the filter");
}

TEST(ODataErrors, Syntax) {
  const char* const kAfterOperand =
      "expected a comparison operator (eq, ne, gt, ge, lt, le), and, or, or the end";
  const char* const kOperand = "expected a property name, a constant, not, '-' or '('";
  expect_all({
      {"", 400, 0, "The filter is empty"},
      {" \t ", 400, 0, "The filter is empty"},
      {"Priority 5", 400, 9, kAfterOperand},
      {"a eq 5 6", 400, 7, kAfterOperand},
      {"1 1", 400, 2, kAfterOperand},
      {"a eq 'x' 'y'", 400, 9, kAfterOperand},
      {"a eq", 400, 4, kOperand},
      {"a eq 5 and", 400, 10, kOperand},
      {"a eq 5 and ", 400, 11, kOperand},
      {"not", 400, 3, kOperand},
      {"()", 400, 1, kOperand},
      {"$it eq 5", 400, 0, kOperand},
      {"-", 400, 1, kOperand},
      {"(a eq 5", 400, 7, "or ')'"},
      {"(a eq 5 and (b)", 400, 15, "or ')'"},
      {"a eq 5)", 400, 6, "no '(' is open here"},
      {"f(", 400, 2, kOperand},
      {"f(1", 400, 3, "expected an operator, ',' or ')'"},
      {"f(1,", 400, 4, kOperand},
      {"a/any(x: x eq 5)", 400, 7, "expected an operator, ',' or ')'"},
      {"a/ eq 5", 400, 6, "\"eq\" before it was read as a property name"},
      {"a/5", 400, 2, "expected a property name after '/' or '.'"},
      {"a eq 'x", 400, 7, "expected the closing quote"},
      {"a eq 'x''", 400, 9, "expected the closing quote"},
      {"a eq datetime'x", 400, 15, "expected the closing quote"},
      {"a eq 5 ; drop", 400, 7, kAfterOperand},
      {"a eq \xF0\x9F\x98\x80", 400, 5, kOperand},
      // No letter beyond U+FFFF stands in a name.
      {"a\xF0\x9D\x92\x9C eq 5", 400, 1, kAfterOperand},
  });
}

TEST(ODataErrors, HintsForUsualSlips) {
  expect_all({
      {"a EQ 5", 400, 2, "operators are written in lower case: eq"},
      {"a eq 5 AND b eq 6", 400, 7, "operators are written in lower case: and"},
      {"NOT (a eq 5)", 400, 4, "operators are written in lower case: not"},
      {"NOT a eq 5", 400, 4, "operators are written in lower case: not"},
      {"a == 5", 400, 2, "\"==\" is written eq"},
      {"(1 === 1)", 400, 3, "\"==\" is written eq"},
      {"a = 5", 400, 2, "\"=\" is written eq"},
      {"a != 5", 400, 2, "\"!=\" is written ne"},
      {"a <> 5", 400, 2, "\"<>\" is written ne"},
      {"a >= 5", 400, 2, "\">=\" is written ge"},
      {"a eq 5 && b", 400, 7, "\"&&\" is written and"},
      {"!a", 400, 0, "\"!\" is written not"},
      {"a eq \"x\"", 400, 5, "single quotes"},
      {"a eq +5", 400, 5, "no leading +"},
      {"a eq .5", 400, 5, "digits on both sides"},
      {"a eq 5.", 400, 7, "a digit after the decimal point"},
      {"a eq 5.and b", 400, 7, "a digit after the decimal point"},
      {"a eq 5e", 400, 7, "a digit of the exponent"},
      {"5eq v", 400, 2, "a digit of the exponent"},
      {"v eq datetime '2020-01-02'", 400, 14, "must follow datetime at once"},
      {"v eq guid 'c9da6455-213d-42c9-9a79-3e9149a57833'", 400, 10, "must follow guid at once"},
      {"v eq binary '00'", 400, 12, "must follow binary at once"},
      {"v eq X '00'", 400, 7, "must follow X at once"},
      {"startswith (v,'a')", 400, 11, "the '(' follows the name at once"},
      {"PartitionKey eq eq 'test'", 400, 19, "\"eq\" before it was read as a property name"},
      {"a eq 5 and and b eq 6", 400, 15, "\"and\" before it was read as a property name"},
      {"v eq TRUE", 501, 2, "the constant is written true"},
      {"v eq Null", 501, 2, "the constant is written null"},
      {"v eq False", 501, 2, "the constant is written false"},
      {"v eq nan", 501, 2, "the constant is written NaN"},
      {"v eq Inf", 501, 2, "the constant is written INF"},
      {"v eq Infinity", 501, 2, "the constant is written INF"},
      {"not v eq 5", 400, 6, "write not (…) around the comparison"},
      {"not a eq 5 and b eq 6", 400, 6, "write not (…) around the comparison"},
      {"a gt 1 lt 5", 400, 7, "\"a gt 1\" is a condition, join it to the next one by and"},
  });
}

TEST(ODataErrors, Literals) {
  expect_all({
      {"v eq 2147483648", 400, 5, "add L for an Int64: 2147483648L"},
      {"v eq -2147483649", 400, 5, "add L for an Int64: -2147483649L"},
      {"v eq 99999999999999999999", 400, 5, "write it as a Double: 99999999999999999999.0"},
      {"v eq 9223372036854775808L", 400, 5, "Unrecognized 'Edm.Int64' literal \"9223372036854775808L\""},
      {"v eq 5.5L", 400, 5, "L goes with whole numbers"},
      {"v eq 1e999", 400, 5, "Unrecognized 'Edm.Double' literal \"1e999\""},
      {"v eq -NaN", 400, 5, "NaN has no sign"},
      {"v eq 5f", 400, 5, "\"5f\" is a constant of type Edm.Single"},
      {"v eq INFf", 400, 5, "Edm.Single"},
      {"v eq 5.5m", 400, 5, "\"5.5m\" is a constant of type Edm.Decimal"},
      {"v eq datetime'garbage'", 400, 5, "Unrecognized 'Edm.DateTime' literal \"datetime'garbage'\""},
      {"v eq datetime'2021-02-29'", 400, 5, "Unrecognized 'Edm.DateTime'"},
      {"v eq datetime''", 400, 5, "Unrecognized 'Edm.DateTime'"},
      {"v eq guid'xyz'", 400, 5, "Unrecognized 'Edm.Guid' literal \"guid'xyz'\""},
      {"v eq X'0'", 400, 5, "hex digits come in pairs"},
      {"v eq X'zz'", 400, 5, "only hex digits"},
      {"v eq 0x0", 400, 5, "hex digits come in pairs"},
      {"v eq datetimeoffset'2020-01-01T00:00:00Z'", 400, 5, "Edm.DateTimeOffset"},
      {"v eq time'PT5S'", 400, 5, "Edm.Time"},
      {"v eq geography'POINT'", 400, 5, "spatial"},
      {"v eq geometry'POINT'", 400, 5, "spatial"},
      {"v eq foo'x'", 400, 5, "\"foo\" is no type"},
      {"myInt lt 123.01L", 400, 9, "Edm.Int64"},
      // An operand is looked at even where the operator is refused later.
      {"v add 99999999999 eq 5", 400, 6, "Edm.Int32"},
  });
}

TEST(ODataErrors, Null) {
  expect_all({
      {"v eq null", 400, 5, "Property v has no value null; test for a missing property in SQL with IS NULL"},
      {"v ne null", 400, 5, "no value null"},
      {"null eq v", 400, 0, "no value null"},
      {"v lt null", 400, 5, "no value null"},
      {"PartitionKey eq null", 400, 16, "Property PartitionKey has no value null"},
      {"null eq null", 400, 0, "no value null"},
      {"null", 400, 0, "null is none"},
      {"not null", 400, 4, "null is none"},
      {"v and null", 400, 6, "null is none"},
      {"-null eq 5", 400, 1, "null is none"},
  });
}

TEST(ODataErrors, NotBoolean) {
  expect_all({
      {"1", 400, 0, "A filter must be a condition, and \"1\" is an Edm.Int32 constant"},
      {"'a'", 400, 0, "is an Edm.String constant"},
      {"a add 1", 400, 0, "\"a add 1\" is a number"},
      {"-v", 400, 0, "\"-v\" is a number"},
      {"not 5", 400, 4, "\"not\" takes conditions"},
      {"v and 5", 400, 6, "\"and\" takes conditions"},
      {"'x' or v", 400, 0, "\"or\" takes conditions"},
      {"PartitionKey", 400, 0, "PartitionKey is an Edm.String; compare it: PartitionKey eq 'text'"},
      {"not Timestamp", 400, 4, "Timestamp is an Edm.DateTime"},
      {"RowKey and v", 400, 0, "RowKey is an Edm.String"},
  });
}

TEST(ODataErrors, Types) {
  expect_all({
      {"PartitionKey eq 5", 400, 16,
       "PartitionKey is an Edm.String and \"5\" an Edm.Int32; compare it with a string"},
      {"5 eq RowKey", 400, 0, "RowKey is an Edm.String and \"5\" an Edm.Int32"},
      {"RowKey ge datetime'2020-01-01'", 400, 10, "RowKey is an Edm.String"},
      {"PartitionKey eq true", 400, 16, "an Edm.Boolean"},
      {"Timestamp gt '2020-01-01'", 400, 13, "Timestamp is an Edm.DateTime"},
      {"Timestamp eq 5L", 400, 13, "compare it with datetime'"},
      {"PartitionKey eq Timestamp", 400, 16,
       "PartitionKey is an Edm.String and \"Timestamp\" an Edm.DateTime"},
      {"1 eq 'a'", 400, 2, "\"eq\" cannot compare an Edm.Int32 with an Edm.String"},
      {"(a eq 1) eq 5", 400, 9, "cannot compare an Edm.Boolean with an Edm.Int32"},
      {"PartitionKey eq 'test' eq 'test2'", 400, 23, "\"PartitionKey eq 'test'\" is a condition"},
      {"'a' add 1 eq v", 400, 0, "\"add\" takes numbers, and \"'a'\" is an Edm.String"},
      {"v sub 'a' eq 5", 400, 6, "\"sub\" takes numbers"},
      {"-'a' eq v", 400, 1, "\"-\" takes numbers"},
      {"v eq -0x10", 400, 6, "\"-\" takes numbers, and \"0x10\" is an Edm.Binary"},
      {"PartitionKey add 1 eq 2", 400, 0, "\"add\" takes numbers"},
  });
}

TEST(ODataErrors, GrammaticalButNotImplemented) {
  expect_all({
      {"startswith(v,'a')", 501, 0, "startswith"},
      {"length(v) eq 5", 501, 0, "length is one"},
      {"5 eq length(v)", 501, 5, "length is one"},
      {"not endswith(v,'a')", 501, 4, "endswith"},
      {"substringof('a',tolower(v)) eq true", 501, 0, "substringof is one"},
      {"f()", 501, 0, "f is one"},
      {"v add 1 eq 6", 501, 2, "\"add\" is arithmetic"},
      {"v eq 1 sub 2", 501, 7, "\"sub\" is arithmetic"},
      {"v mul 2 gt 4", 501, 2, "\"mul\" is arithmetic"},
      {"v div 2 gt 4", 501, 2, "\"div\" is arithmetic"},
      {"v mod 2 eq 1", 501, 2, "\"mod\" is arithmetic"},
      {"-v eq 5", 501, 0, "\"-\" is arithmetic"},
      {"v eq -(5)", 501, 5, "\"-\" is arithmetic"},
      {"a/b eq 5", 501, 0, "\"a/b\" is a path"},
      {"a.b eq 5", 501, 0, "\"a.b\" is a path"},
      {"a eq b", 501, 2, "\"a\" and \"b\" are both properties"},
      {"PartitionKey eq RowKey", 501, 13, "both properties"},
      {"a eq b eq c", 501, 2, "both properties"},
      {"1 eq 1", 501, 2, "\"1\" and \"1\" are both constants"},
      {"1 eq 1L", 501, 2, "both constants"},
      {"true eq false", 501, 5, "both constants"},
      {"true", 501, 0, "\"true\" stands alone; write Name eq true"},
      {"not true", 501, 4, "stands alone"},
      {"true and v", 501, 0, "stands alone"},
      {"v or false", 501, 5, "stands alone"},
      {"a eq 5 eq true", 501, 7, "does not compare the result of a condition"},
      {"(not a) eq b", 501, 8, "does not compare the result of a condition"},
  });
}

TEST(ODataErrors, InvalidUtf8NamesTheByte) {
  expect_all({
      {"v eq '\xFF'", 400, 6, "not valid UTF-8 (from byte 6 on)"},
      {"\xC3", 400, 0, "not valid UTF-8"},
      {"größe eq '" + std::string(1000, 'x') + "\xF0\x9F\x98'", 400, 1012, "not valid UTF-8"},
      {"v eq '\xED\xA0\x80'", 400, 6, "not valid UTF-8"},  // a lone surrogate
  });
}

}  // namespace
}  // namespace table_storage::odata
