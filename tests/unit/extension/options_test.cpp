// The option table, its validator and its texts.
#include "extension/catalog/options.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

std::string refusal(ObjectKind kind, std::string_view name, std::string_view value,
                    std::string_view object = {}) {
  try {
    validate(kind, name, value, object);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::invalid);
    return error.what();
  }
  return "accepted";
}

TEST(Options, TheTableIsSound) {
  std::set<std::string> names;
  for (const OptionSpec& option : all_options()) {
    SCOPED_TRACE(option.name);
    std::string folded;
    for (char c : option.name) folded += definition::lower(c);
    EXPECT_EQ(folded, option.name);
    EXPECT_TRUE(names.insert(folded).second);
    EXPECT_NE(option.carriers, 0U);
    EXPECT_GT(option.meaning.size(), 20U);
    EXPECT_EQ(option.meaning.back(), '.');
    EXPECT_EQ(option.choices.empty(), option.type != OptionType::choice);
    EXPECT_FALSE(value_choices(option).empty());
    for (ObjectKind kind :
         {ObjectKind::server, ObjectKind::user_mapping, ObjectKind::table, ObjectKind::column}) {
      if (!option.carried_by(kind)) {
        EXPECT_NE(refusal(kind, option.name, "x"), "accepted");
      } else if (!option.default_value.empty()) {
        EXPECT_EQ(refusal(kind, option.name, option.default_value), "accepted");  // a default must be a value
      }
    }
    EXPECT_EQ(find_option(option.name), &option);
  }
}

const std::string kTableOptions =
    "connection_string, endpoint, account, dialect, connect_timeout, request_timeout, max_retries, proxy, "
    "ca_file, allow_http, table, on_type_mismatch, updatable, upsert, atomicity, estimated_rows, "
    "concurrency, page_size, metadata, prefetch_pages, require_key, max_requests, statement_timeout, "
    "join_cache_memory";

TEST(Options, WhoCarriesWhat) {
  EXPECT_EQ(option_names(ObjectKind::table), kTableOptions);
  EXPECT_EQ(option_names(ObjectKind::column), "property");
  EXPECT_EQ(
      option_names(ObjectKind::user_mapping),
      "connection_string, account_key, sas_token, token, credential, tenant_id, client_id, client_secret");
  EXPECT_EQ(option_names(ObjectKind::server),
            "backend, database, " + std::regex_replace(kTableOptions, std::regex(" table,"), ""));
}

TEST(Options, GoodValues) {
  for (const char* value : {"null", "error", "NULL", "Error"})
    EXPECT_EQ(refusal(ObjectKind::table, "on_type_mismatch", value), "accepted") << value;
  for (const char* value : {"0", "1", "100000", "9223372036854775807"})
    EXPECT_EQ(refusal(ObjectKind::server, "Estimated_Rows", value), "accepted") << value;
  for (const char* value : {"true", "false", "ON", "off", "Yes", "no", "1", "0"})
    EXPECT_EQ(refusal(ObjectKind::table, "updatable", value), "accepted") << value;
  EXPECT_EQ(refusal(ObjectKind::table, "table", "DeviceReadings"), "accepted");
  EXPECT_EQ(refusal(ObjectKind::column, "property", "In-Use"), "accepted");
}

TEST(Options, BadValues) {
  for (const char* value : {"", "nul", "0", "null "})
    EXPECT_EQ(refusal(ObjectKind::table, "on_type_mismatch", value, "readings"),
              "option on_type_mismatch of table readings takes null or error");
  for (const char* value : {"", "-1", "1.5", "1e3", " 1", "1 ", "+1", "9223372036854775808", "many", "0x10"})
    EXPECT_EQ(refusal(ObjectKind::server, "ESTIMATED_ROWS", value, "prod"),
              "option estimated_rows of server prod takes an integer from 0");
  for (const char* value : {"", "2", "tru", "true ", "t"})
    EXPECT_EQ(refusal(ObjectKind::table, "updatable", value),
              "option updatable of a table takes true or false");
  EXPECT_EQ(refusal(ObjectKind::table, "table", "", "readings"),
            "option table of table readings takes a text that is not empty");
  EXPECT_EQ(refusal(ObjectKind::column, "property", "", "In use"),
            "option property of column In use takes a text that is not empty");
}

TEST(Options, UnknownAndMisplacedNames) {
  EXPECT_EQ(
      refusal(ObjectKind::table, "tabel", "x", "readings"),
      "table readings has no option tabel; did you mean table? Options of a table are " + kTableOptions);
  EXPECT_EQ(refusal(ObjectKind::table, "colour", "x", "readings"),
            "table readings has no option colour. Options of a table are " + kTableOptions);
  EXPECT_EQ(
      refusal(ObjectKind::column, "properties", "x", "In use"),
      "column In use has no option properties; did you mean property? Options of a column are property");
  EXPECT_EQ(
      refusal(ObjectKind::table, "property", "x", "readings"),
      "property is an option of a column, not of table readings. Options of a table are " + kTableOptions);
  EXPECT_EQ(
      refusal(ObjectKind::column, "updatable", "true"),
      "updatable is an option of a server or a table, not of a column. Options of a column are property");
  EXPECT_EQ(refusal(ObjectKind::table, "", "x").substr(0, 22), "a table has no option ");
}

TEST(Options, MessagesDoNotRepeatValues) {
  for (const char* name : {"table", "updatable", "estimated_rows", "property", "nonsense"})
    EXPECT_EQ(refusal(ObjectKind::table, name, "hunter2").find("hunter2"), std::string::npos);
}

TEST(Options, TheNearestLevelCounts) {
  const std::vector<definition::Option> table{{"Updatable", "off", 0}};
  const std::vector<definition::Option> server{{"updatable", "on", 0}, {"estimated_rows", "7", 0}};
  EXPECT_EQ(effective_value("updatable", {table, server}), "off");
  EXPECT_EQ(effective_value("estimated_rows", {table, server}), "7");
  EXPECT_EQ(effective_value("on_type_mismatch", {table, server}), "null");
  EXPECT_EQ(effective_value("table", {}), "");
  EXPECT_THROW(effective_value("nonsense", {table}), Error);
}

TEST(Options, ParsesTexts) {
  EXPECT_EQ(parse_boolean("TRUE"), true);
  EXPECT_EQ(parse_boolean("0"), false);
  EXPECT_EQ(parse_boolean(""), std::nullopt);
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_integer("-"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
}

}  // namespace
}  // namespace table_storage::catalog
