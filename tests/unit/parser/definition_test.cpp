// What table_storage(…) accepts, and what it makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "parser/definition/closest.h"
#include "parser/definition/table_definition.h"
#include "parser/error.h"

namespace table_storage::definition {
namespace {

using edm::Type;
using Arguments = std::vector<std::string>;

Column only_column(const std::string& argument) {
  TableDefinition definition = parse_table_definition({argument});
  EXPECT_EQ(definition.columns.size(), 1U) << argument;
  return definition.columns.empty() ? Column{} : definition.columns[0];
}

TEST(Definition, ReadsTheExampleOfTheReadme) {
  const TableDefinition table =
      parse_table_definition({"Temperature DOUBLE", "Humidity    DOUBLE", "Location    STRING",
                              "\"In use\"    BOOLEAN OPTIONS (property 'InUse')", "SERVER prod",
                              "OPTIONS (table 'DeviceReadings')"});
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_EQ(table.columns[0].name, "Temperature");
  EXPECT_EQ(table.columns[0].declared_type, "DOUBLE");
  EXPECT_EQ(table.columns[0].type, Type::Double);
  EXPECT_TRUE(table.columns[0].options.empty());
  EXPECT_EQ(table.columns[2].type, Type::String);
  EXPECT_EQ(table.columns[3].name, "In use");
  EXPECT_EQ(table.columns[3].type, Type::Boolean);
  ASSERT_EQ(table.columns[3].options.size(), 1U);
  EXPECT_EQ(table.columns[3].options[0].name, "property");
  EXPECT_EQ(table.columns[3].options[0].value, "InUse");
  EXPECT_EQ(table.columns[3].options[0].position, 29U);
  EXPECT_EQ(table.server, "prod");
  ASSERT_EQ(table.options.size(), 1U);
  EXPECT_EQ(table.options[0].name, "table");
  EXPECT_EQ(table.options[0].value, "DeviceReadings");
  EXPECT_EQ(table.options[0].position, 9U);
}

TEST(Definition, NoArgumentsDeclareNothing) {
  for (const Arguments& arguments : {Arguments{}, Arguments{""}, Arguments{"  \n"}}) {
    const TableDefinition table = parse_table_definition(arguments);
    EXPECT_TRUE(table.columns.empty());
    EXPECT_FALSE(table.server);
    EXPECT_TRUE(table.options.empty());
  }
}

TEST(Definition, NamesInEveryKindOfQuotes) {
  EXPECT_EQ(only_column("plain INT").name, "plain");
  EXPECT_EQ(only_column("_a$1 INT").name, "_a$1");
  EXPECT_EQ(only_column("\"say \"\"hi\"\"\" INT").name, "say \"hi\"");
  EXPECT_EQ(only_column("[odd name] INT").name, "odd name");
  EXPECT_EQ(only_column("[a\"b'c`d] INT").name, "a\"b'c`d");
  EXPECT_EQ(only_column("`b` INT").name, "b");
  EXPECT_EQ(only_column("`b``c` INT").name, "b`c");
  EXPECT_EQ(only_column("\"a -- b /* c */\" INT").name, "a -- b /* c */");
  EXPECT_EQ(only_column("\"NOT\" INT").name, "NOT");
  EXPECT_EQ(only_column("\"SERVER\" STRING").name, "SERVER");
  EXPECT_EQ(only_column("[options] STRING").name, "options");
}

TEST(Definition, NamesBeyondAscii) {
  EXPECT_EQ(only_column("Größe DOUBLE").name, "Größe");
  EXPECT_EQ(only_column("温度 DOUBLE").name, "温度");
  EXPECT_EQ(only_column("\"😀 mood\" STRING").name, "😀 mood");
}

TEST(Definition, WordsOfConstraintsAreGoodColumnNames) {
  for (const char* name :
       {"Check", "Unique", "Primary", "Key", "Default", "Constraint", "Server1", "OptionsList", "Not"})
    EXPECT_EQ(only_column(std::string(name) + " STRING").name, name);
}

TEST(Definition, CommentsMayStandBetweenTokens) {
  const Column column =
      only_column("x -- the first, of many\n VARCHAR /* how long? */ ( 10 ) /**/ OPTIONS(property/*!*/'y')");
  EXPECT_EQ(column.name, "x");
  EXPECT_EQ(column.declared_type, "VARCHAR(10)");
  ASSERT_EQ(column.options.size(), 1U);
  EXPECT_EQ(column.options[0].value, "y");
  EXPECT_EQ(only_column("/* first */ x INT -- last").name, "x");
  EXPECT_EQ(only_column("x INT /* not closed").name, "x");
  EXPECT_EQ(parse_table_definition({"SERVER /* which? */ prod -- this"}).server, "prod");
}

TEST(Definition, TypesWithLengths) {
  EXPECT_EQ(only_column("x VARCHAR(10)").declared_type, "VARCHAR(10)");
  EXPECT_EQ(only_column("x VARCHAR(10)").type, Type::String);
  EXPECT_EQ(only_column("y DECIMAL( 10 , 2 )").declared_type, "DECIMAL(10,2)");
  EXPECT_EQ(only_column("y DECIMAL(10,2)").type, Type::Double);
  // CREATE TABLE takes no (MAX): what is declared to SQLite goes without.
  EXPECT_EQ(only_column("z nvarchar(max)").declared_type, "nvarchar");
  EXPECT_EQ(only_column("z decimal(10, max)").declared_type, "decimal(10)");
}

TEST(Definition, TypesAreDeclaredAsCreateTableTakesThem) {
  EXPECT_EQ(only_column("x \"Int32\"").declared_type, "Int32");
  EXPECT_EQ(only_column("x Edm.Int32").declared_type, "Int32");
  EXPECT_EQ(only_column("x Edm.Int32").type, Type::Int32);
  EXPECT_EQ(only_column("x edm . datetime").type, Type::DateTime);
  EXPECT_EQ(only_column("x Double Precision").type, Type::Double);
}

TEST(Definition, EveryTypeName) {
  const auto expect = [](std::optional<Type> type, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto found = column_type(name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(*found, type) << name;
      std::string small = name;
      std::transform(small.begin(), small.end(), small.begin(), lower);
      EXPECT_EQ(only_column("x " + small).type, type) << small;
    }
  };
  expect(Type::String, {"STRING", "TEXT", "VARCHAR", "CHAR", "NVARCHAR", "CLOB"});
  expect(Type::Int32, {"INT32"});
  expect(Type::Int64, {"INTEGER", "INT", "INT64", "BIGINT"});
  expect(Type::Double, {"DOUBLE", "REAL", "FLOAT", "SINGLE", "DECIMAL", "NUMERIC"});
  expect(Type::Boolean, {"BOOLEAN", "BOOL"});
  expect(Type::DateTime, {"DATETIME", "DATETIMEOFFSET", "TIMESTAMP"});
  expect(Type::Guid, {"GUID", "UUID"});
  expect(Type::Binary, {"BINARY", "BLOB", "VARBINARY"});
  expect(std::nullopt, {"ANY"});
  for (const char* none : {"", " ", "INT ", "INT16", "STRINGS", "NULL", "Edm.Int32"})
    EXPECT_FALSE(column_type(none)) << none;
}

TEST(Definition, OptionValuesInBothQuotes) {
  const TableDefinition table =
      parse_table_definition({"OPTIONS (a 'it''s', \"b c\" \"say \"\"hi\"\"\", d '', e 'x, y) OPTIONS (')"});
  ASSERT_EQ(table.options.size(), 4U);
  EXPECT_EQ(table.options[0].value, "it's");
  EXPECT_EQ(table.options[1].name, "b c");
  EXPECT_EQ(table.options[1].value, "say \"hi\"");
  EXPECT_EQ(table.options[2].value, "");
  EXPECT_EQ(table.options[3].value, "x, y) OPTIONS (");
}

TEST(Definition, OptionsOfSeveralArgumentsMerge) {
  const TableDefinition table =
      parse_table_definition({"options(a '1')", "x INT", "OpTiOnS (b '2', c '3')", "server \"my server\""});
  ASSERT_EQ(table.options.size(), 3U);
  EXPECT_EQ(table.options[2].name, "c");
  EXPECT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.server, "my server");
}

TEST(Definition, TheSameOptionOnTwoColumnsIsNoDuplicate) {
  EXPECT_EQ(
      parse_table_definition({"a INT OPTIONS (property 'x')", "b INT OPTIONS (property 'X')"}).columns.size(),
      2U);
}

TEST(Definition, AServerNamedLikeATypeNeedsQuotes) {
  EXPECT_EQ(parse_table_definition({"SERVER \"STRING\""}).server, "STRING");
  EXPECT_THROW(parse_table_definition({"SERVER STRING"}), Error);
}

TEST(Closest, CountsEdits) {
  EXPECT_EQ(edit_distance("table", "TABLE"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("tabel", "table"), 1U);  // a swap
  EXPECT_EQ(edit_distance("DUBLE", "DOUBLE"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_GT(edit_distance(std::string(65, 'a'), std::string(65, 'a')), 1000U);
}

TEST(Closest, GuessesOnlyWhatIsNear) {
  const std::vector<std::string_view> choices{"table", "property", "INT"};
  EXPECT_EQ(closest("tabel", choices), "table");
  EXPECT_EQ(closest("Properties", choices), "property");
  EXPECT_EQ(closest("FOO", choices), "");
  EXPECT_EQ(closest("", choices), "");
  EXPECT_EQ(closest("xyz", {}), "");
}

TEST(Closest, ExcerptsKeepCharactersWhole) {
  EXPECT_EQ(excerpt("a \n\t b", 20), "a b");
  EXPECT_EQ(excerpt("abcdef", 3), "abc...");
  EXPECT_EQ(excerpt("aé", 2), "a...");
  EXPECT_EQ(excerpt("", 2), "");
}

}  // namespace
}  // namespace table_storage::definition
