// Finding what the statements of fdw() name: schemas, servers and foreign tables; and what depends on a
// server.
//
// Nothing is remembered. The connection's thread only; everything throws Error.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "extension/catalog/server_store.h"
#include "extension/sqlite.h"
#include "parser/definition/closest.h"
#include "parser/definition/table_definition.h"
#include "parser/fdw/ast.h"

namespace table_storage::catalog {

Options options_of(const std::vector<fdw::Option>& given);
std::vector<OptionChange> changes_of(const std::vector<fdw::OptionChange>& given);

/// The schema as SQLite calls it. Throws Error(invalid) with those there are.
std::string require_schema(sqlite3* db, const std::string& name);

/// The server that a statement changes. nullopt where there is none; Error(invalid) for a built-in one.
std::optional<StoredServer> find_named_server(sqlite3* db, const fdw::QualifiedName& name);
/// The same; Error(invalid) where there is none, with those there are.
StoredServer require_named_server(sqlite3* db, const fdw::QualifiedName& name);

struct ForeignTableText {
  std::string schema;
  std::string name;  // as it was created
  definition::TableDefinition definition;
};

/// The foreign table that a statement changes. nullopt where nothing has the name; Error(invalid) where it is
/// something else, and where its definition cannot be read.
std::optional<ForeignTableText> find_named_table(sqlite3* db, const fdw::QualifiedName& name);
/// The same; Error(invalid) where there is none, with the one that was probably meant.
ForeignTableText require_named_table(sqlite3* db, const fdw::QualifiedName& name);

/// The foreign tables, in any schema, that name the server and would find it and no other of its name.
std::vector<ForeignTableText> tables_on_server(sqlite3* db, const StoredServer& server);

/// Whether the server or table is among those; for lists in which one may be named twice.
template <typename Named>
bool names_one_of(const std::vector<Named>& known, const Named& object) {
  return std::any_of(known.begin(), known.end(), [&](const Named& other) {
    return definition::equal_without_case(other.schema, object.schema) &&
           definition::equal_without_case(other.name, object.name);
  });
}

}  // namespace table_storage::catalog
