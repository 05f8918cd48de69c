// What loading the extension does, for the loadable module and for the static library.
#include "extension/entry.h"

#include <memory>
#include <mutex>

#include "extension/backend/local/local_backend.h"
#include "extension/backend/local/statement.h"
#include "extension/catalog/connection.h"
#include "extension/functions/fdw.h"
#include "extension/functions/functions.h"
#include "extension/module/guard.h"
#include "extension/module/module.h"
#include "extension/module/table_state.h"
#include "parser/edm/text.h"

namespace {

using table_storage::Error;

constexpr int kOldestSqlite = 3'040'000;

/// Keeps SQLite's functions for every call to come; `api` is what the host passed. False where there are
/// none. Connections are made in many threads: who loads later must not write what others read.
bool keep_sqlite(const sqlite3_api_routines* api) {
  static std::mutex mutex;
  if (api == nullptr) {
    const std::lock_guard lock(mutex);
    api = sqlite3_api;
  }
  // Unlocked, since this opens a connection, and a host may have the extension loaded into each.
  if (api == nullptr) api = table_storage::linked_sqlite();
  if (api == nullptr) return false;
  const std::lock_guard lock(mutex);
  if (sqlite3_api != api) sqlite3_api = api;
  return true;
}

/// Loading twice must not make a second state for the tables that are open.
bool is_registered(sqlite3* db) {
  using namespace table_storage::backend;  // NOLINT(google-build-using-namespace): two names of it
  const std::string doing = "looking whether table_storage is loaded";
  local::Statement statement;
  const int rc = statement.prepare(db, "SELECT 1 FROM pragma_module_list WHERE name = 'table_storage'");
  // Built without that pragma, SQLite cannot say; anything else could hide that it is loaded.
  if (rc == SQLITE_ERROR) return false;
  if (rc != SQLITE_OK) local::throw_storage_error(db, rc, doing);
  return local::next_row(statement.get(), doing);
}

int register_all(sqlite3* db) {
  using namespace table_storage;  // NOLINT(google-build-using-namespace): every part is registered here
  if (sqlite3_libversion_number() < kOldestSqlite) {
    throw Error(Error::Kind::unsupported, "",
                std::string("table_storage needs SQLite 3.40 or newer; this is ") + sqlite3_libversion());
  }
  if (is_registered(db)) return SQLITE_OK;
  // simdjson allocates at its first use, where it cannot say that there is no memory: now, rather than in the
  // middle of a transaction.
  edm::is_valid_utf8("\xC3\xA9");
  auto connection = std::make_shared<catalog::Connection>(db);
  backend::local::LocalBackend::register_functions(db);
  int rc = functions::register_version(db);
  if (rc == SQLITE_OK) rc = functions::register_ticks(db);
  if (rc == SQLITE_OK) rc = functions::register_datetime_collation(db);
  if (rc == SQLITE_OK) rc = functions::register_table_functions(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_tables_module(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_pending_module(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_schema_module(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_import_notices(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_server_functions(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_fdw(db, connection);
  if (rc == SQLITE_OK) rc = functions::register_requests_module(db, connection);
  const auto session = std::make_shared<module::Session>(connection);
  if (rc == SQLITE_OK) rc = functions::register_explain_module(db, session);
  // Last, since its presence says that everything is there.
  if (rc == SQLITE_OK) rc = module::register_module(db, session);
  return rc;
}

}  // namespace

extern "C" int sqlite3_tablestorage_init(sqlite3* db, char** message, const sqlite3_api_routines* api) {
  if (!keep_sqlite(api)) return SQLITE_ERROR;
  char* text = nullptr;
  const int rc = table_storage::module::guarded(text, [&] { return register_all(db); });
  if (message != nullptr) {
    *message = text;
  } else {
    sqlite3_free(text);
  }
  return rc;
}
