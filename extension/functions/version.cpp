#include "extension/functions/functions.h"

namespace table_storage::functions {

int register_version(sqlite3* db) {
  return sqlite3_create_function_v2(
      db, "ts_version", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
      [](sqlite3_context* context, int, sqlite3_value**) {
        sqlite3_result_text(context, TABLE_STORAGE_VERSION, -1, SQLITE_STATIC);
      },
      nullptr, nullptr, nullptr);
}

}  // namespace table_storage::functions
