// The arguments of CREATE VIRTUAL TABLE … USING table_storage(…): columns, SERVER and OPTIONS.
//
//   Temperature DOUBLE, "In use" BOOLEAN OPTIONS (property 'InUse'), SERVER prod, OPTIONS (table
//   'DeviceReadings')
//
// This part reads the text. Which options exist and which values they take is checked against the option
// table (extension/catalog/options.h); whether the server exists is no business of the parser.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/edm/value.h"

namespace table_storage::definition {

struct Option {
  std::string name;          // as written; names compare without case
  std::string value;         // quotes removed
  std::size_t position = 0;  // of the name, in the argument's text
};

struct Column {
  std::string name;
  std::string declared_type;      // as written, e.g. "VARCHAR(10)"
  std::optional<edm::Type> type;  // nullopt: ANY
  std::vector<Option> options;
};

/// A piece of a larger text and where it starts there.
struct SourceText {
  std::string text;
  std::size_t position = 0;
};

/// One argument, as SQLite hands it over (trimmed text between top-level commas).
struct TableDefinition {
  std::vector<Column> columns;
  std::optional<std::string> server;
  std::vector<Option> options;
};

/// Reads all arguments. Throws Error(invalid) whose message quotes the argument, says at which place it is
/// wrong and what was expected there (a type: the list of types; a column constraint: that entities have
/// none).
TableDefinition parse_table_definition(const std::vector<std::string>& arguments);

/// Reads the columns of another statement that writes them in the same way: name, type, OPTIONS. Throws
/// Error(invalid) with the bare sentence and the position in the larger text.
std::vector<Column> parse_columns(const std::vector<SourceText>& columns);

/// The type that a name declares, without case: STRING TEXT VARCHAR CHAR NVARCHAR CLOB; INT32; INTEGER INT
/// INT64 BIGINT; DOUBLE REAL FLOAT SINGLE DECIMAL NUMERIC; BOOLEAN BOOL; DATETIME DATETIMEOFFSET TIMESTAMP;
/// GUID UUID; BINARY BLOB VARBINARY; ANY. Outer nullopt: no such type.
std::optional<std::optional<edm::Type>> column_type(std::string_view name);
/// "STRING (TEXT, VARCHAR), INT32, …": for error messages and the README.
std::string column_type_choices();

}  // namespace table_storage::definition
