// Gives the extension's code SQLite's functions before main(), for tests that call parts of it without having
// loaded it on a connection.
#include <cstdlib>

#include "extension/table_storage.h"

namespace {

const bool ready = [] {
  sqlite3* db = nullptr;
  const bool ok = sqlite3_open(":memory:", &db) == SQLITE_OK &&
                  sqlite3_tablestorage_init(db, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(db);
  if (!ok) std::abort();
  return ok;
}();

}  // namespace
