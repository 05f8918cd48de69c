#include "extension/catalog/server_store.h"

#include <algorithm>

#include "extension/backend/local/statement.h"
#include "extension/catalog/server.h"
#include "extension/sql_values.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::bind_text;
using backend::local::next_row;
using backend::local::quoted_identifier;
using backend::local::ResetAtEnd;
using backend::local::Statement;
using backend::local::storage_error;
using backend::local::table_exists;
using backend::local::throw_storage_error;
using definition::equal_without_case;

namespace {

constexpr const char* kServersTable = "table_storage_servers";

std::string table_in(const std::string& schema) { return quoted_identifier(schema) + "." + kServersTable; }

/// A statement that reads the table of a schema; empty where there is none. The file may hold anything under
/// that name: views do not count as tables, and a virtual one, which might ask somebody else, does not
/// compile. To compile comes first, since that is when SQLite sees a table that another connection has made.
Statement select(sqlite3* db, const std::string& schema, const std::string& rest, unsigned flags = 0) {
  const std::string sql = "SELECT name, options, user_mapping FROM " + table_in(schema) + rest;
  sqlite3_stmt* made = nullptr;
  const int rc = sqlite3_prepare_v3(db, sql.c_str(), -1, SQLITE_PREPARE_NO_VTAB | flags, &made, nullptr);
  Statement statement(made);
  if (rc == SQLITE_OK) return table_exists(db, schema, kServersTable) ? std::move(statement) : Statement();
  const Error error = storage_error(db, rc,
                                    "reading the servers of schema " + schema + " (" + kServersTable +
                                        " may not be as CREATE SERVER makes it)");
  if (rc == SQLITE_ERROR && !table_exists(db, schema, kServersTable)) return {};
  throw error;
}

ServerReader::Row row_at(sqlite3_stmt* statement, const std::string& schema) {
  ServerReader::Row row{schema, text_at(statement, 0), text_at(statement, 1), std::nullopt, std::nullopt};
  if (sqlite3_column_type(statement, 2) != SQLITE_NULL) row.user_mapping = text_at(statement, 2);
  return row;
}

std::vector<std::string> schemas_of(sqlite3* db) {
  Statement statement;
  const std::string doing = "listing the schemas";
  const int rc = statement.prepare(db, "PRAGMA database_list");
  if (rc != SQLITE_OK) throw_storage_error(db, rc, doing);
  std::vector<std::string> schemas;
  while (next_row(statement.get(), doing)) schemas.push_back(text_at(statement.get(), 1));
  if (std::find(schemas.begin(), schemas.end(), "temp") == schemas.end()) schemas.emplace_back("temp");
  return schemas;
}

/// Own schema, main, temp: each once.
std::vector<std::string> search_path(const std::string& schema) {
  std::vector<std::string> path{schema};
  for (const char* more : {"main", "temp"}) {
    if (!equal_without_case(schema, more)) path.emplace_back(more);
  }
  return path;
}

/// Runs a statement that changes the table, with texts bound to it (nullptr: NULL).
void change(sqlite3* db, const std::string& sql, std::initializer_list<const std::string*> values,
            const std::string& doing, const std::string& schema) {
  Statement statement;
  int rc = statement.prepare(db, sql);
  if (rc == SQLITE_OK) {
    int place = 0;
    for (const std::string* value : values) {
      ++place;
      if (value != nullptr) bind_text(statement.get(), place, *value);
    }
    rc = sqlite3_step(statement.get());
  }
  if (rc == SQLITE_DONE) return;
  Error error = storage_error(db, rc, doing);
  if ((rc & 0xFF) == SQLITE_READONLY) {
    error = Error(Error::Kind::storage, "",
                  doing + ": schema " + schema + " is read-only, and servers are kept in the database; " +
                      "temp can be written (CREATE SERVER temp.NAME …)")
                .native(error.native_code());
  }
  throw error;
}

void check_name(const std::string& name) {
  if (name.empty()) throw Error(Error::Kind::invalid, "", "the name of a server is empty");
  if (is_builtin_server(name)) {
    throw Error(Error::Kind::invalid, "",
                "server " + quoted_identifier(name) + " is built in; give this one another name");
  }
  if (server_from_text(name).is_remote()) {
    throw Error(Error::Kind::invalid, "",
                "a server cannot have a name that reads as an address or a reference; the address is an "
                "option: OPTIONS (endpoint 'https://…')");
  }
}

void check_new_server_name(sqlite3* db, const std::string& schema, const std::string& name) {
  check_name(name);
  if (find_server_in(db, name, schema)) {
    throw Error(Error::Kind::conflict, "", "server " + quoted_identifier(name) + " already exists")
        .native(SQLITE_ERROR);
  }
}

}  // namespace

bool is_builtin_server(std::string_view name) {
  return equal_without_case(name, kLocalServer) || equal_without_case(name, kEnvironmentServer);
}

std::optional<StoredServer> find_server_in(sqlite3* db, std::string_view name, const std::string& schema) {
  const Statement statement = select(db, schema, " WHERE name = ?1 COLLATE NOCASE");
  if (!statement) return std::nullopt;
  bind_text(statement.get(), 1, name);
  if (!next_row(statement.get(), "reading the servers of schema " + schema)) return std::nullopt;
  return to_server(row_at(statement.get(), schema));
}

StoredServer require_server(sqlite3* db, const std::string& name, const std::string& schema) {
  if (auto found = find_server(db, name, schema)) return *std::move(found);
  if (is_builtin_server(name)) {
    throw Error(Error::Kind::invalid, "",
                "server " + quoted_identifier(name) +
                    " is built in: it cannot be altered or dropped, and "
                    "takes no user mapping");
  }
  std::string known;
  for (const StoredServer& server : list_servers(db))
    known += (known.empty() ? "; there is " : ", ") + quoted_identifier(server.name);
  throw Error(Error::Kind::invalid, "", "server " + quoted_identifier(name) + " does not exist" + known);
}

std::optional<StoredServer> find_server(sqlite3* db, std::string_view name, const std::string& schema) {
  if (is_builtin_server(name)) return std::nullopt;
  for (const std::string& place : search_path(schema)) {
    if (auto found = find_server_in(db, name, place)) return found;
  }
  return std::nullopt;
}

std::vector<StoredServer> list_servers(sqlite3* db) {
  std::vector<StoredServer> servers;
  for (const std::string& schema : schemas_of(db)) {
    const Statement statement = select(db, schema, " ORDER BY name COLLATE NOCASE");
    if (!statement) continue;
    while (next_row(statement.get(), "reading the servers of schema " + schema)) {
      const std::string name = text_at(statement.get(), 0);
      if (!is_builtin_server(name)) servers.push_back(to_server(row_at(statement.get(), schema)));
    }
  }
  return servers;
}

void create_server(sqlite3* db, const std::string& schema, const std::string& name, const Options& options) {
  check_new_server_name(db, schema, name);
  check_server_options(options, name);
  const std::string doing = "CREATE SERVER " + quoted_identifier(name);
  const std::string text = options_text(options);
  change(db,
         "CREATE TABLE IF NOT EXISTS " + table_in(schema) +
             "(name TEXT PRIMARY KEY COLLATE NOCASE, options TEXT NOT NULL, user_mapping TEXT)",
         {}, doing, schema);
  change(db, "INSERT INTO " + table_in(schema) + "(name, options) VALUES (?1, ?2)", {&name, &text}, doing,
         schema);
}

void alter_server(sqlite3* db, const StoredServer& server, std::span<const OptionChange> changes) {
  const Options options = changed_options(server.options, changes, ObjectKind::server, server.name);
  check_server_options(options, server.name);
  const std::string text = options_text(options);
  change(db, "UPDATE " + table_in(server.schema) + " SET options = ?2 WHERE name = ?1 COLLATE NOCASE",
         {&server.name, &text}, "ALTER SERVER " + quoted_identifier(server.name), server.schema);
}

void rename_server(sqlite3* db, const StoredServer& server, const std::string& new_name) {
  if (!equal_without_case(server.name, new_name)) check_new_server_name(db, server.schema, new_name);
  change(db, "UPDATE " + table_in(server.schema) + " SET name = ?2 WHERE name = ?1 COLLATE NOCASE",
         {&server.name, &new_name}, "ALTER SERVER " + quoted_identifier(server.name), server.schema);
}

void drop_server(sqlite3* db, const StoredServer& server) {
  change(db, "DELETE FROM " + table_in(server.schema) + " WHERE name = ?1 COLLATE NOCASE", {&server.name},
         "DROP SERVER " + quoted_identifier(server.name), server.schema);
}

void store_user_mapping(sqlite3* db, const StoredServer& server, const std::optional<Options>& mapping) {
  const std::string text = mapping ? options_text(*mapping) : std::string();
  change(db, "UPDATE " + table_in(server.schema) + " SET user_mapping = ?2 WHERE name = ?1 COLLATE NOCASE",
         {&server.name, mapping ? &text : nullptr},
         "the user mapping of server " + quoted_identifier(server.name), server.schema);
}

// --- Reading one server again and again ------------------------------------------------------------------

ServerReader::ServerReader(sqlite3* db, std::string name, const std::string& schema)
    : db_(db),
      name_(std::move(name)),
      schemas_(search_path(schema)),
      statements_(schemas_.size()),
      session_(db) {}

std::optional<ServerReader::Row> ServerReader::read() {
  for (std::size_t place = 0; place < schemas_.size(); ++place) {
    auto row = read_from(place);
    if (!row) continue;
    row->session = session_.read(row->schema, row->name);
    return row;
  }
  return std::nullopt;
}

std::optional<ServerReader::Row> ServerReader::read_from(std::size_t place) {
  Statement& statement = statements_[place];
  if (!statement) {
    Statement made =
        select(db_, schemas_[place], " WHERE name = ?1 COLLATE NOCASE", SQLITE_PREPARE_PERSISTENT);
    if (!made) return std::nullopt;
    bind_text(made.get(), 1, name_);
    statement = std::move(made);
  }
  {
    const ResetAtEnd reset(statement);
    const int rc = sqlite3_step(statement.get());
    if (rc == SQLITE_ROW) return row_at(statement.get(), schemas_[place]);
    if (rc == SQLITE_DONE) return std::nullopt;
    if ((rc & 0xFF) != SQLITE_ERROR)
      throw_storage_error(db_, rc, "reading server " + quoted_identifier(name_));
  }
  statement.finalize();  // the table was dropped or its schema detached
  return std::nullopt;
}

StoredServer to_server(const ServerReader::Row& row) {
  StoredServer server;
  server.schema = row.schema;
  server.name = row.name;
  try {
    server.options = parse_options(row.options);
    if (row.user_mapping) server.user_mapping = parse_options(*row.user_mapping);
  } catch (Error& error) {
    error.prefix("server " + quoted_identifier(row.name) + " of schema " + row.schema);
    throw;
  }
  return server;
}

}  // namespace table_storage::catalog
