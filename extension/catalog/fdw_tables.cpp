#include "extension/catalog/fdw_tables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/backend/local/statement.h"
#include "extension/backend/remote/transaction.h"
#include "extension/catalog/foreign_tables.h"
#include "extension/catalog/import.h"
#include "extension/catalog/options.h"
#include "extension/catalog/reference.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::quoted_identifier;
using definition::equal_without_case;

namespace {

using Columns = std::vector<definition::Column>;
constexpr std::array<std::string_view, 6> kSystemColumns{"PartitionKey", "RowKey",      "Timestamp",
                                                         "_etag",        "_properties", "_filter"};

std::string table_text(const std::string& name) { return "foreign table " + quoted_identifier(name); }

/// Runs one statement of SQL that makes or drops a table.
void run(Connection& connection, const std::string& sql, const std::string& schema, const std::string& name) {
  sqlite3* const db = connection.db();
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  const int code = sqlite3_extended_errcode(db);
  if ((code & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  std::string what = sqlite3_errmsg(db);
  if ((code & 0xFF) == SQLITE_READONLY) {
    what = sqlite3_db_readonly(db, schema.c_str()) == 1
               ? "schema " + schema + " is read-only, and " + table_text(name) +
                     " is or would be kept in it; schema temp can be written"
               : table_text(name) + ": the connection may not write (PRAGMA query_only)";
  } else if ((code & 0xFF) == SQLITE_LOCKED) {
    what = table_text(name) + " is in use by a statement of this connection that is still running";
  }
  throw Error(Error::Kind::storage, "", what).native(code);
}

/// The text of CREATE VIRTUAL TABLE stays in the file for all to read.
void check_table_options(const Options& options, const std::string& table) {
  check_options(ObjectKind::table, options, table);
  for (const definition::Option& option : options) {
    const bool is_string = equal_without_case(option.name, "connection_string");
    const std::string_view shape = secret_shape(option.value);
    const bool is_secret = is_string ? !is_stored_reference(option.value) &&
                                           !equal_without_case(option.value, "UseDevelopmentStorage=true")
                                     : !shape.empty();
    if (!is_secret) continue;
    refuse(
        "option " + option.name + " of table " + quoted_identifier(table) + " holds " +
        (is_string ? "a connection string itself" : "what looks like " + std::string(shape)) +
        ", which would be kept in the database file. Say where it is, 'env:NAME' or 'file:PATH'; or make a "
        "server with CREATE SERVER and keep it in memory with CREATE USER MAPPING");
  }
}

void check_new_table_name(sqlite3* db, const std::string& schema, const std::string& name) {
  if (const auto existing = find_relation(db, schema, name)) {
    throw Error(Error::Kind::conflict, "",
                (existing->is_foreign() ? "foreign table " : existing->type + " ") +
                    quoted_identifier(existing->name) + " already exists in schema " + schema)
        .native(SQLITE_ERROR);
  }
}

// --- Changes of a definition -----------------------------------------------------------------------------

Columns::iterator find_column(Columns& columns, std::string_view name) {
  return std::find_if(columns.begin(), columns.end(), [&](const definition::Column& column) {
    return equal_without_case(column.name, name);
  });
}

[[noreturn]] void refuse_unknown_column(const ForeignTableText& table, const std::string& name) {
  for (const std::string_view given : kSystemColumns) {
    if (equal_without_case(given, name))
      refuse("column " + std::string(given) + " of " + table_text(table.name) +
             " is there by itself and cannot be changed");
  }
  std::vector<std::string_view> choices;
  for (const definition::Column& column : table.definition.columns) choices.push_back(column.name);
  const std::string_view near = definition::closest(name, choices);
  refuse("column " + quoted_identifier(name) + " of " + table_text(table.name) + " does not exist" +
         (near.empty() ? "" : "; did you mean " + quoted_identifier(near) + "?"));
}

definition::Column& require_column(ForeignTableText& table, const std::string& name) {
  const auto found = find_column(table.definition.columns, name);
  if (found == table.definition.columns.end()) refuse_unknown_column(table, name);
  return *found;
}

/// Applies one action; false if there was nothing to do.
bool apply(ForeignTableText& table, const fdw::TableChange& change) {
  using Kind = fdw::TableChange::Kind;
  Columns& columns = table.definition.columns;
  const std::string& name = change.column.text;
  switch (change.kind) {
    case Kind::add_column: {
      const definition::Column& added = change.definition;
      if (find_column(columns, added.name) != columns.end()) {
        if (change.conditional) return false;
        refuse("column " + quoted_identifier(added.name) + " of " + table_text(table.name) +
               " already exists");
      }
      columns.push_back(added);
      return true;
    }
    case Kind::drop_column: {
      const auto found = find_column(columns, name);
      if (found != columns.end()) {
        columns.erase(found);
        return true;
      }
      if (change.conditional) return false;
      refuse_unknown_column(table, name);
    }
    case Kind::column_type: {
      definition::Column& column = require_column(table, name);
      column.type = change.definition.type;
      column.declared_type = change.definition.declared_type;
      return true;
    }
    case Kind::column_options: {
      definition::Column& column = require_column(table, name);
      column.options = changed_options(std::move(column.options), changes_of(change.changes),
                                       ObjectKind::column, column.name);
      return true;
    }
    case Kind::options:
      table.definition.options = changed_options(std::move(table.definition.options),
                                                 changes_of(change.changes), ObjectKind::table, table.name);
      return true;
  }
  return false;
}

/// An option whose default is the name that is about to change.
void keep_default(Options& options, const char* option, const std::string& old_name) {
  if (find_value(options, option) == nullptr) options.push_back({option, old_name, 0});
}

/// The foreign table to alter; none where it may be missing and is.
std::optional<ForeignTableText> altered(Connection& connection, const fdw::QualifiedName& name,
                                        bool if_exists) {
  return if_exists ? find_named_table(connection.db(), name) : require_named_table(connection.db(), name);
}

}  // namespace

void create_foreign_table(Connection& connection, const fdw::CreateForeignTable& statement) {
  sqlite3* const db = connection.db();
  const std::string& name = statement.name.name.text;
  const std::string& given = statement.name.schema.text;
  const std::string schema = given.empty() ? "main" : require_schema(db, given);
  if (statement.if_not_exists && find_relation(db, schema, name)) return;
  check_new_table_name(db, schema, name);

  definition::TableDefinition definition;
  definition.columns = statement.columns;
  definition.server = statement.server.text;
  definition.options = options_of(statement.options);
  check_table_options(definition.options, name);
  run(connection, create_table_text(schema, name, definition), schema, name);
}

void alter_foreign_table(Connection& connection, const fdw::AlterForeignTable& statement) {
  const auto found = altered(connection, statement.name, statement.if_exists);
  if (!found) return;
  ForeignTableText changed = *found;
  bool any = false;
  for (const fdw::TableChange& change : statement.changes) any = apply(changed, change) || any;
  if (!any) return;
  check_table_options(changed.definition.options, changed.name);
  remake_foreign_table(connection, *found, changed.definition);
}

void rename_foreign_table(Connection& connection, const fdw::RenameForeignTable& statement) {
  const auto found = altered(connection, statement.name, statement.if_exists);
  if (!found) return;
  const std::string& new_name = statement.new_name.text;
  if (!equal_without_case(found->name, new_name))
    check_new_table_name(connection.db(), found->schema, new_name);
  definition::TableDefinition definition = found->definition;
  keep_default(definition.options, "table", found->name);
  drop_foreign_table(connection, *found);
  run(connection, create_table_text(found->schema, new_name, definition), found->schema, new_name);
}

void rename_foreign_column(Connection& connection, const fdw::RenameColumn& statement) {
  const auto found = altered(connection, statement.name, statement.if_exists);
  if (!found) return;
  const std::string& new_name = statement.new_name.text;
  ForeignTableText changed = *found;
  definition::Column& column = require_column(changed, statement.column.text);
  if (!equal_without_case(column.name, new_name)) {
    const bool is_system =
        std::any_of(kSystemColumns.begin(), kSystemColumns.end(),
                    [&](std::string_view given) { return equal_without_case(given, new_name); });
    if (is_system || find_column(changed.definition.columns, new_name) != changed.definition.columns.end())
      refuse("column " + quoted_identifier(new_name) + " of " + table_text(changed.name) + " already exists");
  }
  keep_default(column.options, "property", column.name);
  column.name = new_name;
  remake_foreign_table(connection, *found, changed.definition);
}

void drop_foreign_tables(Connection& connection, const fdw::DropForeignTable& statement) {
  // As with servers: one that is named twice is dropped once.
  std::vector<ForeignTableText> tables;
  for (const fdw::QualifiedName& name : statement.names) {
    const auto found = altered(connection, name, statement.if_exists);
    if (found && !names_one_of(tables, *found)) tables.push_back(*found);
  }
  for (const ForeignTableText& table : tables) drop_foreign_table(connection, table);
}

void drop_foreign_table(Connection& connection, const ForeignTableText& table) {
  // SQLite tells a dropped table nothing of COMMIT. The module refuses, with no more to say than that the
  // table is locked.
  for (const auto& pending : connection.remote_transaction().pending()) {
    if (equal_without_case(pending.foreign_table, table.name))
      refuse(table_text(table.name) +
             " has writes of the open transaction waiting to be sent; COMMIT or ROLLBACK first");
  }
  run(connection, "DROP TABLE " + quoted_identifier(table.schema) + "." + quoted_identifier(table.name),
      table.schema, table.name);
}

void remake_foreign_table(Connection& connection, const ForeignTableText& table,
                          const definition::TableDefinition& definition) {
  drop_foreign_table(connection, table);
  run(connection, create_table_text(table.schema, table.name, definition), table.schema, table.name);
}

}  // namespace table_storage::catalog
