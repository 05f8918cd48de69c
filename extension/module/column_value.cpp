#include "extension/module/column_value.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "extension/module/sql_number.h"
#include "parser/error.h"

namespace table_storage::module {

using edm::Type;
using edm::ValueView;

namespace {

[[noreturn]] void refuse(const Column& column, sqlite3_value* value, const std::string& why) {
  throw Error(
      Error::Kind::invalid, "InvalidInput",
      "column " + column.name + " (" + column.type_name() + ") cannot take " + describe(value) + ": " + why)
      .native(SQLITE_MISMATCH);
}

ValueView to_integer(const Column& column, sqlite3_value* value, ValueView stored) {
  const SqlNumber number = number_to_write(value);
  const bool narrow = column.type == Type::Int32;
  if (number.kind != SqlNumber::Kind::integer) refuse(column, value, "it wants a whole number");
  const bool fits32 = number.integer >= std::numeric_limits<std::int32_t>::min() &&
                      number.integer <= std::numeric_limits<std::int32_t>::max();
  if (narrow && !fits32) {
    refuse(column, value, "an Int32 goes from -2147483648 to 2147483647; declare the column INT64 for more");
  }
  if (narrow || (fits32 && stored && stored.type() == Type::Int32)) {
    return ValueView::int32(static_cast<std::int32_t>(number.integer));
  }
  return ValueView::int64(number.integer);
}

ValueView to_double(const Column& column, sqlite3_value* value, ValueView stored) {
  const SqlNumber number = number_to_write(value);
  if (number.kind == SqlNumber::Kind::integer) {
    // -0.0 is a double that no integer type can hold.
    const bool negative_zero = number.integer == 0 && sqlite3_value_type(value) == SQLITE_FLOAT &&
                               std::signbit(sqlite3_value_double(value));
    if (stored && !negative_zero) {
      if (stored.type() == Type::Int32 && number.integer >= std::numeric_limits<std::int32_t>::min() &&
          number.integer <= std::numeric_limits<std::int32_t>::max()) {
        return ValueView::int32(static_cast<std::int32_t>(number.integer));
      }
      // An Int64 is kept only while the column can show it again.
      if (stored.type() == Type::Int64 && is_exactly_double(number.integer))
        return ValueView::int64(number.integer);
    }
    return ValueView::real(negative_zero ? -0.0 : static_cast<double>(number.integer));
  }
  if (number.kind == SqlNumber::Kind::real) return ValueView::real(number.real);
  if (number.kind == SqlNumber::Kind::text) {
    if (auto special = edm::parse_double(text_of(value)); special && !std::isfinite(*special)) {
      return ValueView::real(*special);
    }
  }
  refuse(column, value, "it wants a number, 'NaN', 'Infinity' or '-Infinity'");
}

ValueView to_boolean(const Column& column, sqlite3_value* value) {
  const SqlNumber number = number_to_write(value);
  if (number.kind == SqlNumber::Kind::integer && (number.integer == 0 || number.integer == 1)) {
    return ValueView::boolean(number.integer == 1);
  }
  if (number.kind == SqlNumber::Kind::text) {
    const std::string text(text_of(value));
    if (sqlite3_stricmp(text.c_str(), "true") == 0) return ValueView::boolean(true);
    if (sqlite3_stricmp(text.c_str(), "false") == 0) return ValueView::boolean(false);
  }
  refuse(column, value, "it wants 0, 1, 'true' or 'false'");
}

ValueView to_string(const Column& column, sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_BLOB) refuse(column, value, "it wants text; cast the blob AS TEXT");
  return ValueView::string(text_of(value));
}

ValueView to_datetime(const Column& column, sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_TEXT) {
    if (auto ticks = edm::parse_datetime(text_of(value))) {
      if (edm::in_service_range(*ticks)) return ValueView::datetime(*ticks);
      throw Error(Error::Kind::invalid, "OutOfRangeInput",
                  "column " + column.name + " (DATETIME) cannot take " + describe(value) +
                      ": the service keeps times from 1601-01-01 to 9999-12-31")
          .native(SQLITE_MISMATCH);
    }
    refuse(column, value, "it wants a time such as '2024-06-15T12:30:00Z' or '2024-06-15 12:30:00'");
  }
  refuse(column, value,
         "it wants a time as text; for Unix seconds write datetime(x, 'unixepoch'), for a Julian day "
         "datetime(x)");
}

ValueView to_guid(const Column& column, sqlite3_value* value, Scratch& scratch) {
  if (sqlite3_value_type(value) == SQLITE_TEXT) {
    if (auto guid = edm::parse_guid(text_of(value))) {
      return ValueView::guid(scratch.keep(std::string(guid->data(), guid->size())));
    }
  }
  refuse(column, value, "it wants text such as 'c9da6455-213d-42c9-9a79-3e9149a57833'");
}

ValueView to_binary(const Column& column, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_BLOB) {
    refuse(column, value, "it wants a blob such as x'0aff'; CAST(… AS BLOB) makes one of text");
  }
  return ValueView::binary(bytes_of(value));
}

/// An ANY column takes each SQL value in its natural type, or in the stored one where that can hold it.
ValueView to_any(const Column& column, sqlite3_value* value, ValueView stored, Scratch& scratch) {
  Column typed = column;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: {
      const std::int64_t v = sqlite3_value_int64(value);
      if (stored) {
        if (stored.type() == Type::Boolean && (v == 0 || v == 1)) return ValueView::boolean(v == 1);
        if (stored.type() == Type::Int64) return ValueView::int64(v);
        if (stored.type() == Type::Double && is_exactly_double(v))
          return ValueView::real(static_cast<double>(v));
      }
      if (v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max()) {
        return ValueView::int32(static_cast<std::int32_t>(v));
      }
      return ValueView::int64(v);
    }
    case SQLITE_FLOAT:
      return ValueView::real(sqlite3_value_double(value));
    case SQLITE_BLOB:
      return to_binary(typed, value);
    default:
      break;
  }
  const std::string_view text = text_of(value);
  if (stored && stored.type() == Type::DateTime) {
    if (auto ticks = edm::parse_datetime(text); ticks && edm::in_service_range(*ticks)) {
      return ValueView::datetime(*ticks);
    }
  }
  if (stored && stored.type() == Type::Guid) {
    if (edm::parse_guid(text)) {
      typed.type = Type::Guid;
      return to_guid(typed, value, scratch);
    }
  }
  return to_string(column, value);
}

}  // namespace

bool shows_widened(Type column_type, ValueView value) {
  if (column_type == Type::Int64) return value.type() == Type::Int32;
  if (column_type == Type::Double) {
    return value.type() == Type::Int32 ||
           (value.type() == Type::Int64 && is_exactly_double(value.as_int64()));
  }
  return false;
}

namespace {

void show_text(sqlite3_context* context, const char* text, std::size_t size) {
  // A null pointer would make NULL of an empty text.
  sqlite3_result_text64(context, size == 0 ? "" : text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// A text that ends in NUL spares SQLite from adding one when the application asks for the value.
template <std::size_t size>
struct Terminated {
  char text[size];
  char end = '\0';

  void show(sqlite3_context* context) const {
    sqlite3_result_text(context, reinterpret_cast<const char*>(this), -1, SQLITE_TRANSIENT);
  }
};

}  // namespace

void show(sqlite3_context* context, const std::optional<Type>& column_type, ValueView value) {
  if (!value) {
    sqlite3_result_null(context);
    return;
  }
  switch (value.type()) {
    case Type::String:
      show_text(context, value.bytes().data(), value.bytes().size());
      break;
    case Type::Binary:
      sqlite3_result_blob64(context, value.bytes().empty() ? "" : value.bytes().data(), value.bytes().size(),
                            SQLITE_TRANSIENT);
      break;
    case Type::Boolean:
      sqlite3_result_int(context, value.as_boolean() ? 1 : 0);
      break;
    case Type::Int32:
    case Type::Int64:
      if (column_type == Type::Double) {
        sqlite3_result_double(context, static_cast<double>(value.as_int64()));
      } else {
        sqlite3_result_int64(context, value.as_int64());
      }
      break;
    case Type::Double:
      sqlite3_result_double(context, value.as_double());  // NaN becomes NULL here
      break;
    case Type::DateTime: {
      Terminated<edm::kFixedDateTimeSize> time;
      edm::format_datetime_fixed(value.as_ticks(), time.text);
      time.show(context);
      break;
    }
    case Type::Guid: {
      Terminated<edm::kGuidTextSize> guid;
      edm::format_guid(value.bytes(), guid.text);
      guid.show(context);
      break;
    }
  }
}

ValueView to_property(const Column& column, sqlite3_value* value, ValueView stored, Scratch& scratch) {
  if (!column.type) return to_any(column, value, stored, scratch);
  switch (*column.type) {
    case Type::String:
      return to_string(column, value);
    case Type::Binary:
      return to_binary(column, value);
    case Type::Boolean:
      return to_boolean(column, value);
    case Type::Int32:
    case Type::Int64:
      return to_integer(column, value, stored);
    case Type::Double:
      return to_double(column, value, stored);
    case Type::DateTime:
      return to_datetime(column, value);
    case Type::Guid:
      return to_guid(column, value, scratch);
  }
  return ValueView::missing();
}

bool is_shown_as(const Column& column, ValueView stored, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  const bool null = !stored || !shows(column.type, stored) ||
                    (stored.type() == Type::Double && std::isnan(stored.as_double()));
  if (null || type == SQLITE_NULL) return null && type == SQLITE_NULL;
  switch (stored.type()) {
    case Type::String:
      return type == SQLITE_TEXT && text_of(value) == stored.bytes();
    case Type::Binary:
      return type == SQLITE_BLOB && to_binary(column, value).bytes() == stored.bytes();
    case Type::Boolean:
      return type == SQLITE_INTEGER && sqlite3_value_int64(value) == (stored.as_boolean() ? 1 : 0);
    case Type::Int32:
    case Type::Int64:
      if (column.type == Type::Double) {
        return type == SQLITE_FLOAT && sqlite3_value_double(value) == static_cast<double>(stored.as_int64());
      }
      return type == SQLITE_INTEGER && sqlite3_value_int64(value) == stored.as_int64();
    case Type::Double: {
      if (type != SQLITE_FLOAT) return false;
      const double v = sqlite3_value_double(value);
      return v == stored.as_double() && std::signbit(v) == std::signbit(stored.as_double());
    }
    case Type::DateTime: {
      char text[edm::kFixedDateTimeSize];
      edm::format_datetime_fixed(stored.as_ticks(), text);
      return type == SQLITE_TEXT && text_of(value) == std::string_view(text, sizeof text);
    }
    case Type::Guid: {
      char text[edm::kGuidTextSize];
      edm::format_guid(stored.bytes(), text);
      return type == SQLITE_TEXT && text_of(value) == std::string_view(text, sizeof text);
    }
  }
  return false;
}

std::string_view to_key(const Column& column, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      throw Error(Error::Kind::invalid, "PropertiesNeedValue",
                  column.name +
                      " must not be NULL: an entity is known by PartitionKey and RowKey (the empty text is "
                      "a legal key)")
          .native(SQLITE_CONSTRAINT_NOTNULL);
    case SQLITE_BLOB:
      refuse(column, value, "a key is text; cast the blob AS TEXT");
    default:
      break;
  }
  return text_of(value);
}

std::string describe(sqlite3_value* value) {
  constexpr std::size_t kMax = 40;
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      return std::string(text_of(value));
    case SQLITE_BLOB: {
      const std::string_view bytes = bytes_of(value);
      const std::string_view shown = bytes.substr(0, kMax / 2);
      return "the blob x'" + edm::format_hex(shown) + (shown.size() < bytes.size() ? "…'" : "'") + " (" +
             std::to_string(bytes.size()) + " bytes)";
    }
    default:
      break;
  }
  std::string text(text_of(value));
  bool cut = false;
  if (text.size() > kMax) {
    std::size_t end = kMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    cut = true;
  }
  return "the text '" + text + (cut ? "…'" : "'");
}

}  // namespace table_storage::module
