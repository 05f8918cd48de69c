// What the loadable module and the static library have of their own: loaded.cpp and linked.cpp define it, and
// the pointer to SQLite's functions that every call goes through.
#pragma once

#include "extension/sqlite.h"

namespace table_storage {

/// SQLite's functions where the program that contains the extension is linked with them; nullptr in the
/// loadable module (the host that loads it passes them) and where SQLite does not start.
const sqlite3_api_routines* linked_sqlite();

}  // namespace table_storage

extern "C" __attribute__((visibility("default"))) int sqlite3_tablestorage_init(
    sqlite3* db, char** message, const sqlite3_api_routines* api);
