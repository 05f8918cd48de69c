// IMPORT FOREIGN SCHEMA: foreign tables for the entity tables of a server, with columns from a look at the
// entities.
//
// Everything is read and checked before the first table is made. Whoever calls holds a savepoint: an error
// may come after some tables were made. One thread, that of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/connection.h"
#include "extension/catalog/import_notice.h"
#include "extension/catalog/infer.h"
#include "parser/definition/table_definition.h"

namespace table_storage::catalog {

struct ImportRequest {
  enum class Selection : unsigned char { all, limit_to, except };

  std::string server;
  Selection selection = Selection::all;
  std::vector<std::string> names;  // entity tables, for limit_to and except
  std::string schema = "main";     // main, temp or an attached database
  /// `sample_rows`; all others are options of tables (not `table`) that every table gets.
  std::vector<definition::Option> options;
};

enum class ImportAction : unsigned char { created, updated, unchanged };

struct ImportedTable {
  std::string name;          // SQL name
  std::string entity_table;  // as the service has it
  ImportAction action = ImportAction::created;
};

/// Makes or updates the foreign tables and returns them; what there is to say about them goes to
/// Connection::import_notices, in place of what was there.
///
/// A foreign table that this server's entity table has already, under the name the import would give it, is
/// updated: it keeps its options, and its columns as they are declared, as long as their types show all that
/// was seen; properties without a column are added. Where nothing changes, it is left alone.
///
/// Throws Error: unknown server or schema, read-only database, a table that the server does not have, a name
/// that something else has, more columns than SQLite takes, and whatever the service says.
std::vector<ImportedTable> import_foreign_schema(Connection& connection, const ImportRequest& request);

/// An entity table and what keeps it open.
struct OpenTable {
  std::unique_ptr<backend::Backend> backend;
  std::unique_ptr<backend::Table> table;
};

/// An entity table to look at; `schema` counts for the local server. Throws Error(missing) where the local
/// server has no such table (others say so when they are asked).
OpenTable open_entity_table(Connection& connection, const std::string& server, const std::string& schema,
                            const std::string& name);

/// `CREATE VIRTUAL TABLE schema.name USING table_storage(...)` in the canonical form: a column a line, then
/// SERVER, then OPTIONS.
std::string create_table_text(const std::string& schema, const std::string& name,
                              const definition::TableDefinition& definition);

}  // namespace table_storage::catalog
