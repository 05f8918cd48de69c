// The static library: SQLite's functions are those that the program is linked with.
#include <sqlite3.h>

#include <atomic>

struct sqlite3_api_routines;
extern "C" {
extern const sqlite3_api_routines* sqlite3_api;
const sqlite3_api_routines* sqlite3_api = nullptr;
}

namespace table_storage {

const sqlite3_api_routines* linked_sqlite();

namespace {

// Atomic: while the function below is registered, it is called for connections of every thread.
std::atomic<const sqlite3_api_routines*> taken = nullptr;

extern "C" int table_storage_take_api(sqlite3*, char**, const sqlite3_api_routines* api) {
  taken = api;
  return SQLITE_OK;
}

}  // namespace

// SQLite shows its table of functions to extensions only, so one is registered for a moment.
const sqlite3_api_routines* linked_sqlite() {
  if (taken != nullptr) return taken;
  auto* const extension = reinterpret_cast<void (*)()>(table_storage_take_api);
  sqlite3* db = nullptr;
  if (sqlite3_auto_extension(extension) == SQLITE_OK) sqlite3_open(":memory:", &db);
  sqlite3_cancel_auto_extension(extension);
  sqlite3_close(db);
  return taken;
}

}  // namespace table_storage
