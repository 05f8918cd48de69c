// The foreign tables of a database, as the texts of CREATE VIRTUAL TABLE in its schema tables say.
//
// Only the thread that uses the connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extension/sqlite.h"
#include "parser/definition/table_definition.h"

namespace table_storage::catalog {

/// Something with a name in a schema: a table, view or index.
struct Relation {
  std::string name;  // as it was created
  std::string type;  // "table", "view" or "index"
  /// The arguments of table_storage(...) as SQLite cut them; none if it is something else.
  std::optional<std::vector<std::string>> arguments;

  bool is_foreign() const { return arguments.has_value(); }
};

/// What has this name, without case, in a schema (main, temp, an attached database); none if nothing has.
/// Throws Error(storage) if the schema cannot be read.
std::optional<Relation> find_relation(sqlite3* db, const std::string& schema, const std::string& name);

/// All foreign tables of a schema, by name.
std::vector<Relation> foreign_tables(sqlite3* db, const std::string& schema);

/// Names of the schemas: main, temp, and what is attached.
std::vector<std::string> schemas(sqlite3* db);

/// Option `table` of a definition, else its SQL name.
std::string entity_table_of(const definition::TableDefinition& definition, const std::string& name);

}  // namespace table_storage::catalog
