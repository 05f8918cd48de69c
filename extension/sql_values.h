// Bytes of SQL values and of result columns, and rows of statements, with nothing left unsaid.
//
// SQLite's calls say by a null pointer both "NULL" and "no memory for the conversion", and sqlite3_step()
// says by one number both "no more rows" and "could not read". Whoever takes the second for the first gives a
// wrong answer: a table that is there is "not found". So the extension asks through these functions only.
//
// All throw std::bad_alloc where SQLite has no memory. The connection's thread only.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage {

/// The text of a value as UTF-8, without changing it: numbers as SQLite writes them, converted where the
/// database is UTF-16. Empty for NULL.
inline std::string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr && sqlite3_value_type(value) != SQLITE_NULL) throw std::bad_alloc();
  if (text == nullptr) return "";
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// The bytes of a blob. Empty for NULL.
inline std::string_view bytes_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  if (bytes == nullptr && sqlite3_value_bytes(value) != 0) throw std::bad_alloc();
  if (bytes == nullptr) return "";
  return {bytes, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// The text of a column of the present row. Empty for NULL.
inline std::string text_at(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  if (text == nullptr && sqlite3_column_type(row, column) != SQLITE_NULL) throw std::bad_alloc();
  if (text == nullptr) return "";
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

/// A copy of a value, never null. The caller frees it with sqlite3_value_free().
inline sqlite3_value* copy_of(const sqlite3_value* value) {
  sqlite3_value* copy = sqlite3_value_dup(value);
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

/// Calls `visit` for each element of an IN list that came whole, until it returns false. Throws
/// Error(storage) if the elements cannot be read: a shorter list would find fewer rows.
template <class Visit>
void for_each_in_list(sqlite3_value* list, Visit&& visit) {
  sqlite3_value* element = nullptr;
  int rc = sqlite3_vtab_in_first(list, &element);
  for (; rc == SQLITE_OK && element != nullptr; rc = sqlite3_vtab_in_next(list, &element))
    if (!visit(element)) return;
  if (rc == SQLITE_NOMEM) throw std::bad_alloc();
  if (rc != SQLITE_OK && rc != SQLITE_DONE)
    throw Error(Error::Kind::storage, "", "the elements of an IN list could not be read").native(rc);
}

}  // namespace table_storage
