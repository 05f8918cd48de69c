#include "extension/catalog/fdw_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "extension/backend/local/statement.h"
#include "extension/catalog/foreign_tables.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::quoted_identifier;
using definition::equal_without_case;

namespace {

/// main, temp, others; tables are looked for in temp first.
std::vector<std::string> search_order(sqlite3* db, bool temp_first) {
  std::vector<std::string> order = schemas(db);
  if (temp_first) std::swap(order[0], order[1]);
  return order;
}

definition::TableDefinition read_definition(const Relation& table) {
  try {
    return definition::parse_table_definition(*table.arguments);
  } catch (Error& error) {
    error.prefix("the definition of foreign table " + quoted_identifier(table.name));
    throw;
  }
}

std::optional<ForeignTableText> find_in(sqlite3* db, const std::string& schema, const std::string& name) {
  const std::optional<Relation> found = find_relation(db, schema, name);
  if (!found) return std::nullopt;
  if (!found->is_foreign()) {
    const bool is_table = found->type == "table";
    refuse(quoted_identifier(found->name) + " in schema " + schema +
           " is not a foreign table of table_storage but " +
           (is_table ? "another table" : (found->type == "index" ? "an " : "a ") + found->type) +
           "; SQLite's own " +
           (is_table                 ? "ALTER TABLE and DROP TABLE are"
            : found->type == "index" ? "DROP INDEX is"
                                     : "DROP VIEW is") +
           " for it");
  }
  return ForeignTableText{schema, found->name, read_definition(*found)};
}

}  // namespace

Options options_of(const std::vector<fdw::Option>& given) {
  Options options;
  options.reserve(given.size());
  for (const fdw::Option& option : given) options.push_back({option.name.text, option.value, 0});
  return options;
}

std::vector<OptionChange> changes_of(const std::vector<fdw::OptionChange>& given) {
  std::vector<OptionChange> changes;
  changes.reserve(given.size());
  for (const fdw::OptionChange& change : given)
    changes.push_back({static_cast<OptionChange::Action>(change.action), change.name.text, change.value});
  return changes;
}

std::string require_schema(sqlite3* db, const std::string& name) {
  std::string known;
  for (const std::string& schema : schemas(db)) {
    if (equal_without_case(schema, name)) return schema;
    known += (known.empty() ? "" : ", ") + schema;
  }
  refuse("schema " + quoted_identifier(name) + " does not exist; there are " + known);
}

std::optional<StoredServer> find_named_server(sqlite3* db, const fdw::QualifiedName& name) {
  if (is_builtin_server(name.name.text)) require_server(db, name.name.text, "main");  // says so
  if (!name.schema.text.empty())
    return find_server_in(db, name.name.text, require_schema(db, name.schema.text));
  for (const std::string& schema : search_order(db, false))
    if (auto found = find_server_in(db, name.name.text, schema)) return found;
  return std::nullopt;
}

StoredServer require_named_server(sqlite3* db, const fdw::QualifiedName& name) {
  if (auto found = find_named_server(db, name)) return *std::move(found);
  std::string known;
  for (const StoredServer& server : list_servers(db)) {
    known += (known.empty() ? "; there is " : ", ");
    if (!equal_without_case(server.schema, "main")) known += quoted_identifier(server.schema) + ".";
    known += quoted_identifier(server.name);
  }
  refuse("server " + quoted_identifier(name.name.text) + " does not exist" +
         (name.schema.text.empty() ? "" : " in schema " + name.schema.text) + known);
}

std::optional<ForeignTableText> find_named_table(sqlite3* db, const fdw::QualifiedName& name) {
  if (!name.schema.text.empty()) return find_in(db, require_schema(db, name.schema.text), name.name.text);
  for (const std::string& schema : search_order(db, true))
    if (auto found = find_in(db, schema, name.name.text)) return found;
  return std::nullopt;
}

ForeignTableText require_named_table(sqlite3* db, const fdw::QualifiedName& name) {
  if (auto found = find_named_table(db, name)) return *std::move(found);
  std::vector<std::string> known;
  for (const std::string& schema : schemas(db)) {
    if (!name.schema.text.empty() && !equal_without_case(schema, name.schema.text)) continue;
    for (Relation& table : foreign_tables(db, schema)) known.push_back(std::move(table.name));
  }
  const std::vector<std::string_view> choices(known.begin(), known.end());
  const std::string_view near = definition::closest(name.name.text, choices);
  refuse("foreign table " + quoted_identifier(name.name.text) + " does not exist" +
         (name.schema.text.empty() ? "" : " in schema " + name.schema.text) +
         (near.empty() ? "" : "; did you mean " + quoted_identifier(near) + "?"));
}

std::vector<ForeignTableText> tables_on_server(sqlite3* db, const StoredServer& server) {
  std::vector<ForeignTableText> found;
  for (const std::string& schema : schemas(db)) {
    const std::optional<StoredServer> seen = find_server(db, server.name, schema);
    if (!seen || !equal_without_case(seen->schema, server.schema)) continue;
    for (const Relation& table : foreign_tables(db, schema)) {
      // A damaged definition of another table is no reason to refuse, and depends on nothing.
      try {
        definition::TableDefinition definition = definition::parse_table_definition(*table.arguments);
        if (definition.server && equal_without_case(*definition.server, server.name))
          found.push_back({schema, table.name, std::move(definition)});
      } catch (const Error&) {
        continue;
      }
    }
  }
  return found;
}

}  // namespace table_storage::catalog
