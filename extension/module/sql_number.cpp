#include "extension/module/sql_number.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "extension/sql_values.h"

namespace table_storage::module {

namespace {

using NumberKind = SqlNumber::Kind;

/// Blanks around it and a sign before it are allowed, as SQLite allows them.
std::optional<std::int64_t> whole_number(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

SqlNumber of_type(sqlite3_value* value, int type) {
  SqlNumber number;
  switch (type) {
    case SQLITE_INTEGER:
      number.kind = NumberKind::integer;
      number.integer = sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT:
      number.kind = NumberKind::real;
      number.real = sqlite3_value_double(value);
      if (const auto integer = integer_of(number.real)) {
        number.kind = NumberKind::integer;
        number.integer = *integer;
      }
      break;
    case SQLITE_TEXT:
      number.kind = NumberKind::text;
      break;
    case SQLITE_BLOB:
      number.kind = NumberKind::blob;
      break;
    default:
      break;
  }
  return number;
}

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

SqlNumber number_in_condition(sqlite3_value* value) {
  SqlNumber number = of_type(value, sqlite3_value_type(value));
  if (number.kind == NumberKind::text) {
    if (const auto integer = whole_number(text_of(value))) {
      number.kind = NumberKind::integer;
      number.integer = *integer;
    }
  }
  return number;
}

SqlNumber number_to_write(sqlite3_value* value) { return of_type(value, sqlite3_value_numeric_type(value)); }

}  // namespace table_storage::module
