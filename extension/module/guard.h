// The border to SQLite's C callbacks: no exception crosses it.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::module {

/// The result code that tells SQLite what to do about an error: a conflict is a constraint, so that OR IGNORE
/// and OR REPLACE work; whatever the store underneath said goes through as it is.
inline int result_code(const Error& error) {
  if (error.native_code() != 0) return error.native_code();
  switch (error.kind()) {
    case Error::Kind::conflict:
      return SQLITE_CONSTRAINT_PRIMARYKEY;
    case Error::Kind::precondition:
      return SQLITE_CONSTRAINT_VTAB;
    case Error::Kind::corrupt:
      return SQLITE_CORRUPT_VTAB;
    case Error::Kind::invalid:
    case Error::Kind::unsupported:
    case Error::Kind::missing:
    case Error::Kind::storage:
      break;
  }
  return SQLITE_ERROR;
}

/// False if there is no memory for it.
inline bool set_message(char*& slot, const char* text) {
  sqlite3_free(slot);
  slot = sqlite3_mprintf("%s", text);
  return slot != nullptr;
}

/// Runs `body`, which returns a result code, and turns what it throws into a code and a message in `message`.
template <class Body>
int guarded(char*& message, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    // An error without its words would be a riddle.
    return set_message(message, error.what()) ? result_code(error) : SQLITE_NOMEM;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    return set_message(message, error.what()) ? SQLITE_ERROR : SQLITE_NOMEM;
  }
}

/// The same for SQL functions and xColumn.
template <class Body>
void guarded_result(sqlite3_context* context, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
  } catch (const Error& error) {
    sqlite3_result_error(context, error.what(), -1);
    if (int code = result_code(error); code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

}  // namespace table_storage::module
