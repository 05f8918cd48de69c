// The loadable module: SQLite's functions are those of the host.
#include "extension/entry.h"

SQLITE_EXTENSION_INIT1

const sqlite3_api_routines* table_storage::linked_sqlite() { return nullptr; }

/// The name that SQLite looks for first.
extern "C" __attribute__((visibility("default"))) int sqlite3_extension_init(
    sqlite3* db, char** message, const sqlite3_api_routines* api) {
  return sqlite3_tablestorage_init(db, message, api);
}
