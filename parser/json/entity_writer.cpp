// The writing half of entity_json.h.
#include <array>

#include "parser/edm/digits.h"
#include "parser/edm/text.h"
#include "parser/json/entity_json.h"

namespace table_storage::json {
namespace {

// The characters that JSON does not allow bare in a string: quote, backslash and U+0000..U+001F.
constexpr std::array<bool, 256> kMustEscape = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 0x20; ++c) table[c] = true;
  table[static_cast<unsigned char>('"')] = table[static_cast<unsigned char>('\\')] = true;
  return table;
}();

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default: {
      char escape[6] = {'\\', 'u', '0', '0', '0', '0'};
      edm::detail::put_hex_pair(escape + 4, c);
      out.append(escape, sizeof escape);
    }
  }
}

// U+2028 and U+2029, which JSON allows bare. But they end a line of JavaScript, and Azurite, which looks for
// the bodies of a batch line by line, then finds none.
constexpr char kSeparatorLead = '\xE2';
bool is_separator(std::string_view rest) {
  return rest.size() >= 3 && rest[1] == '\x80' && (rest[2] == '\xA8' || rest[2] == '\xA9');
}

// Without the quotes; runs of plain characters are copied whole.
void append_escaped(std::string& out, std::string_view utf8) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (!kMustEscape[static_cast<unsigned char>(utf8[i])]) {
      if (utf8[i] != kSeparatorLead || !is_separator(utf8.substr(i))) continue;
      out.append(utf8, run, i - run);
      out += utf8[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
      run = i + 1;
      continue;
    }
    out.append(utf8, run, i - run);
    append_escape(out, utf8[i]);
    run = i + 1;
  }
  out.append(utf8, run, utf8.size() - run);
}

// For text that needs no escapes.
void append_quoted(std::string& out, std::string_view plain) {
  out += '"';
  out += plain;
  out += '"';
}

// Minimal metadata names the type wherever the form of the JSON value does not tell it.
bool needs_annotation(edm::ValueView value) {
  switch (value.type()) {
    case edm::Type::Int64:
    case edm::Type::DateTime:
    case edm::Type::Guid:
    case edm::Type::Binary:
      return true;
    case edm::Type::Double: {
      const double d = value.as_double();
      return d - d != 0;  // NaN and the infinities, which travel as strings
    }
    case edm::Type::String:
    case edm::Type::Boolean:
    case edm::Type::Int32:
      break;
  }
  return false;
}

void append_value(std::string& out, edm::ValueView value, bool annotated) {
  switch (value.type()) {
    case edm::Type::String:
      append_string(out, value.bytes());
      return;
    case edm::Type::Binary:
      append_quoted(out, edm::format_base64(value.bytes()));
      return;
    case edm::Type::Boolean:
      out += value.as_boolean() ? "true" : "false";
      return;
    case edm::Type::Int32:
      out += std::to_string(value.as_int32());
      return;
    case edm::Type::Int64:
      // A string, since readers that hold numbers as doubles round beyond 2^53.
      append_quoted(out, std::to_string(value.as_int64()));
      return;
    case edm::Type::Double:
      if (annotated) {
        append_quoted(out, edm::format_double(value.as_double()));
      } else {
        out += edm::format_double(value.as_double());
      }
      return;
    case edm::Type::DateTime:
      append_quoted(out, edm::format_datetime(value.as_ticks()));
      return;
    case edm::Type::Guid: {
      char text[edm::kGuidTextSize];
      edm::format_guid(value.bytes(), text);
      append_quoted(out, {text, sizeof text});
      return;
    }
  }
}

}  // namespace

void append_string(std::string& out, std::string_view utf8) {
  out += '"';
  append_escaped(out, utf8);
  out += '"';
}

void append_property(std::string& out, std::string_view name, edm::ValueView value) {
  // A null property does not exist, so it leaves no trace in the object.
  if (!value.present()) return;
  if (!out.empty() && out.back() != '{') out += ',';
  const bool annotated = needs_annotation(value);
  if (annotated) {
    out += '"';
    append_escaped(out, name);
    out += "@odata.type\":";
    append_quoted(out, edm::name_of(value.type()));
    out += ',';
  }
  append_string(out, name);
  out += ':';
  append_value(out, value, annotated);
}

}  // namespace table_storage::json
