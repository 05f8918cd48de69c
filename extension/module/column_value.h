// Property values into SQL values and back, by the type of the column.
//
// Reading: a column shows values of its declared type and lossless numeric widening (Int32 in an INT64 or
// DOUBLE column, Int64 in a DOUBLE column where the double is exactly that integer). Anything else is a
// mismatch. NaN has no SQL form and reads NULL.
//
// Writing: SQL values are converted as a column of that affinity would (text '5' into an INT32 column is 5),
// and refused where SQLite would quietly keep another type.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "extension/module/column.h"
#include "extension/sql_values.h"
#include "extension/sqlite.h"
#include "parser/edm/text.h"
#include "parser/edm/value.h"

namespace table_storage::module {

/// shows() for a value of another type than the column's.
bool shows_widened(edm::Type column_type, edm::ValueView value);

/// False if the column does not show values of this kind (a type mismatch).
inline bool shows(const std::optional<edm::Type>& column_type, edm::ValueView value) {
  return !column_type || value.type() == *column_type || shows_widened(*column_type, value);
}

/// Sets the result of xColumn; `value` must be one that shows() in a column of this type. A missing one gives
/// NULL, an integer in a DOUBLE column a REAL.
void show(sqlite3_context* context, const std::optional<edm::Type>& column_type, edm::ValueView value);

/// Keeps the bytes that converted values point to, for the length of one xUpdate.
class Scratch {
 public:
  std::string_view keep(std::string bytes) { return store_.emplace_back(std::move(bytes)); }
  void clear() { store_.clear(); }

 private:
  std::list<std::string> store_;  // costs nothing while empty, as it mostly is
};

/// The property value that a non-NULL SQL value makes in a column; views point into `value` or `scratch`.
/// `stored` is the property's present value or missing(): its Edm type is kept where the new value fits it.
/// Throws Error(invalid) with native code SQLITE_MISMATCH naming column, type and value. What any entity must
/// keep to (valid UTF-8, sizes) is checked by the backend.
edm::ValueView to_property(const Column& column, sqlite3_value* value, edm::ValueView stored,
                           Scratch& scratch);

/// True if the column, showing `stored`, would give exactly this SQL value back: the assignment changes
/// nothing.
bool is_shown_as(const Column& column, edm::ValueView stored, sqlite3_value* value);

/// A key's text from an SQL value, converted as TEXT affinity does. Throws for NULL
/// (SQLITE_CONSTRAINT_NOTNULL) and for blobs (SQLITE_MISMATCH).
std::string_view to_key(const Column& column, sqlite3_value* value);

/// 'abc', 12, x'00ff…', NULL: a value as it is shown in messages, cut after 40 characters.
std::string describe(sqlite3_value* value);

using table_storage::bytes_of;
using table_storage::text_of;

}  // namespace table_storage::module
