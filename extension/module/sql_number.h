// An SQL value as numeric affinity sees it.
#pragma once

#include <cstdint>
#include <optional>

#include "extension/sqlite.h"

namespace table_storage::module {

struct SqlNumber {
  /// A REAL that is a whole number within 64 bits is an integer.
  enum class Kind : unsigned char {
    integer,
    real,
    text,  // may be a number to SQLite or not
    blob,
    null
  };
  Kind kind = Kind::null;
  std::int64_t integer = 0;
  double real = 0;
};

/// For conditions. Text that is plainly a whole number is one; any other text stays text, and the caller must
/// not conclude that it is no number. The value is not touched: SQLite may hold the same register for another
/// use of the literal (and sqlite3_value_numeric_type() does not take a copy made by sqlite3_value_dup() from
/// SQLite 3.53 on).
SqlNumber number_in_condition(sqlite3_value* value);

/// For xUpdate, whose values are the module's own: text that looks like a number to SQLite becomes one in
/// place.
SqlNumber number_to_write(sqlite3_value* value);

/// The integer that a double is, if it is one within 64 bits.
std::optional<std::int64_t> integer_of(double v);

/// Whether a double can hold the integer without rounding.
bool is_exactly_double(std::int64_t v);

}  // namespace table_storage::module
