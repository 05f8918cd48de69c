#include "extension/module/sql_number.h"

#include <cmath>
#include <memory>
#include <new>

namespace table_storage::module {

namespace {

struct FreeValue {
  void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};

}  // namespace

std::optional<std::int64_t> integer_of(double v) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (!(v >= -kTwo63 && v < kTwo63) || std::trunc(v) != v) return std::nullopt;
  return static_cast<std::int64_t>(v);
}

bool is_exactly_double(std::int64_t v) {
  const auto back = integer_of(static_cast<double>(v));
  return back && *back == v;
}

SqlNumber number_of(sqlite3_value* value) {
  SqlNumber number;
  number.type = sqlite3_value_type(value);
  std::unique_ptr<sqlite3_value, FreeValue> copy;
  if (number.type == SQLITE_TEXT) {
    copy.reset(sqlite3_value_dup(value));
    if (!copy) throw std::bad_alloc();
    value = copy.get();
    number.type = sqlite3_value_numeric_type(value);
  }
  if (number.type == SQLITE_INTEGER) {
    number.integer = sqlite3_value_int64(value);
  } else if (number.type == SQLITE_FLOAT) {
    number.real = sqlite3_value_double(value);
    if (const auto integer = integer_of(number.real)) {
      number.type = SQLITE_INTEGER;
      number.integer = *integer;
    }
  }
  return number;
}

}  // namespace table_storage::module
