#include "extension/module/pushdown.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

namespace table_storage::module {
namespace {

using edm::Type;
using plan::Operator;

struct FreeValue {
  void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};
using Value = std::unique_ptr<sqlite3_value, FreeValue>;

/// The value of an SQL expression; its type and bytes are all that pushdown sees of it.
class Values {
 public:
  Values() { EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  ~Values() { sqlite3_close(db_); }

  Value of(const std::string& expression) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, ("SELECT " + expression).c_str(), -1, &statement, nullptr), SQLITE_OK)
        << expression;
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    Value value(sqlite3_value_dup(sqlite3_column_value(statement, 0)));
    sqlite3_finalize(statement);
    return value;
  }

 private:
  sqlite3* db_ = nullptr;
};

std::string text_of(const Narrowing& narrowing) {
  switch (narrowing.kind) {
    case Narrowing::Kind::never:
      return "never";
    case Narrowing::Kind::always:
      return "always";
    case Narrowing::Kind::filter:
      break;
  }
  return odata::print(*narrowing.filter);
}

struct PropertyCase {
  std::optional<Type> type;
  Operator op;
  const char* right;
  bool literal;
  const char* sent;
};

TEST(NarrowProperty, SendsASupersetOfTheCondition) {
  const PropertyCase cases[] = {
      // Whole numbers: an Int32 literal meets all three numeric types.
      {Type::Double, Operator::eq, "5", false, "v eq 5"},
      {Type::Double, Operator::eq, "5.0", false, "v eq 5"},
      {Type::Int64, Operator::gt, "'5'", false, "v gt 5"},
      {Type::Int32, Operator::le, "' 7 '", false, "v le 7"},
      {Type::Int64, Operator::ne, "5", false, "v ne 5"},
      // A bound with a fraction becomes the integer on the loose side.
      {Type::Double, Operator::gt, "5.5", false, "v gt 5"},
      {Type::Double, Operator::ge, "5.5", false, "v gt 5"},
      {Type::Double, Operator::lt, "5.5", false, "v lt 6"},
      {Type::Double, Operator::le, "5.5", false, "v lt 6"},
      {Type::Double, Operator::ge, "-5.5", false, "v gt -6"},
      {Type::Double, Operator::lt, "-5.5", false, "v lt -5"},
      {Type::Int64, Operator::eq, "5.5", false, "v eq 5.5"},
      // Beyond Int32 the Int64 literal misses Int32 properties only below their range.
      {Type::Double, Operator::gt, "3000000000", false, "v gt 3000000000L"},
      {Type::Double, Operator::lt, "3000000000", false, "v lt 3000000000L"},
      {Type::Double, Operator::ge, "-3000000000", false, "v ge -3000000000L or v ge -2147483648"},
      {Type::Double, Operator::lt, "-3000000000", false, "v lt -3000000000L"},
      {Type::Int64, Operator::eq, "9223372036854775807", false, "v eq 9223372036854775807L"},
      {Type::Int32, Operator::ge, "-2147483648", false, "v ge -2147483648"},
      // Beyond Int64 only doubles are left.
      {Type::Double, Operator::gt, "1e300", false, "v gt 1e+300"},
      {Type::Double, Operator::gt, "-1e300", false, "always"},
      {Type::Double, Operator::lt, "1e300", false, "v lt 1e+300"},
      {Type::Double, Operator::eq, "9e999", false, "v eq INF"},
      // Numbers sort before text and blobs.
      {Type::Int64, Operator::eq, "x'61'", false, "never"},
      // A text that is no plain whole number may be one to SQLite.
      {Type::Int64, Operator::eq, "'abc'", false, "always"},
      {Type::Double, Operator::eq, "'1e1'", false, "always"},
      {Type::Double, Operator::eq, "' +7'", false, "v eq 7"},
      {Type::Double, Operator::eq, "'+-7'", false, "always"},
      {Type::Int64, Operator::lt, "'abc'", false, "always"},
      {Type::Int64, Operator::gt, "x'00'", false, "never"},
      {Type::Int64, Operator::eq, "NULL", false, "never"},
      {Type::Int64, Operator::is, "NULL", false, "always"},
      {Type::Int64, Operator::is, "4", false, "v eq 4"},
      {Type::Boolean, Operator::eq, "1", false, "v eq true"},
      {Type::Boolean, Operator::eq, "'0'", false, "v eq false"},
      {Type::Boolean, Operator::eq, "2", false, "never"},
      {Type::Boolean, Operator::eq, "'true'", false, "always"},
      // Text: an upper bound only where no numeric affinity can hide behind it.
      {Type::String, Operator::eq, "'it''s'", false, "v eq 'it''s'"},
      {Type::String, Operator::ne, "'a'", false, "v ne 'a'"},
      {Type::String, Operator::gt, "'a'", false, "v gt 'a'"},
      {Type::String, Operator::lt, "'a'", false, "always"},
      {Type::String, Operator::lt, "'a'", true, "v lt 'a'"},
      {Type::String, Operator::eq, "5", false, "always"},
      {Type::String, Operator::gt, "5", true, "always"},
      {Type::String, Operator::gt, "x'61'", false, "never"},
      {Type::String, Operator::lt, "x'61'", true, "always"},
      // Characters from U+E000 up sort differently in the service.
      {Type::String, Operator::eq, "'\xEE\x80\x80'", false, "v eq '\xEE\x80\x80'"},
      {Type::String, Operator::gt, "'a\xF0\x9F\x98\x80'", false, "v ge 'a'"},
      {Type::String, Operator::lt, "'a\xEE\x80\x80z'", true, "v lt 'b'"},
      {Type::String, Operator::gt, "'\xEE\x80\x80'", false, "always"},
      {Type::String, Operator::le, "'\xED\x9F\xBF\xEE\x80\x80'", true, "always"},
      // Prefixes.
      {Type::String, Operator::like, "'aB%c'", false, "v ge 'AB' and v lt 'ac'"},
      {Type::String, Operator::like, "'%a'", false, "always"},
      {Type::String, Operator::like, "'z\xC3\xBC%'", false, "v ge 'Z' and v lt '{'"},
      {Type::String, Operator::glob, "'aB*'", false, "v ge 'aB' and v lt 'aC'"},
      {Type::String, Operator::glob, "'\xC3\xBC?'", false, "v ge '\xC3\xBC' and v lt '\xC3\xBD'"},
      {Type::String, Operator::like, "12", false, "v ge '12' and v lt '13'"},
      // Typed text.
      {Type::DateTime, Operator::ge, "'2024-06-15 12:00'", false, "v ge datetime'2024-06-15T12:00:00Z'"},
      {Type::DateTime, Operator::lt, "'2024-06-15T00:00:00+02:00'", false,
       "v lt datetime'2024-06-14T22:00:00Z'"},
      {Type::DateTime, Operator::eq, "'yesterday'", false, "always"},
      {Type::DateTime, Operator::gt, "'1500-01-01'", false, "always"},
      {Type::DateTime, Operator::gt, "5", false, "always"},
      {Type::Guid, Operator::eq, "'C9DA6455-213D-42C9-9A79-3E9149A57833'", false,
       "v eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'"},
      {Type::Guid, Operator::eq, "'nonsense'", false, "never"},
      {Type::Guid, Operator::ne, "'{c9da6455-213d-42c9-9a79-3e9149a57833}'", false, "always"},
      {Type::Guid, Operator::gt, "'c9da6455-213d-42c9-9a79-3e9149a57833'", true, "always"},
      {Type::Binary, Operator::eq, "x'0aFF'", false, "v eq X'0aff'"},
      {Type::Binary, Operator::eq, "'a'", false, "never"},
      {std::nullopt, Operator::eq, "5", true, "always"},
  };
  Values values;
  for (const PropertyCase& c : cases) {
    Column column;
    column.name = "V";
    column.property = "v";
    column.type = c.type;
    Value right = values.of(c.right);
    EXPECT_EQ(text_of(narrow_property(column, c.op, {right.get(), c.literal}, TextOrder{})), c.sent)
        << column.type_name() << ' ' << plan::text_of(c.op) << ' ' << c.right;
  }
}

TEST(NarrowProperty, InAUtf16DatabaseOnlyEqualityOfTextIsSent) {
  Values values;
  Column column;
  column.property = "v";
  column.type = Type::String;
  const TextOrder utf16{false, true};
  Value text = values.of("'a%'");
  EXPECT_EQ(text_of(narrow_property(column, Operator::eq, {text.get(), true}, utf16)), "v eq 'a%'");
  EXPECT_EQ(text_of(narrow_property(column, Operator::gt, {text.get(), true}, utf16)), "always");
  EXPECT_EQ(text_of(narrow_property(column, Operator::like, {text.get(), true}, utf16)), "always");
}

std::string text_of(const backend::TextRange& range) {
  if (range.is_point()) return '\'' + *range.lower + '\'';
  std::string text = range.lower ? (range.lower_inclusive ? "[" : "(") + *range.lower : "(";
  text += "..";
  return text + (range.upper ? *range.upper + (range.upper_inclusive ? "]" : ")") : ")");
}

struct KeyStep {
  Operator op;
  const char* right;
  bool literal = false;
};

std::string narrowed(const std::vector<KeyStep>& steps, bool utf8 = true) {
  Values values;
  KeyDomain domain(TextOrder{utf8, true});
  for (const KeyStep& step : steps) {
    Value right = values.of(step.right);
    domain.narrow(step.op, {right.get(), step.literal});
  }
  if (domain.empty()) return "empty";
  std::string text;
  for (const backend::TextRange& range : domain.ranges()) text += (text.empty() ? "" : " ") + text_of(range);
  return text;
}

TEST(KeyDomain, TakesTheIntersectionOfItsConditions) {
  EXPECT_EQ(narrowed({}), "(..)");
  EXPECT_EQ(narrowed({{Operator::eq, "'a'"}}), "'a'");
  EXPECT_EQ(narrowed({{Operator::eq, "'a'"}, {Operator::eq, "'b'"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::ge, "'a'"}, {Operator::lt, "'c'", true}}), "[a..c)");
  EXPECT_EQ(narrowed({{Operator::ge, "'a'"}, {Operator::gt, "'a'"}, {Operator::gt, "'B'"}}), "(a..)");
  EXPECT_EQ(narrowed({{Operator::ge, "'c'"}, {Operator::lt, "'c'", true}}), "empty");
  EXPECT_EQ(narrowed({{Operator::eq, "'b'"}, {Operator::gt, "'b'"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::eq, "NULL"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::is, "NULL"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::eq, "''"}}), "''");
}

TEST(KeyDomain, WidensWhatMayHideANumber) {
  EXPECT_EQ(narrowed({{Operator::eq, "5"}}), "[ ..:)");
  EXPECT_EQ(narrowed({{Operator::eq, "5"}, {Operator::eq, "'05'"}}), "'05'");
  EXPECT_EQ(narrowed({{Operator::gt, "5"}}), "(..)");
  EXPECT_EQ(narrowed({{Operator::lt, "5"}}), "(..:)");
  EXPECT_EQ(narrowed({{Operator::lt, "9e999"}}), "(..Inf)");
  EXPECT_EQ(narrowed({{Operator::eq, "9e999"}}), "(..)");
  EXPECT_EQ(narrowed({{Operator::lt, "'2024'"}}), "(..:)");
  EXPECT_EQ(narrowed({{Operator::lt, "'2024'", true}}), "(..2024)");
  EXPECT_EQ(narrowed({{Operator::le, "'x'"}}), "(..x]");
}

TEST(KeyDomain, KnowsThatTextSortsBeforeBlobs) {
  EXPECT_EQ(narrowed({{Operator::eq, "x'61'"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::gt, "x'61'"}}), "empty");
  EXPECT_EQ(narrowed({{Operator::lt, "x'61'"}}), "(..)");
}

TEST(KeyDomain, TurnsPrefixesIntoRanges) {
  EXPECT_EQ(narrowed({{Operator::glob, "'dev-*'"}}), "[dev-..dev.)");
  EXPECT_EQ(narrowed({{Operator::like, "'dev-%'"}}), "[DEV-..dev.)");
  EXPECT_EQ(narrowed({{Operator::like, "'%'"}}), "(..)");
  EXPECT_EQ(narrowed({{Operator::glob, "'dev-*'"}}, false), "(..)");
}

TEST(KeyDomain, TakesOnlyEqualityWhereTheBackendHasAnotherOrder) {
  Values values;
  KeyDomain domain(TextOrder{false, false});
  Value bound = values.of("'a'");
  domain.narrow(Operator::gt, {bound.get(), true});
  domain.narrow(Operator::lt, {bound.get(), true});
  EXPECT_TRUE(domain.is_all());
  domain.narrow(Operator::eq, {bound.get(), true});
  EXPECT_TRUE(domain.is_point());
}

TEST(Combine, KeepsKeyOrderAndBoundsTheNumberOfRanges) {
  Values values;
  KeyDomain partition(TextOrder{});
  KeyDomain row(TextOrder{});
  Value a = values.of("'a'");
  partition.narrow(Operator::eq, {a.get(), false});
  Value r = values.of("'r'");
  row.narrow(Operator::ge, {r.get(), false});
  auto ranges = combine(partition, row);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(text_of(ranges[0].partition), "'a'");
  EXPECT_EQ(text_of(ranges[0].row), "[r..)");
  Value null = values.of("NULL");
  row.narrow(Operator::eq, {null.get(), false});
  EXPECT_TRUE(combine(partition, row).empty());
}

}  // namespace
}  // namespace table_storage::module
