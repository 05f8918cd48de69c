// The servers that CREATE SERVER made. They are rows of an ordinary table, so that they travel with the file,
// follow its transactions and show up in .dump:
//
//   CREATE TABLE table_storage_servers(name TEXT PRIMARY KEY COLLATE NOCASE, options TEXT NOT NULL,
//                                      user_mapping TEXT);
//
// `options` and `user_mapping` are written as they stand in OPTIONS (…): "endpoint 'https://…', concurrency
// '16'". The table lives in the schema where the server was made: main, temp or an attached file. A foreign
// table looks for its server in its own schema, then in main, then in temp; the built-in servers "local" and
// "env" stand outside and their names cannot be taken.
//
// Nothing is trusted that is read back: the file may come from a stranger. An object of that name that is no
// ordinary table counts as none, and texts that do not parse are errors that name the server.
//
// Nothing is remembered between calls, so that transactions and other processes need no notice. The functions
// write where they are called, inside whatever transaction or savepoint is open. The connection's thread
// only. Everything throws Error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/local/statement.h"
#include "extension/catalog/options.h"
#include "extension/sqlite.h"
#include "parser/definition/table_definition.h"

namespace table_storage::catalog {

inline constexpr const char* kLocalServer = "local";
inline constexpr const char* kEnvironmentServer = "env";

using Options = std::vector<definition::Option>;

/// One change of ALTER … OPTIONS (ADD | SET | DROP …).
struct OptionChange {
  enum class Action : unsigned char { add, set, drop };
  Action action = Action::add;
  std::string name;
  std::string value;  // empty for drop
};

/// PostgreSQL's rules: ADD of an option that is there and SET or DROP of one that is not are errors, as are
/// options that `kind` does not carry. `object` is for messages: "prod".
Options changed_options(Options options, std::span<const OptionChange> changes, ObjectKind kind,
                        std::string_view object);

/// The value of an option, names without case; null where it is not given.
const std::string* find_value(const Options& options, std::string_view name);
/// validate() for each of them, and none may come twice.
void check_options(ObjectKind kind, const Options& options, std::string_view object);
/// The options of a server together: check_options(), no contradiction, nothing that looks like a secret.
void check_server_options(const Options& options, std::string_view name);
/// The part of a server's options that says where requests go and how, as text: what a user mapping was made
/// for.
std::string place_of(const Options& options);

/// "endpoint 'https://…', concurrency '16'", and back. Throws Error(invalid); no value is in it.
std::string options_text(const Options& options);
Options parse_options(const std::string& text);

struct StoredServer {
  std::string schema;  // as given by who asked, or as SQLite lists it
  std::string name;    // as it was made
  Options options;
  /// What the file holds of its user mapping: references, never secrets. user_mapping.h knows the rest.
  std::optional<Options> user_mapping;
};

/// "local" and "env", without case: they exist by themselves.
bool is_builtin_server(std::string_view name);

/// The server as a table in `schema` sees it: of that schema, else of main, else of temp. nullopt also for
/// built-in ones.
std::optional<StoredServer> find_server(sqlite3* db, std::string_view name, const std::string& schema);
/// The same, for statements that change it. Throws Error(invalid) where there is none, with those there are,
/// and for built-in ones.
StoredServer require_server(sqlite3* db, const std::string& name, const std::string& schema);
/// The server of exactly that schema.
std::optional<StoredServer> find_server_in(sqlite3* db, std::string_view name, const std::string& schema);
/// Of all schemas, in the order of SQLite's list of databases, then by name.
std::vector<StoredServer> list_servers(sqlite3* db);

/// CREATE SERVER. Throws Error(invalid) for a server that exists or a built-in name, an empty name, an option
/// that is wrong or given twice, options that contradict each other, and anything that looks like a secret.
void create_server(sqlite3* db, const std::string& schema, const std::string& name, const Options& options);
/// ALTER SERVER … OPTIONS (…). The caller keeps trust in step by UserMappings::server_changed().
void alter_server(sqlite3* db, const StoredServer& server, std::span<const OptionChange> changes);
/// ALTER SERVER … RENAME TO. Foreign tables that name the server are the caller's affair.
void rename_server(sqlite3* db, const StoredServer& server, const std::string& new_name);
/// DROP SERVER, with what the file holds of its user mapping. Foreign tables are the caller's affair.
void drop_server(sqlite3* db, const StoredServer& server);
/// Replaces what the file holds of the user mapping; nullopt: none.
void store_user_mapping(sqlite3* db, const StoredServer& server, const std::optional<Options>& mapping);

/// What this connection said about the user mapping of a server (user_mapping.h): texts of a row in temp.
struct SessionMapping {
  std::string options;
  std::string confirmed;
  bool operator==(const SessionMapping&) const = default;
};

/// Reads those rows, with a statement that is kept.
class SessionMappingReader {
 public:
  explicit SessionMappingReader(sqlite3* db) : db_(db) {}
  std::optional<SessionMapping> read(const std::string& schema, const std::string& server);

 private:
  sqlite3* db_;
  backend::local::Statement statement_;
};

/// Reads one server again and again, for a foreign table: one step of a kept statement for each look. It must
/// be let go of (destroyed) before the connection is closed, as a statement keeps it open.
class ServerReader {
 public:
  ServerReader(sqlite3* db, std::string name, const std::string& schema);

  /// The texts as stored, to be compared with those of the last look; nullopt where there is no server.
  struct Row {
    std::string schema, name, options;
    std::optional<std::string> user_mapping;
    std::optional<SessionMapping> session;
    bool operator==(const Row&) const = default;
  };
  std::optional<Row> read();

 private:
  std::optional<Row> read_from(std::size_t place);

  sqlite3* db_;
  std::string name_;
  std::vector<std::string> schemas_;
  std::vector<backend::local::Statement> statements_;
  SessionMappingReader session_;
};

/// The server in a row of ServerReader.
StoredServer to_server(const ServerReader::Row& row);

}  // namespace table_storage::catalog
