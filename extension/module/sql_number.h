// An SQL value as numeric affinity sees it.
#pragma once

#include <cstdint>
#include <optional>

#include "extension/sqlite.h"

namespace table_storage::module {

/// `type` is SQLITE_INTEGER (a REAL that is a whole number within 64 bits counts as one), SQLITE_FLOAT, or
/// the type of a value that is no number.
struct SqlNumber {
  int type = SQLITE_NULL;
  std::int64_t integer = 0;
  double real = 0;
};

/// Text that looks like a number is one, as in a comparison with a numeric column. The value itself is not
/// touched: SQLite may hold the same register for another use of the literal. Throws std::bad_alloc.
SqlNumber number_of(sqlite3_value* value);

/// The integer that a double is, if it is one within 64 bits.
std::optional<std::int64_t> integer_of(double v);

/// Whether a double can hold the integer without rounding.
bool is_exactly_double(std::int64_t v);

}  // namespace table_storage::module
