// The reading half of entity_json.h, on simdjson's on-demand interface: it leaves number tokens as they
// stand, which the DOM does not, and 1.0 is a Double where 1 is an Int32. On-demand checks a value only when
// the value is asked for, so every value is, skipped ones too.
#include <simdjson.h>

#include <algorithm>
#include <new>
#include <optional>
#include <unordered_map>

#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"
#include "parser/json/typed_value.h"
#include "parser/json/unescape.h"

namespace table_storage::json {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kTypeSuffix = "@odata.type";
constexpr std::string_view kBlanks = " \t\r\n";

// A few characters of the JSON for a message, which has to be UTF-8 even where the JSON is not.
std::string excerpt(std::string_view json, std::size_t position) {
  constexpr std::size_t kLength = 20;
  std::size_t end = std::min(position + kLength, json.size());
  while (end < json.size() && end > position && (static_cast<unsigned char>(json[end]) & 0xC0) == 0x80) --end;
  std::string text(json.substr(position, end - position));
  if (!edm::is_valid_utf8(text)) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return shown_text(text);
}

[[noreturn]] void fail_at(std::string_view json, std::size_t position, const std::string& what) {
  std::string message = "the JSON of the properties is not valid: " + what;
  if (position < json.size()) {
    message += ", at byte " + std::to_string(position) + " near " + excerpt(json, position);
  } else {
    message += ", at its end";
  }
  throw Error(Error::Kind::invalid, "InvalidInput", std::move(message)).at(position);
}

// Offset of the first character that is not UTF-8. Slow and simple: it serves one message.
std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (size > text.size() - at || !edm::is_valid_utf8(text.substr(at, size))) return at;
    at += size;
  }
  return at;
}

// Faults that simdjson finds in its first pass, over the whole text, come without a place.
struct StringFault {
  std::optional<std::size_t> control;  // a bare control character inside a string
  std::size_t last_quote = 0;          // where the last string begins
};
StringFault find_string_fault(std::string_view json) {
  StringFault fault;
  bool inside = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      inside = !inside;
      if (inside) fault.last_quote = i;
    } else if (inside && json[i] == '\\') {
      ++i;
    } else if (inside && static_cast<unsigned char>(json[i]) < 0x20) {
      fault.control = i;
      break;
    }
  }
  return fault;
}

// One member that became (or will become) a property, and its annotation, which may come before or after it.
struct Member {
  std::string_view name;
  std::optional<Scalar> value;
  std::optional<std::string_view> type;
};

/// One pass over one object. The views it keeps point into the padded copy and into the unescaped strings,
/// both of which live as long as it does.
class Reader {
 public:
  explicit Reader(std::string_view json) : json_(json), padded_(json), strings_(padded()) {}

  std::vector<Property> read() {
    if (json_.find_first_not_of(kBlanks) == std::string_view::npos) {
      fail("the JSON of the properties is empty; an entity without properties is {}");
    }
    if (const auto error = parser_.iterate(padded_).get(document_)) fail_first_pass(error);
    ondemand::json_type type{};
    check(document_.type().get(type));
    if (type != ondemand::json_type::object) {
      fail("the JSON of the properties is not an object; it must be of the form {\"name\": value, …}");
    }
    ondemand::object object;
    check(document_.get_object().get(object));
    for (auto&& result : object) {
      ondemand::field field;
      check(std::move(result).get(field));
      read_member(field);
    }
    // Past the closing brace there is no location unless something stands there.
    if (document_.current_location().error() == simdjson::SUCCESS) check(simdjson::TRAILING_CONTENT);
    return properties();
  }

 private:
  void read_member(ondemand::field& field) {
    const std::string_view name = read_name(field);
    if (name.substr(0, 6) == "odata.") {
      skip(field.value(), 0);
      return;
    }
    const Scalar value = read_scalar(name, field.value());
    const std::size_t at = name.find("@odata.");
    if (at == std::string_view::npos) {
      Member& member = find(name);
      if (member.value) fail_twice(name);
      member.value = value;
      return;
    }
    // Skipping an annotation that we do not know could drop a type that was only misspelt.
    if (name.substr(at) != kTypeSuffix) {
      fail("the annotation " + shown_text(name) + " is not known; the one that a property can have is " +
           shown_text(std::string(name.substr(0, at)) + std::string(kTypeSuffix)));
    }
    if (value.kind != Scalar::Kind::string) {
      fail("the annotation " + shown_text(name) + " must be the name of a type, such as \"Edm.Int64\"");
    }
    Member& member = find(name.substr(0, at));
    if (member.type) fail_twice(name);
    member.type = value.text;
  }

  Scalar read_scalar(std::string_view name, ondemand::value value) {
    const std::string_view token = raw_token(value);
    switch (token.front()) {
      case '{':
      case '[':
        fail("property " + shown_text(name) + " is an " + (token.front() == '{' ? "object" : "array") +
             "; a property holds one string, number, true, false or null");
      case '"':
        return {Scalar::Kind::string, read_string(token, value, name)};
      default:
        break;
    }
    const auto scalar = read_token(token);
    if (!scalar) {
      fail_at(json_, offset_of(token.data()),
              "the value of property " + shown_text(name) + " is no string, number, true, false or null");
    }
    return *scalar;
  }

  std::string_view read_name(ondemand::field& field) {
    const char* const first = field.key().raw();
    std::string_view name;
    const auto error = strings_.add(parser_, field.key()).get(name);
    if (error == simdjson::STRING_ERROR) fail_escape(first - 1, "the name of a member");
    check(error);
    return name;
  }

  std::string_view read_string(std::string_view token, ondemand::value& value, std::string_view member) {
    std::string_view text;
    ondemand::raw_json_string raw;
    check(value.get_raw_json_string().get(raw));
    const auto error = strings_.add(parser_, raw).get(text);
    if (error == simdjson::STRING_ERROR) {
      fail_escape(token.data(), member.empty() ? "a value" : "the value of property " + shown_text(member));
    }
    check(error);
    return text;
  }

  [[noreturn]] void fail_escape(const char* where, const std::string& what) const {
    fail_at(
        json_, offset_of(where),
        what +
            " has a wrong escape (\\u takes four hex digits, and half of a surrogate pair its other half)");
  }

  // Metadata of the entity (odata.etag and the like): not ours to keep, but it has to be JSON.
  void skip(ondemand::value value, int depth) {
    constexpr int kDeepest = 64;
    const std::string_view token = raw_token(value);
    if (depth > kDeepest) fail_at(json_, offset_of(token.data()), "it is nested too deeply");
    if (token.front() == '{') {
      ondemand::object object;
      check(value.get_object().get(object));
      for (auto&& result : object) {
        ondemand::field field;
        check(std::move(result).get(field));
        read_name(field);
        skip(field.value(), depth + 1);
      }
    } else if (token.front() == '[') {
      ondemand::array array;
      check(value.get_array().get(array));
      for (auto&& result : array) {
        ondemand::value element;
        check(std::move(result).get(element));
        skip(element, depth + 1);
      }
    } else if (token.front() == '"') {
      read_string(token, value, {});
    } else if (!read_token(token)) {
      fail_at(json_, offset_of(token.data()), "a value is no string, number, true, false or null");
    }
  }

  // The token of a value without the blanks behind it. It is never empty.
  std::string_view raw_token(ondemand::value& value) const {
    const std::string_view token = value.raw_json_token();
    const std::size_t last = token.find_last_not_of(kBlanks);
    if (last == std::string_view::npos) fail_at(json_, offset_of(token.data()), "a value is missing");
    return token.substr(0, last + 1);
  }

  Member& find(std::string_view name) {
    const auto [entry, is_new] = index_.try_emplace(name, members_.size());
    if (is_new) members_.push_back({name, std::nullopt, std::nullopt});
    return members_[entry->second];
  }

  std::vector<Property> properties() const {
    std::vector<Property> properties;
    properties.reserve(members_.size());
    for (const Member& member : members_) {
      if (!member.value) {
        fail("the annotation " + shown_text(std::string(member.name) + std::string(kTypeSuffix)) +
             " has no property " + shown_text(member.name) +
             " beside it; remove it too, or add the property (names are case-sensitive)");
      }
      if (member.value->kind == Scalar::Kind::null) continue;
      properties.emplace_back(member.name, typed_value(member.name, *member.value, member.type));
    }
    return properties;
  }

  [[noreturn]] void fail_twice(std::string_view name) const {
    fail("the member " + shown_text(name) + " comes twice; each name may stand once",
         "DuplicatePropertiesSpecified");
  }

  // Before iterate() has succeeded there is no document to ask for a place.
  [[noreturn]] void fail_first_pass(simdjson::error_code error) const {
    switch (error) {
      case simdjson::MEMALLOC:
        throw std::bad_alloc();
      case simdjson::UTF8_ERROR:
        fail_at(json_, first_invalid_utf8(json_), "it is not UTF-8");
      case simdjson::UNESCAPED_CHARS:
        fail_at(json_, find_string_fault(json_).control.value_or(json_.size()),
                "a control character inside a string must be written as an escape");
      case simdjson::UNCLOSED_STRING:
        fail_at(json_, find_string_fault(json_).last_quote, "a string is not closed");
      default:
        fail_at(json_, json_.size(), simdjson::error_message(error));
    }
  }

  void check(simdjson::error_code error) {
    if (error == simdjson::SUCCESS) return;
    const char* where = nullptr;
    const bool known = document_.current_location().get(where) == simdjson::SUCCESS;
    const std::size_t position = known ? offset_of(where) : json_.size();
    switch (error) {
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        fail_at(json_, json_.size(), "a brace or bracket is not closed, or something follows the object");
      case simdjson::TRAILING_CONTENT:
        fail_at(json_, position, "something follows the closing brace");
      case simdjson::TAPE_ERROR:
        fail_at(json_, position,
                "a comma, a colon, a quoted name, a value or a brace is missing or misplaced");
      default:
        fail_at(json_, position, simdjson::error_message(error));
    }
  }

  /// simdjson does not say so when it has no memory for the copy.
  std::string_view padded() const {
    if (padded_.data() == nullptr) throw std::bad_alloc();
    return padded_;
  }

  std::size_t offset_of(const char* where) const {
    const char* const first = padded_.data();
    if (where < first || where > first + json_.size()) return json_.size();
    return static_cast<std::size_t>(where - first);
  }

  std::string_view json_;
  simdjson::padded_string padded_;
  UnescapedStrings strings_;
  ondemand::parser parser_;
  ondemand::document document_;
  std::vector<Member> members_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace

std::vector<Property> parse_properties(std::string_view json) { return Reader(json).read(); }

}  // namespace table_storage::json
