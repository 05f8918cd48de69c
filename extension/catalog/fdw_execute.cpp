#include "extension/catalog/fdw_execute.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "extension/backend/local/statement.h"
#include "extension/catalog/fdw_names.h"
#include "extension/catalog/fdw_tables.h"
#include "extension/catalog/import.h"
#include "extension/catalog/infer.h"
#include "extension/catalog/server_store.h"
#include "extension/catalog/user_mapping.h"
#include "parser/definition/closest.h"
#include "parser/error.h"
#include "parser/fdw/script.h"

namespace table_storage::catalog {

using backend::local::quoted_identifier;
using definition::equal_without_case;

namespace {

constexpr std::size_t kTablesNamed = 10;  // in a refusal

/// The savepoint around a text. Undone unless release() is reached.
///
/// After an interrupt or a failed allocation SQLite runs nothing more, ROLLBACK TO included, until the
/// statement that called fdw() has ended, and with it the last moment at which anything can be undone. What
/// SQLite itself then does to a statement that writes is to roll back the whole transaction. It is made to do
/// so here too: half of a text must not stay, nor a transaction that nobody has begun.
class ScriptSavepoint {
 public:
  explicit ScriptSavepoint(sqlite3* db) : db_(db) {
    const std::string doing = "beginning a savepoint for fdw()";
    // Reads temp, which no other connection can lock, and stays in the middle of it.
    const int prepared = reader_.prepare(db_, "SELECT count(*) FROM temp.sqlite_temp_master");
    if (prepared != SQLITE_OK) backend::local::throw_storage_error(db_, prepared, doing);
    backend::local::next_row(reader_.get(), doing);
    const int rc = run("SAVEPOINT table_storage_fdw");
    if (rc == SQLITE_OK) return;
    // The only case: another statement of the connection is writing, and could not be undone in part.
    if ((rc & 0xFF) == SQLITE_BUSY)
      throw Error(
          Error::Kind::invalid, "",
          "fdw() stands alone, SELECT fdw('…'); inside a statement that writes it cannot be undone if "
          "it fails")
          .native(SQLITE_ERROR);
    backend::local::throw_storage_error(db_, rc, doing);
  }
  ~ScriptSavepoint() {
    if (!open_ || run("ROLLBACK TO table_storage_fdw; RELEASE table_storage_fdw") == SQLITE_OK) return;
    // Out of memory: the end of a statement that reads rolls back all.
    sqlite3_step(reader_.get());
    // Interrupted: the end of a statement that writes does. This one compiles when interrupted (there is no
    // blank in it, at which SQLite would look), ends before it begins, and would be refused otherwise.
    run("VACUUM;");
  }
  ScriptSavepoint(const ScriptSavepoint&) = delete;
  ScriptSavepoint& operator=(const ScriptSavepoint&) = delete;

  void release() {
    const int rc = run("RELEASE table_storage_fdw");
    if (rc != SQLITE_OK) backend::local::throw_storage_error(db_, rc, "committing what fdw() did");
    open_ = false;
  }

 private:
  int run(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }

  sqlite3* db_;
  backend::local::Statement reader_;
  bool open_ = true;
};

/// Runs single statements. Whoever calls holds the savepoint.
class Executor {
 public:
  explicit Executor(Connection& connection) : connection_(connection), db_(connection.db()) {}

  void operator()(const fdw::CreateServer& s) {
    refuse_version(s.type, "TYPE");
    refuse_version(s.version, "VERSION");
    const std::string& given = s.name.schema.text;
    const std::string schema = given.empty() ? "main" : require_schema(db_, given);
    if (s.if_not_exists && find_server_in(db_, s.name.name.text, schema)) return;
    create_server(db_, schema, s.name.name.text, options_of(s.options));
  }

  void operator()(const fdw::AlterServer& s) {
    refuse_version(s.version, "VERSION");
    const StoredServer before = require_named_server(db_, s.name);
    alter_server(db_, before, changes_of(s.options));
    const auto after = find_server_in(db_, before.name, before.schema);
    if (after) connection_.user_mappings().server_changed(before, *after);
  }

  /// Tables name their server in their text, so they are made anew.
  void operator()(const fdw::RenameServer& s) {
    const StoredServer server = require_named_server(db_, s.name);
    const std::vector<ForeignTableText> tables = tables_on_server(db_, server);
    rename_server(db_, server, s.new_name.text);
    connection_.user_mappings().server_renamed(server, s.new_name.text);
    for (const ForeignTableText& table : tables) {
      const auto seen = find_server(db_, s.new_name.text, table.schema);
      if (!seen || !equal_without_case(seen->schema, server.schema))
        refuse("foreign table " + full_name(table) + " would find another server of the name " +
               quoted_identifier(s.new_name.text));
      definition::TableDefinition definition = table.definition;
      definition.server = s.new_name.text;
      remake_foreign_table(connection_, table, definition);
    }
  }

  void operator()(const fdw::DropServer& s) {
    // All are looked up before one is dropped: a server that is named twice is dropped once, as in
    // PostgreSQL.
    std::vector<StoredServer> servers;
    for (const fdw::QualifiedName& name : s.names) {
      const auto found = s.if_exists ? find_named_server(db_, name) : require_named_server(db_, name);
      if (found && !names_one_of(servers, *found)) servers.push_back(*found);
    }
    for (const StoredServer& server : servers) drop(server, s.cascade);
  }

  void operator()(const fdw::CreateUserMapping& s) {
    const StoredServer server = require_named_server(db_, s.server);
    if (s.if_not_exists)
      connection_.user_mappings().create_if_missing(server, options_of(s.options));
    else
      connection_.user_mappings().create(server, options_of(s.options));
  }

  void operator()(const fdw::AlterUserMapping& s) {
    connection_.user_mappings().alter(require_named_server(db_, s.server), changes_of(s.options));
  }

  void operator()(const fdw::DropUserMapping& s) {
    const auto server = s.if_exists ? find_named_server(db_, s.server) : require_named_server(db_, s.server);
    if (!server) return;
    if (!connection_.user_mappings().drop(*server) && !s.if_exists)
      refuse("there is no user mapping for server " + quoted_identifier(server->name));
  }

  void operator()(const fdw::CreateForeignTable& s) { create_foreign_table(connection_, s); }
  void operator()(const fdw::AlterForeignTable& s) { alter_foreign_table(connection_, s); }
  void operator()(const fdw::RenameForeignTable& s) { rename_foreign_table(connection_, s); }
  void operator()(const fdw::RenameColumn& s) { rename_foreign_column(connection_, s); }
  void operator()(const fdw::DropForeignTable& s) { drop_foreign_tables(connection_, s); }

  void operator()(const fdw::ImportForeignSchema& s) {
    ImportRequest request;
    request.server = s.server.text;
    request.selection = static_cast<ImportRequest::Selection>(s.tables.kind);
    for (const fdw::Name& name : s.tables.names) request.names.push_back(name.text);
    request.schema = require_schema(db_, s.local_schema.text);
    request.options = options_of(s.options);
    import_foreign_schema(connection_, request);
  }

 private:
  /// PostgreSQL keeps them and does nothing with them.
  static void refuse_version(const std::string& value, const std::string& clause) {
    if (!value.empty()) refuse(clause + " means nothing for a table service and is not kept; leave it out");
  }

  static std::string full_name(const ForeignTableText& table) {
    // temp is a word of SQL and needs no quotes here.
    const bool is_temp = equal_without_case(table.schema, "temp");
    return (is_temp ? table.schema : identifier_text(table.schema)) + "." + identifier_text(table.name);
  }

  /// PostgreSQL's rule: what depends on the server keeps it, unless CASCADE.
  void drop(const StoredServer& server, bool cascade) {
    const std::vector<ForeignTableText> tables = tables_on_server(db_, server);
    const bool mapped = connection_.user_mappings().find(server).has_value();
    if (!cascade && (mapped || !tables.empty())) {
      std::string what;
      for (std::size_t i = 0; i < std::min(tables.size(), kTablesNamed); ++i)
        what += (i == 0 ? "foreign table " : ", foreign table ") + full_name(tables[i]);
      if (tables.size() > kTablesNamed)
        what += " and " + std::to_string(tables.size() - kTablesNamed) + " more";
      if (mapped) what += std::string(tables.empty() ? "" : ", ") + "its user mapping";
      refuse("cannot drop server " + quoted_identifier(server.name) +
             " because other objects depend on it: " + what +
             "; DROP SERVER … CASCADE drops these too, entities stay");
    }
    for (const ForeignTableText& table : tables) drop_foreign_table(connection_, table);
    drop_server(db_, server);
    connection_.user_mappings().server_dropped(server);
  }

  Connection& connection_;
  sqlite3* db_;
};

/// What is kept in memory beside the tables is brought in step with them, whether they were changed or not.
class InStep {
 public:
  explicit InStep(Connection& connection) : connection_(connection) {}
  ~InStep() {
    try {
      if (!done_) connection_.user_mappings().wipe_unused();
      connection_.servers_changed();
    } catch (...) {  // NOLINT(bugprone-empty-catch): no memory; the next statement tries again
    }
  }
  InStep(const InStep&) = delete;
  InStep& operator=(const InStep&) = delete;

  /// After a success, which must not look failed for want of memory. `used`: what rows named before it.
  void wipe_all_but(const std::set<std::int64_t>& used) noexcept {
    connection_.user_mappings().wipe_all_but(used);
    done_ = true;
  }

 private:
  Connection& connection_;
  bool done_ = false;
};

void run_all(Connection& connection, std::string_view text,
             const std::vector<fdw::ScriptStatement>& statements, InStep& in_step) {
  ScriptSavepoint savepoint(connection.db());
  Executor executor(connection);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    try {
      std::visit(executor, statements[i].statement);
    } catch (Error& error) {
      if (statements.size() == 1) throw;
      error.prefix("statement " + std::to_string(i + 1) + " of " + std::to_string(statements.size()) + ", " +
                   std::string(fdw::command_tag(statements[i].statement)) + " at " +
                   fdw::place_text(text, statements[i].position) + ", and nothing of the text was done");
      throw;
    }
  }
  const std::set<std::int64_t> used = connection.user_mappings().used();
  savepoint.release();
  in_step.wipe_all_but(used);
}

}  // namespace

std::string_view execute_fdw(Connection& connection, std::string_view text) {
  const std::vector<fdw::ScriptStatement> statements = fdw::parse_script(text);
  InStep in_step(connection);
  run_all(connection, text, statements, in_step);
  return fdw::command_tag(statements.back().statement);
}

}  // namespace table_storage::catalog
