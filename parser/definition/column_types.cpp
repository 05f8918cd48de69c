// The names that declare a column's type, in one table.
#include <array>
#include <string>

#include "parser/definition/closest.h"
#include "parser/definition/column_types.h"
#include "parser/definition/table_definition.h"

namespace table_storage::definition {
namespace {

using edm::Type;

struct TypeNames {
  std::optional<Type> type;               // nullopt: ANY
  std::array<std::string_view, 8> names;  // the first is the one we recommend; empty ones fill up
  std::size_t shown;                      // how many of them an error message lists
};

// INTEGER and INT are Int64, since SQL integers are 64-bit; Int32 has to be asked for by name.
constexpr std::array kTypes{
    TypeNames{Type::String, {"STRING", "TEXT", "VARCHAR", "CHAR", "NVARCHAR", "CLOB"}, 3},
    TypeNames{Type::Int32, {"INT32"}, 1},
    TypeNames{Type::Int64, {"INT64", "INTEGER", "INT", "BIGINT"}, 4},
    TypeNames{
        Type::Double, {"DOUBLE", "REAL", "FLOAT", "SINGLE", "DECIMAL", "NUMERIC", "DOUBLE PRECISION"}, 5},
    TypeNames{Type::Boolean, {"BOOLEAN", "BOOL"}, 2},
    TypeNames{Type::DateTime, {"DATETIME", "TIMESTAMP", "DATETIMEOFFSET"}, 2},
    TypeNames{Type::Guid, {"GUID", "UUID"}, 2},
    TypeNames{Type::Binary, {"BINARY", "BLOB", "VARBINARY"}, 2},
    TypeNames{std::nullopt, {"ANY"}, 1},
};

}  // namespace

std::optional<std::optional<edm::Type>> column_type(std::string_view name) {
  for (const TypeNames& row : kTypes)
    for (std::string_view candidate : row.names)
      if (!candidate.empty() && equal_without_case(candidate, name)) return row.type;
  return std::nullopt;
}

std::string column_type_choices() {
  std::string out;
  for (const TypeNames& row : kTypes) {
    if (!out.empty()) out += ", ";
    out += row.names[0];
    for (std::size_t i = 1; i < row.shown; ++i) {
      out += i == 1 ? " (" : ", ";
      out += row.names[i];
    }
    if (row.shown > 1) out += ')';
  }
  return out;
}

std::string_view closest_column_type(std::string_view name) {
  std::array<std::string_view, kTypes.size() * std::tuple_size_v<decltype(TypeNames::names)>> names;
  std::size_t count = 0;
  for (const TypeNames& row : kTypes)
    for (std::string_view candidate : row.names)
      if (!candidate.empty()) names[count++] = candidate;
  return closest(name, {names.data(), count});
}

}  // namespace table_storage::definition
