#include "extension/catalog/connection.h"

#include "extension/backend/local/database.h"
#include "extension/backend/local/local_backend.h"
#include "extension/backend/remote/remote_backend.h"
#include "parser/error.h"

namespace table_storage::catalog {

std::string folded(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

Connection::Connection(sqlite3* db) : db_(db) {}
Connection::~Connection() = default;

std::vector<std::string> Connection::servers() const { return {kLocalServer}; }

bool Connection::has_server(const std::string& name) const { return folded(name) == kLocalServer; }

std::unique_ptr<backend::Backend> Connection::open_backend(const std::string& server,
                                                           const std::string& schema) {
  if (const ServerDefinition remote = server_from_text(server); remote.is_remote())
    return open_backend(remote);
  if (!has_server(server)) {
    throw Error(Error::Kind::invalid, "",
                "server \"" + server + "\" does not exist; a server is \"" + kLocalServer +
                    "\", or for a remote service env:NAME or file:PATH of its connection string, "
                    "UseDevelopmentStorage=true, or the address of an emulator");
  }
  std::weak_ptr<backend::local::LocalDatabase>& known = databases_[folded(schema)];
  std::shared_ptr<backend::local::LocalDatabase> database = known.lock();
  if (!database) {
    database = std::make_shared<backend::local::LocalDatabase>(db_, schema);
    known = database;
  }
  return std::make_unique<backend::local::LocalBackend>(std::move(database));
}

std::unique_ptr<backend::Backend> Connection::open_backend(const ServerDefinition& server) {
  const std::string identity = server.identity();
  auto known = sessions_.find(identity);
  if (known == sessions_.end()) {
    auto session = std::make_shared<backend::remote::RemoteSession>();
    session->service = open_service(server, [this] { return is_interrupted(); });
    known = sessions_.emplace(identity, std::move(session)).first;
  }
  return std::make_unique<backend::remote::RemoteBackend>(known->second);
}

// Before 3.41 SQLite has no call that tells. While a statement runs, the flag stays up, and any other
// statement of the connection then ends while it is prepared or at its first step.
bool Connection::is_interrupted() {
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v2(db_, "SELECT 1", -1, &statement, nullptr);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement);
  sqlite3_finalize(statement);
  return rc == SQLITE_INTERRUPT;
}

bool Connection::is_utf8() {
  if (!utf8_) {
    sqlite3_stmt* statement = nullptr;
    bool utf8 = true;
    if (sqlite3_prepare_v2(db_, "PRAGMA encoding", -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
      const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      utf8 = name == nullptr || std::string(name) == "UTF-8";
    }
    sqlite3_finalize(statement);
    utf8_ = utf8;
  }
  return *utf8_;
}

}  // namespace table_storage::catalog
