#include "extension/module/column.h"

namespace table_storage::module {

using edm::Type;

namespace {

Column system_column(Column::Role role, const char* name, Type type) {
  Column column;
  column.role = role;
  column.name = name;
  column.property = name;
  column.type = type;
  return column;
}

}  // namespace

std::vector<Column> system_columns() {
  return {system_column(Column::Role::partition_key, "PartitionKey", Type::String),
          system_column(Column::Role::row_key, "RowKey", Type::String),
          system_column(Column::Role::timestamp, "Timestamp", Type::DateTime),
          system_column(Column::Role::etag, "_etag", Type::String),
          system_column(Column::Role::properties, "_properties", Type::String),
          system_column(Column::Role::filter, "_filter", Type::String)};
}

std::string quoted(const std::string& identifier) {
  std::string out = "\"";
  for (char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string Column::declaration() const {
  std::string out = quoted(name) + ' ';
  switch (role) {
    case Role::partition_key:
    case Role::row_key:
      return out + "TEXT NOT NULL";
    case Role::etag:
    case Role::properties:
    case Role::filter:
      return out + "TEXT HIDDEN";
    case Role::timestamp:
    case Role::property:
      break;
  }
  if (!type) return out;
  switch (*type) {
    case Type::String:
      return out + "TEXT";
    case Type::Binary:
      return out + "BLOB";
    case Type::Boolean:
      return out + "BOOLEAN";
    case Type::Int32:
      return out + "INT32";
    case Type::Int64:
      return out + "INT64";
    case Type::Double:
      return out + "DOUBLE";
    case Type::DateTime:
      return out + "DATETIME TEXT COLLATE " + kDateTimeCollation;
    case Type::Guid:
      return out + "GUID TEXT COLLATE NOCASE";
  }
  return out;
}

const char* Column::collation() const {
  if (type == Type::DateTime) return kDateTimeCollation;
  if (type == Type::Guid) return "NOCASE";
  return "BINARY";
}

const char* Column::type_name() const {
  if (!type) return "ANY";
  switch (*type) {
    case Type::String:
      return "STRING";
    case Type::Binary:
      return "BINARY";
    case Type::Boolean:
      return "BOOLEAN";
    case Type::Int32:
      return "INT32";
    case Type::Int64:
      return "INT64";
    case Type::Double:
      return "DOUBLE";
    case Type::DateTime:
      return "DATETIME";
    case Type::Guid:
      return "GUID";
  }
  return "ANY";
}

}  // namespace table_storage::module
