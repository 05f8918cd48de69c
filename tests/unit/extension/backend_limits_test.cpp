#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "extension/backend/limits.h"
#include "parser/edm/text.h"
#include "tests/unit/extension/backend_fixture.h"

namespace table_storage::backend {
namespace {

using edm::ValueView;
using local::testing::code_of;
using local::testing::error_of;

const std::string kSupplementary = "\xF0\x9F\x98\x80";  // U+1F600: two UTF-16 units, four bytes

std::string repeated(std::size_t times, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string code_of_key(const std::string& key) {
  try {
    check_key("RowKey", key);
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("RowKey"), std::string::npos) << e.message();
    return e.code();
  }
  return "";
}
std::string code_of_name(const std::string& name) {
  try {
    check_property_name(name);
  } catch (const Error& e) {
    return e.code();
  }
  return "";
}
std::string code_of_value(ValueView value) {
  try {
    check_property_value("P", value);
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("'P'"), std::string::npos) << e.message();
    return e.code();
  }
  return "";
}

TEST(Limits, TableNames) {
  for (const char* good : {"abc", "Devices", "T00", "tablesX", "table"})
    EXPECT_NO_THROW(check_table_name(good));
  EXPECT_NO_THROW(check_table_name(std::string(63, 'a')));
  EXPECT_EQ(code_of([] { check_table_name(std::string(64, 'a')); }), "OutOfRangeInput");
  EXPECT_EQ(code_of([] { check_table_name("ab"); }), "OutOfRangeInput");
  EXPECT_EQ(code_of([] { check_table_name(""); }), "OutOfRangeInput");
  for (const char* bad : {"1abc", "a-b", "a b", "a_b", "caf\xC3\xA9", "a\"; DROP TABLE x"}) {
    EXPECT_EQ(code_of([&] { check_table_name(bad); }), "InvalidResourceName") << bad;
  }
  EXPECT_EQ(code_of([] { check_table_name("tables"); }), "InvalidInput");
  EXPECT_EQ(code_of([] { check_table_name("Tables"); }), "InvalidInput");
}

TEST(Limits, KeyCharacters) {
  for (const char* good :
       {"", " ", "a b", "it's", "\xC2\xA0", "%", "é", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(code_of_key(good), "") << good;
  }
  for (const char* bad : {"/", "a\\", "#", "?a", "\x01", "a\tb", "\n", "\x7F", "\xC2\x80", "x\xC2\x9F"}) {
    EXPECT_EQ(code_of_key(bad), "OutOfRangeInput") << bad;
  }
  EXPECT_EQ(code_of_key(std::string(1, '\0')), "OutOfRangeInput");
  EXPECT_EQ(code_of_key("\xFF"), "OutOfRangeInput");
  EXPECT_EQ(code_of_key("\xED\xA0\x80"), "OutOfRangeInput");  // a lone surrogate
  EXPECT_TRUE(is_plain_key("dev-00042"));
  EXPECT_FALSE(is_plain_key("a/b"));
  EXPECT_FALSE(is_plain_key("é"));
}

TEST(Limits, KeyLengthCountsUtf16Units) {
  EXPECT_EQ(code_of_key(std::string(512, 'k')), "");
  EXPECT_EQ(code_of_key(std::string(513, 'k')), "PropertyValueTooLarge");
  EXPECT_EQ(code_of_key(repeated(512, "é")), "");
  EXPECT_EQ(code_of_key(repeated(256, kSupplementary)), "");
  EXPECT_EQ(code_of_key(repeated(256, kSupplementary) + "k"), "PropertyValueTooLarge");
  EXPECT_EQ(code_of_key(std::string(600, 'k') + "/"), "OutOfRangeInput") << "characters come first";
}

TEST(Limits, PropertyNames) {
  for (const char* good : {"a", "_", "_a1",
                           "Grö\xC3\x9F"
                           "e",
                           "温度", "e\xCC\x81", "xml"})
    EXPECT_EQ(code_of_name(good), "");
  for (const char* bad : {"", "1a", "a-b", "a b", "a.b", "a$", "\xF0\x9F\x98\x80", "\xFF", "PartitionKey",
                          "RowKey", "Timestamp"}) {
    EXPECT_EQ(code_of_name(bad), "PropertyNameInvalid") << bad;
  }
  EXPECT_EQ(code_of_name("timestamp"), "") << "names are case-sensitive";
  EXPECT_EQ(code_of_name(std::string(255, 'a')), "");
  EXPECT_EQ(code_of_name(std::string(256, 'a')), "PropertyNameTooLong");
  EXPECT_EQ(code_of_name(repeated(255, "é")), "");
}

TEST(Limits, Values) {
  EXPECT_EQ(code_of_value(ValueView::string(std::string(32'768, 's'))), "");
  EXPECT_EQ(code_of_value(ValueView::string(std::string(32'769, 's'))), "PropertyValueTooLarge");
  EXPECT_EQ(code_of_value(ValueView::string(repeated(16'384, kSupplementary))), "");
  EXPECT_EQ(code_of_value(ValueView::string(repeated(16'384, kSupplementary) + "s")),
            "PropertyValueTooLarge");
  EXPECT_EQ(code_of_value(ValueView::string("\xC0\x80")), "InvalidInput");
  EXPECT_EQ(code_of_value(ValueView::string("")), "");
  EXPECT_EQ(code_of_value(ValueView::binary(std::string(65'536, '\0'))), "");
  EXPECT_EQ(code_of_value(ValueView::binary(std::string(65'537, '\0'))), "PropertyValueTooLarge");
  EXPECT_EQ(code_of_value(ValueView::guid("0123456789abcdef")), "");
  EXPECT_EQ(code_of_value(ValueView::guid("0123456789abcde")), "InvalidInput");
  EXPECT_EQ(code_of_value(ValueView::datetime(edm::kMinServiceTicks)), "");
  EXPECT_EQ(code_of_value(ValueView::datetime(edm::kMinServiceTicks - 1)), "OutOfRangeInput");
  EXPECT_EQ(code_of_value(ValueView::datetime(edm::kMaxServiceTicks)), "");
  EXPECT_EQ(code_of_value(ValueView::datetime(edm::kMaxServiceTicks + 1)), "OutOfRangeInput");
  EXPECT_EQ(code_of_value(ValueView::real(std::numeric_limits<double>::quiet_NaN())), "");
  EXPECT_EQ(code_of_value(ValueView::missing()), "");
}

TEST(Limits, EntitySizeFollowsTheFormula) {
  EXPECT_EQ(entity_size("", "", {}), 4u);
  EXPECT_EQ(entity_size("pk", kSupplementary, {}), 4u + 2 * (2 + 2));
  const auto one = [](ValueView value) { return entity_size("", "", {{"né", value}}) - 4 - 8 - 2 * 2; };
  EXPECT_EQ(one(ValueView::string("é" + kSupplementary)), 2u * 3 + 4);
  EXPECT_EQ(one(ValueView::binary("abc")), 3u + 4);
  EXPECT_EQ(one(ValueView::boolean(true)), 1u);
  EXPECT_EQ(one(ValueView::int32(1)), 4u);
  EXPECT_EQ(one(ValueView::int64(1)), 8u);
  EXPECT_EQ(one(ValueView::real(1)), 8u);
  EXPECT_EQ(one(ValueView::datetime(0)), 8u);
  EXPECT_EQ(one(ValueView::guid("0123456789abcdef")), 16u);
  EXPECT_EQ(entity_size("", "", {{"n", ValueView::missing()}}), 4u) << "a missing value takes no room";
}

TEST(Limits, EntitySizeAndCountAtTheEdge) {
  const std::string big(32'000, 's');
  std::vector<NamedValue> properties;
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) names.push_back("P" + std::to_string(10 + i));
  for (const std::string& name : names) properties.push_back({name, ValueView::string(big)});
  const std::size_t used = entity_size("p", "r", properties);
  const std::size_t left = kMaxEntityBytes - used - (8 + 2 + 4);
  ASSERT_LE(left, 65'536u);
  const std::string rest(left, 'b');
  properties.push_back({"B", ValueView::binary(rest)});
  EXPECT_EQ(entity_size("p", "r", properties), kMaxEntityBytes);
  EXPECT_NO_THROW(check_entity("p", "r", properties));
  EXPECT_EQ(code_of([&] { check_entity("p", "rr", properties); }), "EntityTooLarge");

  std::vector<NamedValue> many(252, {"n", ValueView::int32(1)});
  EXPECT_NO_THROW(check_entity("p", "r", many));
  many.push_back({"n", ValueView::missing()});
  EXPECT_NO_THROW(check_entity("p", "r", many));
  many.push_back({"n", ValueView::int32(1)});
  EXPECT_EQ(code_of([&] { check_entity("p", "r", many); }), "TooManyProperties");
}

TEST(Limits, OperationsAreCheckedInTheOrderOfTheService) {
  Operation op;
  op.partition_key = "p";
  const std::string long_key(513, 'r');
  const std::string long_text(40'000, 's');
  op.properties = {{"At", ValueView::datetime(0)}, {"S", ValueView::string(long_text)}};
  op.row_key = long_key;
  const auto code = [&] { return code_of([&] { check_operation(op); }); };
  op.partition_key = "a/b";
  EXPECT_EQ(code(), "OutOfRangeInput");
  op.partition_key = "p";
  EXPECT_NE(error_of([&] { check_operation(op); }).message().find("RowKey"), std::string::npos);
  op.row_key = "r";
  EXPECT_EQ(code(), "PropertyValueTooLarge");
  op.properties.pop_back();
  EXPECT_EQ(code(), "OutOfRangeInput");
  op.properties = {{"A", ValueView::int32(1)}, {"a", ValueView::int32(1)}, {"A", ValueView::missing()}};
  EXPECT_EQ(code(), "DuplicatePropertiesSpecified");
  op.properties.pop_back();
  EXPECT_NO_THROW(check_operation(op));
}

}  // namespace
}  // namespace table_storage::backend
