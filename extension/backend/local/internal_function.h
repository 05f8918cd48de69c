// The SQL functions that the local backend calls from its own statements. The connection's thread only.
#pragma once

#include <string>

#include "extension/sqlite.h"

namespace table_storage::backend::local {

/// The answer to a user who calls such a function.
inline void refuse_internal_function(sqlite3_context* context, const char* function) {
  const std::string message =
      std::string(function) +
      " belongs to the module table_storage, which calls it itself: read a table of the "
      "module, with WHERE to filter it";
  sqlite3_result_error(context, message.c_str(), -1);
}

}  // namespace table_storage::backend::local
