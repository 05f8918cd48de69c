// The refusals of table_storage(…), word by word: they are what a user reads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parser/definition/table_definition.h"
#include "parser/error.h"

namespace table_storage::definition {
namespace {

const std::string kTypes =
    "Types are STRING (TEXT, VARCHAR), INT32, INT64 (INTEGER, INT, BIGINT), DOUBLE (REAL, FLOAT, SINGLE, "
    "DECIMAL), "
    "BOOLEAN (BOOL), DATETIME (TIMESTAMP), GUID (UUID), BINARY (BLOB), ANY";
const std::string kConstraint =
    " is refused: entities have no column constraints, any property may be missing. The primary key is "
    "(PartitionKey, RowKey) and comes by itself";

struct Refusal {
  std::string message;
  std::size_t position = 0;
};

Refusal refusal(const std::vector<std::string>& arguments) {
  try {
    parse_table_definition(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::invalid);
    EXPECT_TRUE(error.position().has_value());
    return {error.what(), error.position().value_or(0)};
  }
  ADD_FAILURE() << "accepted: " << (arguments.empty() ? "" : arguments.back());
  return {};
}

struct Case {
  std::string argument;
  std::size_t position;
  std::string what;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Refusal got = refusal({c.argument});
    EXPECT_EQ(got.message, "argument 1 of table_storage(), `" + c.argument + "`: " + c.what);
    EXPECT_EQ(got.position, c.position) << c.argument;
  }
}

TEST(DefinitionErrors, MissingAndUnknownTypes) {
  expect_all({
      {"Temperature", 11, "expected the type of the column at the end. " + kTypes},
      {"x OPTIONS (property 'y')", 2,
       "expected the type of the column before `OPTIONS (property 'y')`. " + kTypes},
      {"x DUBLE", 2, "column x has the unknown type DUBLE; did you mean DOUBLE? " + kTypes},
      {"x FOO", 2, "column x has the unknown type FOO. " + kTypes},
      {"x Edm.Text", 6, "column x has the unknown type Edm.Text; did you mean TEXT? " + kTypes},
      {"x VARCHAR(", 10, "expected a length, as in VARCHAR(10), at the end"},
      {"x VARCHAR(ten)", 10, "expected a length, as in VARCHAR(10), before `ten)`"},
      {"x VARCHAR(10", 12, "expected ) after the length at the end"},
      {"x DECIMAL(1,2,3)", 13, "expected ) after the length before `,3)`"},
      {"filename='data.csv'", 8,
       "expected the type of the column before `='data.csv'`. An option is written OPTIONS (name 'value'), a "
       "column "
       "name TYPE"},
  });
}

TEST(DefinitionErrors, Constraints) {
  expect_all({
      {"x INT NOT NULL", 6, "NOT NULL" + kConstraint},
      {"x INT not/**/null", 6, "NOT NULL" + kConstraint},
      {"x NOT NULL", 2, "NOT NULL" + kConstraint},
      {"x INT NULL", 6, "NULL" + kConstraint},
      {"x INT NOT", 6, "NOT" + kConstraint},
      {"x INT PRIMARY KEY", 6, "PRIMARY KEY" + kConstraint},
      {"x INT DEFAULT 5", 6, "DEFAULT" + kConstraint},
      {"x INT UNIQUE", 6, "UNIQUE" + kConstraint},
      {"x INT COLLATE nocase", 6, "COLLATE" + kConstraint},
      {"x INT REFERENCES t(y)", 6, "REFERENCES" + kConstraint},
      {"x INT CHECK (x > 0)", 6, "CHECK" + kConstraint},
      {"x INT CONSTRAINT c UNIQUE", 6, "CONSTRAINT" + kConstraint},
      {"x INT GENERATED ALWAYS AS (y)", 6, "GENERATED ALWAYS AS" + kConstraint},
      {"x INT AS (y)", 6, "GENERATED ALWAYS AS" + kConstraint},
      {"x INT OPTIONS (property 'y') NOT NULL", 29, "NOT NULL" + kConstraint},
      {"PRIMARY KEY (PartitionKey, RowKey)", 0, "PRIMARY KEY" + kConstraint},
      {"FOREIGN KEY (x) REFERENCES t(y)", 0, "FOREIGN KEY" + kConstraint},
      {"UNIQUE (x)", 0, "UNIQUE" + kConstraint},
      {"CHECK (x > 0)", 0, "CHECK" + kConstraint},
      {"CONSTRAINT c CHECK (x > 0)", 0, "CONSTRAINT" + kConstraint},
  });
}

TEST(DefinitionErrors, ServerAndOptionsAreKeywords) {
  const std::string server = ". If a column was meant, quote its name: \"SERVER\" STRING";
  const std::string options = ". If a column was meant, quote its name: \"OPTIONS\" STRING";
  expect_all({
      {"SERVER", 6, "expected the name of the server at the end" + server},
      {"SERVER ''", 7, "expected the name of the server before `''`" + server},
      {"SERVER \"\"", 7, "the name of the server is empty"},
      {"SERVER prod x", 12, "expected the end of the argument before `x`" + server},
      {"SERVER STRING", 7,
       "this reads as the server named STRING. For a column named SERVER write \"SERVER\" STRING; for a "
       "server of "
       "that name write SERVER \"STRING\""},
      {"server varchar(10)", 14, "expected the end of the argument before `(10)`" + server},
      {"OPTIONS", 7, "expected (name 'value') at the end" + options},
      {"options text", 8, "expected (name 'value') before `text`" + options},
  });
}

TEST(DefinitionErrors, Options) {
  expect_all({
      {"OPTIONS ()", 9, "expected an option (name 'value') before `)`"},
      {"OPTIONS (table)", 14,
       "expected a value in quotes before `)`, as in OPTIONS (table 'DeviceReadings')"},
      {"OPTIONS (table = 'x')", 15,
       "expected a value in quotes before `= 'x')`, as in OPTIONS (table 'DeviceReadings')"},
      {"OPTIONS (table x)", 15,
       "expected a value in quotes before `x)`, as in OPTIONS (table 'DeviceReadings')"},
      {"OPTIONS (table 'x'", 18, "expected , or ) after the option at the end"},
      {"OPTIONS (table 'x", 17, "expected the closing ' at the end"},
      {"OPTIONS (table 'x',)", 19, "expected an option (name 'value') before `)`"},
      {"OPTIONS (table 'x' foo 'y')", 19, "expected , or ) after the option before `foo 'y')`"},
      {"OPTIONS (table 'x') y", 20, "expected the end of the argument before `y`"},
      {"OPTIONS (\"\" 'x')", 9, "the name of an option of the table is empty"},
      {"OPTIONS (table 'x', Table 'y')", 20, "option Table of the table is given twice"},
      {"c INT OPTIONS (property 'x', property 'x')", 29, "option property of column c is given twice"},
  });
}

TEST(DefinitionErrors, NamesThatExistAlready) {
  const std::string end = " and exists without being declared. Leave it out";
  expect_all({
      {"PartitionKey STRING", 0, "PartitionKey is a key of every table" + end},
      {"ROWKEY STRING", 0, "RowKey is a key of every table" + end},
      {"\"timestamp\" DATETIME", 0, "Timestamp is a column of every table" + end},
      {"_etag STRING", 0, "_etag is a hidden column of every table" + end},
      {"_Properties STRING", 0, "_properties is a hidden column of every table" + end},
      {"[_filter] STRING", 0, "_filter is a hidden column of every table" + end},
      {"rowid INT", 0, "rowid is SQLite's name for the identity of a row" + end},
  });
}

TEST(DefinitionErrors, TextThatIsNoArgument) {
  expect_all({
      {"123 INT", 0, "expected a column (name and type), SERVER or OPTIONS before `123 INT`"},
      {"'x' INT", 0, "expected a column (name and type), SERVER or OPTIONS before `'x' INT`"},
      {"/* a comment */", 15, "expected a column (name and type), SERVER or OPTIONS at the end"},
      {"\"\" INT", 0, "the name of the column is empty"},
      {"\"x INT", 6, "expected the closing \" at the end"},
      {"x INT y INT", 6, "expected OPTIONS (...) or the end of the argument before `y INT`"},
  });
}

TEST(DefinitionErrors, AcrossArguments) {
  EXPECT_EQ(
      refusal({"size INT", "Size TEXT"}).message,
      "argument 2 of table_storage(), `Size TEXT`: there is a column size already, and SQL names do not tell "
      "upper from lower case. Two properties whose names differ in case need two column names: OPTIONS "
      "(property 'Size') says which property a column shows");
  EXPECT_EQ(refusal({"SERVER a", "x INT", "SERVER b"}).message,
            "argument 3 of table_storage(), `SERVER b`: SERVER is given twice, first as a; a table is on one "
            "server");
  EXPECT_EQ(refusal({"OPTIONS (table 'x')", "OPTIONS (TABLE 'x')"}).message,
            "argument 2 of table_storage(), `OPTIONS (TABLE 'x')`: option TABLE of the table is given twice");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"x INT", ""}, std::vector<std::string>{"", "x INT"},
        std::vector<std::string>{"", " "}})
    EXPECT_NE(refusal(arguments).message.find("the argument is empty; there is a comma too many"),
              std::string::npos);
}

TEST(DefinitionErrors, LongArgumentsAreCut) {
  const std::string name(300, 'n');
  const std::string message = refusal({name + " INT " + std::string(300, 'y')}).message;
  EXPECT_LT(message.size(), 220U);
  EXPECT_NE(message.find("nnn...`: expected OPTIONS (...) or the end of the argument before `yyyy"),
            std::string::npos);
}

TEST(DefinitionErrors, NoTextBreaksTheParser) {
  // Every prefix of a good definition, and every single byte put into it, is either read or refused.
  const std::string good = "\"a b\" DECIMAL(10,2) OPTIONS (property 'x''y', b \"c\") -- d";
  for (std::size_t i = 0; i <= good.size(); ++i) {
    for (int byte = -1; byte < 256; ++byte) {
      std::string text = good.substr(0, i);
      if (byte >= 0) text += static_cast<char>(byte) + good.substr(i);
      try {
        const TableDefinition table = parse_table_definition({text});
        EXPECT_LE(table.columns.size(), 1U);
      } catch (const Error& error) {
        EXPECT_LE(error.position().value_or(1000), text.size());
      }
    }
  }
}

}  // namespace
}  // namespace table_storage::definition
