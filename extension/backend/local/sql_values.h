// Arguments of the SQL functions that the local backend calls from its own statements. The connection's
// thread only.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "extension/sqlite.h"

namespace table_storage::backend::local {

/// UTF-8, converted by SQLite where the database is UTF-16. Empty for NULL. Both throw std::bad_alloc where
/// SQLite has no memory for it.
inline std::string_view text_of(sqlite3_value* value) {
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (data == nullptr && sqlite3_value_type(value) != SQLITE_NULL) throw std::bad_alloc();
  if (data == nullptr) return "";
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

inline std::string_view bytes_of(sqlite3_value* value) {
  const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
  if (data == nullptr && sqlite3_value_bytes(value) != 0) throw std::bad_alloc();
  if (data == nullptr) return "";
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// The answer to a user who calls such a function.
inline void refuse_internal_function(sqlite3_context* context, const char* function) {
  const std::string message =
      std::string(function) +
      " belongs to the module table_storage, which calls it itself: read a table of the "
      "module, with WHERE to filter it";
  sqlite3_result_error(context, message.c_str(), -1);
}

}  // namespace table_storage::backend::local
