#include "tests/differential/values.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace table_storage::differential {

namespace {

std::string hex(const std::string& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : bytes) {
    auto u = static_cast<unsigned char>(c);
    out += digits[u >> 4U];
    out += digits[u & 15U];
  }
  return out;
}

std::string base64(const std::string& bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8U) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : digits[(group >> (18U - 6U * static_cast<unsigned>(k))) & 63U];
    }
  }
  return out;
}

std::string number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string json_string(const std::string& utf8) {
  std::string out = "\"";
  for (char c : utf8) {
    auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20) {
      char text[8];
      std::snprintf(text, sizeof text, "\\u%04x", u);
      out += text;
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// A fixed date text as the service writes it: no zeros at the end of the fraction, and no empty fraction.
std::string trimmed(std::string fixed) {
  fixed.pop_back();
  while (fixed.back() == '0') fixed.pop_back();
  if (fixed.back() == '.') fixed.pop_back();
  return fixed + 'Z';
}

/// Whether a double holds this integer exactly.
bool exact_as_double(std::int64_t v) {
  auto d = static_cast<double>(v);
  return d < 9223372036854775808.0 && static_cast<std::int64_t>(d) == v;
}

}  // namespace

std::string quoted(const std::string& identifier) {
  std::string out = "\"";
  for (char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string sql_of(const SqlValue& value) {
  switch (value.storage) {
    case SqlValue::Class::null:
      return "NULL";
    case SqlValue::Class::integer:
      // -9223372036854775808 as a literal would be minus a real.
      if (value.integer == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
      return std::to_string(value.integer);
    case SqlValue::Class::real:
      if (std::isinf(value.real)) return value.real > 0 ? "9e999" : "-9e999";
      return number(value.real);
    case SqlValue::Class::blob:
      return "x'" + hex(value.bytes) + "'";
    case SqlValue::Class::text:
      break;
  }
  if (value.bytes.find('\0') != std::string::npos) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at; (at = value.bytes.find('\0', from)) != std::string::npos; from = at + 1) {
      out += sql_of(SqlValue::text(value.bytes.substr(from, at - from))) + " || char(0) || ";
    }
    return '(' + out + sql_of(SqlValue::text(value.bytes.substr(from))) + ')';
  }
  std::string out = "'";
  for (char c : value.bytes) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + '\'';
}

std::string canonical(const SqlValue& value, bool loose) {
  switch (value.storage) {
    case SqlValue::Class::null:
      return "NULL";
    case SqlValue::Class::integer:
      if (loose && exact_as_double(value.integer))
        return canonical(SqlValue::of(static_cast<double>(value.integer)), false);
      return std::to_string(value.integer);
    case SqlValue::Class::real:
      return number(value.real == 0 ? 0.0 : value.real);
    case SqlValue::Class::text: {
      std::string out = "'";
      for (char c : value.bytes) {
        if (c == '\0') {
          out += "\\0";
        } else {
          out += c;
        }
      }
      return out + '\'';
    }
    case SqlValue::Class::blob:
      return "x'" + hex(value.bytes) + "'";
  }
  return {};
}

SqlValue shown(const EdmValue& value, std::optional<Edm> column) {
  if (column && *column != value.type) {
    bool is_integer = value.type == Edm::Int32 || value.type == Edm::Int64;
    if (*column == Edm::Double && is_integer && exact_as_double(value.integer)) {
      return SqlValue::of(static_cast<double>(value.integer));
    }
    if (*column == Edm::Int64 && value.type == Edm::Int32) return SqlValue::of(value.integer);
    return SqlValue::null();
  }
  switch (value.type) {
    case Edm::String:
    case Edm::DateTime:
    case Edm::Guid:
      return SqlValue::text(value.bytes);
    case Edm::Binary:
      return SqlValue::blob(value.bytes);
    case Edm::Boolean:
    case Edm::Int32:
    case Edm::Int64:
      return SqlValue::of(value.integer);
    case Edm::Double:
      return std::isnan(value.real) ? SqlValue::null() : SqlValue::of(value.real);
  }
  return {};
}

std::string json_member(const std::string& name, const EdmValue& value) {
  std::string key = json_string(name);
  auto typed = [&](const char* type, const std::string& text) {
    return json_string(name + "@odata.type") + ":\"Edm." + type + "\"," + key + ':' + text;
  };
  switch (value.type) {
    case Edm::String:
      return key + ':' + json_string(value.bytes);
    case Edm::Boolean:
      return key + (value.integer != 0 ? ":true" : ":false");
    case Edm::Int32:
      return key + ':' + std::to_string(value.integer);
    case Edm::Int64:
      return typed("Int64", '"' + std::to_string(value.integer) + '"');
    case Edm::Double:
      if (!std::isfinite(value.real)) return typed("Double", '"' + number(value.real) + '"');
      return key + ':' + number(value.real);
    case Edm::DateTime:
      return typed("DateTime", '"' + trimmed(value.bytes) + '"');
    case Edm::Guid:
      return typed("Guid", '"' + value.bytes + '"');
    case Edm::Binary:
      return typed("Binary", '"' + base64(value.bytes) + '"');
  }
  return {};
}

}  // namespace table_storage::differential
