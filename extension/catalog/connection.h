// The servers that one SQLite connection knows, and the backends behind them.
//
// One thread at a time, as SQLite uses the connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/import_notice.h"
#include "extension/catalog/server.h"
#include "extension/catalog/server_store.h"
#include "extension/catalog/user_mapping.h"
#include "extension/sqlite.h"

namespace table_storage::backend::remote {
struct RemoteSession;
class WriteTransaction;
}  // namespace table_storage::backend::remote
namespace table_storage::backend::local {
class LocalDatabase;
}

namespace table_storage::catalog {

/// SQLite folds ASCII case in the names of schemas and tables, and so do names of servers.
std::string folded(std::string name);

/// A server as a table uses it.
struct ServerInUse {
  std::string name;                        // "server prod", for messages
  std::optional<ServerDefinition> remote;  // else entities are in SQLite
  std::string schema;                      // and in this schema
  Options options;                         // of a stored server: what its tables may override
};

class Connection {
 public:
  explicit Connection(sqlite3* db);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* db() const { return db_; }

  /// Names of the servers, built-in ones first.
  std::vector<std::string> servers() const;
  /// Whether a table in `schema` that names the server would find it.
  bool has_server(const std::string& name, const std::string& schema = "main") const;

  /// What stands behind the name of a server, for a table in `schema`: a built-in server, a stored one
  /// (server_store.h), or a text in place of a name (server_from_text()). Sends nothing. Throws
  /// Error(invalid) naming the servers there are.
  ServerInUse find_server(const std::string& server, const std::string& schema);
  /// The same for a stored server that was read already.
  ServerInUse server_in_use(const ServerReader::Row& row, const std::string& schema);
  /// The server that a definition makes by itself.
  static ServerInUse server_in_use(const ServerDefinition& definition);

  /// Equal remote definitions share their connections. Sends nothing.
  std::unique_ptr<backend::Backend> open_backend(const ServerInUse& server);
  std::unique_ptr<backend::Backend> open_backend(const std::string& server, const std::string& schema) {
    return open_backend(find_server(server, schema));
  }
  std::unique_ptr<backend::Backend> open_backend(const ServerDefinition& server) {
    return open_backend(server_in_use(server));
  }

  UserMappings& user_mappings() { return user_mappings_; }

  /// To be called after a server or a user mapping was changed: prepared statements are planned anew, and the
  /// connections of servers that are no more are given up.
  void servers_changed();
  /// Changes with every call of disconnect(): whoever holds a backend from before opens it anew, unless it
  /// has something to commit.
  std::uint64_t generation() const { return generation_; }

  /// The services that have been opened and are still kept.
  struct OpenService {
    std::string name;  // "server prod", "table readings"
    std::shared_ptr<backend::remote::Service> service;
  };
  std::vector<OpenService> open_services() const;
  /// Closes the connections of a server (as find_server() takes it), once their requests are done. What its
  /// references point to is read again when it is used next. The number of services that were given up.
  std::size_t disconnect(const std::string& server);

  /// sqlite3_interrupt() was called on the connection while a statement runs.
  bool is_interrupted();

  /// The remote tables that the open transaction writes to, and what it would send.
  const backend::remote::WriteTransaction& remote_transaction() const { return *remote_transaction_; }

  /// PRAGMA encoding is UTF-8. It cannot change once the database has a table.
  bool is_utf8();

  /// What the last IMPORT FOREIGN SCHEMA has to say.
  std::vector<ImportNotice> import_notices;

 private:
  sqlite3* db_;
  std::map<std::string, std::weak_ptr<backend::local::LocalDatabase>> databases_;
  struct Session {
    std::string name;  // of the server, for messages
    std::shared_ptr<backend::remote::RemoteSession> session;
  };
  void drop_unused_sessions();

  std::map<std::string, Session> sessions_;  // by the identity of the definition
  UserMappings user_mappings_;
  std::uint64_t generation_ = 0;
  std::shared_ptr<backend::remote::WriteTransaction> remote_transaction_;
  std::optional<bool> utf8_;
};

}  // namespace table_storage::catalog
