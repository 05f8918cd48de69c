#include "parser/json/typed_value.h"

#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

namespace table_storage::json {
namespace {

using edm::Type;
using edm::Value;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number grammar of RFC 8259. simdjson checks it only when asked for the number, and asking loses the
// form of the token, which decides between Int32 and Double.
bool is_json_number(std::string_view token) {
  std::size_t at = 0;
  const auto peek = [&] { return at < token.size() ? token[at] : '\0'; };
  const auto digits = [&] {
    const std::size_t first = at;
    while (is_digit(peek())) ++at;
    return at > first;
  };
  if (peek() == '-') ++at;
  if (peek() == '0') {
    ++at;
  } else if (!digits()) {
    return false;
  }
  if (peek() == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at;
    if (peek() == '+' || peek() == '-') ++at;
    if (!digits()) return false;
  }
  return at == token.size();
}

bool is_integer_token(std::string_view token) { return token.find_first_of(".eE") == std::string_view::npos; }

std::optional<Type> type_of(std::string_view annotation) {
  for (int i = 0; i < edm::kTypeCount; ++i) {
    const auto type = static_cast<Type>(i);
    if (edm::name_of(type) == annotation) return type;
  }
  return std::nullopt;
}

std::string shown(const Scalar& scalar) {
  if (scalar.kind == Scalar::Kind::string) return shown_text(scalar.text);
  const std::string text = shown_text(scalar.text);  // shown_text() for its shortening
  return text.substr(1, text.size() - 2);
}

// What a value of the type looks like in JSON, for "… is not … : it takes …".
std::string_view expected_form(Type type) {
  switch (type) {
    case Type::String:
      return "a JSON string";
    case Type::Binary:
      return "a string of base64 with padding, such as \"AQID\"";
    case Type::Boolean:
      return "true or false";
    case Type::Int32:
      return "an integer from -2147483648 to 2147483647";
    case Type::Int64:
      return "a string of digits from \"-9223372036854775808\" to \"9223372036854775807\"";
    case Type::Double:
      return "a number up to 1.7976931348623157e+308, or \"NaN\", \"Infinity\" or \"-Infinity\"";
    case Type::DateTime:
      return "a string such as \"2024-06-15T12:30:00.1234567Z\"";
    case Type::Guid:
      return "a string such as \"c9da6455-213d-42c9-9a79-3e9149a57833\"";
  }
  return "";
}

[[noreturn]] void fail_not_of_type(std::string_view name, const Scalar& scalar, Type type) {
  fail("the value " + shown(scalar) + " of property " + shown_text(name) + " is not of type " +
       std::string(edm::name_of(type)) + ": it takes " + std::string(expected_form(type)));
}

Value untyped_value(std::string_view name, const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::string:
      return Value::string(scalar.text);
    case Scalar::Kind::boolean:
      return Value::boolean(scalar.text == "true");
    case Scalar::Kind::null:
    case Scalar::Kind::number:
      break;
  }
  if (is_integer_token(scalar.text)) {
    if (const auto v = edm::parse_int32(scalar.text)) return Value::int32(*v);
  }
  if (const auto v = edm::parse_double(scalar.text)) return Value::real(*v);
  fail_not_of_type(name, scalar, Type::Double);
}

// The numeric types take a number or the text of one: the service sends Int64 as text, but SQL that edits
// `_properties` writes json_set(…, 5). Nothing is rounded: 5.0 is no Int64.
std::optional<Value> integer_value(const Scalar& scalar, Type type) {
  if (scalar.kind != Scalar::Kind::number && scalar.kind != Scalar::Kind::string) return std::nullopt;
  if (type == Type::Int32) {
    if (const auto v = edm::parse_int32(scalar.text)) return Value::int32(*v);
  } else if (const auto v = edm::parse_int64(scalar.text)) {
    return Value::int64(*v);
  }
  return std::nullopt;
}

std::optional<Value> value_of_text(std::string_view name, std::string_view text, Type type) {
  switch (type) {
    case Type::String:
      return Value::string(text);
    case Type::Binary:
      if (const auto v = edm::parse_base64(text)) return Value::binary(*v);
      return std::nullopt;
    case Type::Guid:
      if (const auto v = edm::parse_guid(text)) return Value::guid({v->data(), v->size()});
      return std::nullopt;
    case Type::DateTime: {
      const auto v = edm::parse_datetime(text);
      if (!v) return std::nullopt;
      if (!edm::in_service_range(*v)) {
        fail("the value " + shown_text(text) + " of property " + shown_text(name) +
                 " is outside what the service stores as Edm.DateTime: 1601-01-01T00:00:00Z to "
                 "9999-12-31T23:59:59.9999999Z",
             "OutOfRangeInput");
      }
      return Value::datetime(*v);
    }
    case Type::Boolean:
    case Type::Int32:
    case Type::Int64:
    case Type::Double:
      break;
  }
  return std::nullopt;
}

}  // namespace

void fail(std::string message, std::string code) {
  throw Error(Error::Kind::invalid, std::move(code), std::move(message));
}

std::optional<Scalar> read_token(std::string_view token) {
  if (token == "null") return Scalar{Scalar::Kind::null, token};
  if (token == "true" || token == "false") return Scalar{Scalar::Kind::boolean, token};
  if (is_json_number(token)) return Scalar{Scalar::Kind::number, token};
  return std::nullopt;
}

edm::Value typed_value(std::string_view name, const Scalar& scalar,
                       std::optional<std::string_view> annotation) {
  if (!annotation) return untyped_value(name, scalar);
  const auto type = type_of(*annotation);
  if (!type) {
    std::string known;
    for (int i = 0; i < edm::kTypeCount; ++i) {
      if (i > 0) known += i + 1 < edm::kTypeCount ? ", " : " and ";
      known += edm::name_of(static_cast<Type>(i));
    }
    fail("property " + shown_text(name) + " has the unknown type " + shown_text(*annotation) +
         "; the types are " + known);
  }
  std::optional<Value> value;
  switch (*type) {
    case Type::Boolean:
      if (scalar.kind == Scalar::Kind::boolean) value = Value::boolean(scalar.text == "true");
      break;
    case Type::Int32:
    case Type::Int64:
      value = integer_value(scalar, *type);
      break;
    case Type::Double:
      if (scalar.kind == Scalar::Kind::number || scalar.kind == Scalar::Kind::string) {
        if (const auto v = edm::parse_double(scalar.text)) value = Value::real(*v);
      }
      break;
    case Type::String:
    case Type::Binary:
    case Type::DateTime:
    case Type::Guid:
      if (scalar.kind == Scalar::Kind::string) value = value_of_text(name, scalar.text, *type);
      break;
  }
  if (!value) fail_not_of_type(name, scalar, *type);
  return *std::move(value);
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out;
  if (text.size() <= kLongest) {
    append_string(out, text);
    return out;
  }
  std::size_t size = kLongest;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  append_string(out, std::string(text.substr(0, size)) + "…");
  return out;
}

}  // namespace table_storage::json
