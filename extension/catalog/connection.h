// The servers that one SQLite connection knows, and the backends behind them.
//
// One thread at a time, as SQLite uses the connection.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/catalog/server.h"
#include "extension/sqlite.h"

namespace table_storage::backend::remote {
struct RemoteSession;
}
namespace table_storage::backend::local {
class LocalDatabase;
}

namespace table_storage::catalog {

inline constexpr const char* kLocalServer = "local";

/// SQLite folds ASCII case in the names of schemas and tables, and so do names of servers.
std::string folded(std::string name);

class Connection {
 public:
  explicit Connection(sqlite3* db);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* db() const { return db_; }

  /// Names of the servers, in order.
  std::vector<std::string> servers() const;
  bool has_server(const std::string& name) const;
  /// The backend of a server as seen from a schema; entities of the local server live in that schema. Throws
  /// Error(invalid) naming the servers there are.
  std::unique_ptr<backend::Backend> open_backend(const std::string& server, const std::string& schema);

  /// The backend of a remote definition; equal ones share its connections. Sends nothing.
  std::unique_ptr<backend::Backend> open_backend(const ServerDefinition& server);
  /// sqlite3_interrupt() was called on the connection while a statement runs.
  bool is_interrupted();

  /// PRAGMA encoding is UTF-8. It cannot change once the database has a table.
  bool is_utf8();

 private:
  sqlite3* db_;
  std::map<std::string, std::weak_ptr<backend::local::LocalDatabase>> databases_;
  std::map<std::string, std::shared_ptr<backend::remote::RemoteSession>> sessions_;
  std::optional<bool> utf8_;
};

}  // namespace table_storage::catalog
