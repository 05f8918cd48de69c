#include "extension/catalog/connection.h"

#include <algorithm>

#include "extension/backend/local/database.h"
#include "extension/backend/local/local_backend.h"
#include "extension/backend/local/statement.h"
#include "extension/backend/remote/remote_backend.h"
#include "extension/catalog/environment_server.h"
#include "extension/sql_values.h"
#include "parser/error.h"

namespace table_storage::catalog {

std::string folded(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

Connection::Connection(sqlite3* db)
    : db_(db),
      user_mappings_(db),
      remote_transaction_(std::make_shared<backend::remote::WriteTransaction>()) {}
Connection::~Connection() = default;

std::vector<std::string> Connection::servers() const {
  std::vector<std::string> names{kLocalServer};
  if (has_environment_server(backend::remote::process_environment())) names.emplace_back(kEnvironmentServer);
  for (StoredServer& server : list_servers(db_)) names.push_back(std::move(server.name));
  return names;
}

bool Connection::has_server(const std::string& name, const std::string& schema) const {
  if (folded(name) == kLocalServer) return true;
  if (folded(name) == kEnvironmentServer)
    return has_environment_server(backend::remote::process_environment());
  return catalog::find_server(db_, name, schema).has_value();
}

ServerInUse Connection::server_in_use(const ServerDefinition& definition) {
  return {definition.name, definition, {}, {}};
}

ServerInUse Connection::server_in_use(const ServerReader::Row& row, const std::string& schema) {
  const StoredServer stored = to_server(row);
  ServerInUse server;
  server.name = "server " + stored.name;
  server.options = stored.options;
  const std::string* backend = find_value(stored.options, "backend");
  if (backend != nullptr && folded(*backend) == "local") {
    const std::string* database = find_value(stored.options, "database");
    server.schema = database != nullptr ? *database : schema;
    return server;
  }
  server.remote.emplace();
  server.remote->name = server.name;
  for (const definition::Option& option : stored.options) server.remote->set(option.name, option.value);
  server.remote->user_mapping = combined_mapping(stored, row.session).value_or(UserMapping{});
  return server;
}

ServerInUse Connection::find_server(const std::string& name, const std::string& schema) {
  if (const ServerDefinition remote = server_from_text(name); remote.is_remote())
    return server_in_use(remote);
  if (folded(name) == kLocalServer) return {"server local", std::nullopt, schema, {}};
  if (folded(name) == kEnvironmentServer) {
    if (const auto definition = environment_server(backend::remote::process_environment()))
      return server_in_use(*definition);
    throw Error(
        Error::Kind::invalid, "",
        "server env does not exist: neither AZURE_STORAGE_CONNECTION_STRING nor AZURE_STORAGE_ACCOUNT "
        "is set");
  }
  if (const auto row = ServerReader(db_, name, schema).read()) return server_in_use(*row, schema);
  std::string known = backend::local::quoted_identifier(kLocalServer);
  if (has_environment_server(backend::remote::process_environment()))
    known += ", " + backend::local::quoted_identifier(kEnvironmentServer);
  std::string elsewhere;
  for (const StoredServer& server : list_servers(db_)) {
    known += ", ";
    if (folded(server.schema) != "main") known += backend::local::quoted_identifier(server.schema) + '.';
    known += backend::local::quoted_identifier(server.name);
    if (folded(server.name) == folded(name)) elsewhere = server.schema;
  }
  if (!elsewhere.empty()) {
    throw Error(Error::Kind::invalid, "",
                "server " + backend::local::quoted_identifier(name) + " is in schema " +
                    backend::local::quoted_identifier(elsewhere) + ", and a name is looked for in " +
                    (folded(schema) == "main" || folded(schema) == "temp" ? "" : schema + ", ") +
                    "main and temp; functions take the schema as their last argument, '" + elsewhere +
                    "' here");
  }
  throw Error(Error::Kind::invalid, "",
              "server " + backend::local::quoted_identifier(name) + " does not exist; there is " + known +
                  ". CREATE SERVER makes one; functions also take env:NAME or file:PATH of a connection "
                  "string, UseDevelopmentStorage=true, or the address of an emulator");
}

std::unique_ptr<backend::Backend> Connection::open_backend(const ServerInUse& server) {
  if (!server.remote) {
    std::weak_ptr<backend::local::LocalDatabase>& known = databases_[folded(server.schema)];
    std::shared_ptr<backend::local::LocalDatabase> database = known.lock();
    if (!database) {
      database = std::make_shared<backend::local::LocalDatabase>(db_, server.schema);
      known = database;
    }
    return std::make_unique<backend::local::LocalBackend>(std::move(database));
  }
  const std::string identity = server.remote->identity();
  auto known = sessions_.find(identity);
  if (known == sessions_.end()) {
    const ServerContext context{
        backend::remote::process_environment(),
        [this](std::string_view reference) { return user_mappings_.secret(reference); },
        [this] { return is_interrupted(); }};
    auto session = std::make_shared<backend::remote::RemoteSession>();
    session->service = open_service(*server.remote, context);
    session->transaction = remote_transaction_;
    drop_unused_sessions();
    known = sessions_.emplace(identity, Session{server.name, std::move(session)}).first;
  }
  return std::make_unique<backend::remote::RemoteBackend>(known->second.session);
}

/// Those of definitions that are no more: every table that used them has let go. Called where a new one is
/// opened, so that one which is merely between two statements is not lost at once.
void Connection::drop_unused_sessions() {
  std::erase_if(sessions_, [](const auto& entry) { return entry.second.session.use_count() == 1; });
}

void Connection::servers_changed() {
  // There is no call that does it; changing a setting of the connection has it as a side effect.
  int setting = 0;
  if (sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_QPSG, -1, &setting) != SQLITE_OK) return;
  int ignored = 0;
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_QPSG, setting == 0 ? 1 : 0, &ignored);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_QPSG, setting, &ignored);
}

std::vector<Connection::OpenService> Connection::open_services() const {
  std::vector<OpenService> services;
  for (const auto& [identity, entry] : sessions_) services.push_back({entry.name, entry.session->service});
  return services;
}

std::size_t Connection::disconnect(const std::string& server) {
  std::string schema = "main";
  if (!has_server(server)) {
    for (const StoredServer& stored : list_servers(db_))
      if (folded(stored.name) == folded(server)) schema = stored.schema;
  }
  const std::string name = find_server(server, schema).name;
  for (const auto& [identity, entry] : sessions_) {
    const auto& tables = entry.session->tables;
    const bool writing =
        std::any_of(tables.begin(), tables.end(), [](const auto& table) { return table.second->writing; });
    if (folded(entry.name) == folded(name) && writing) {
      throw Error(Error::Kind::invalid, "",
                  name + " has writes of the open transaction waiting; COMMIT or ROLLBACK first");
    }
  }
  ++generation_;
  return std::erase_if(sessions_,
                       [&](const auto& entry) { return folded(entry.second.name) == folded(name); });
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
    const std::string doing = "asking for the encoding of the database";
    backend::local::Statement statement;
    const int rc = statement.prepare(db_, "PRAGMA encoding");
    if (rc != SQLITE_OK) backend::local::throw_storage_error(db_, rc, doing);
    utf8_ = !backend::local::next_row(statement.get(), doing) || text_at(statement.get(), 0) == "UTF-8";
  }
  return *utf8_;
}

}  // namespace table_storage::catalog
