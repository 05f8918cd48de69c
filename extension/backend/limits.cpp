#include "extension/backend/limits.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/odata/characters.h"

namespace table_storage::backend {
namespace {

[[noreturn]] void refuse_as(const char* code, std::string message) {
  throw Error(Error::Kind::invalid, code, std::move(message));
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// A text in a message: whole as long as a person would read it.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) return "'" + std::string(text) + "'";
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "…'";
}

// What one byte of a key may be: fine, never allowed, or the start of something to look at closer.
enum class KeyByte : unsigned char { fine, refused, beyond_ascii };
constexpr std::array<KeyByte, 256> kKeyBytes = [] {
  std::array<KeyByte, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) {
    const bool control = i < 0x20 || i == 0x7F;
    const bool punctuation = i == '/' || i == '\\' || i == '#' || i == '?';
    table[i] = i >= 0x80 ? KeyByte::beyond_ascii : control || punctuation ? KeyByte::refused : KeyByte::fine;
  }
  return table;
}();

std::string code_point(unsigned value) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'U', '+', '0', '0', digits[value >> 4 & 15], digits[value & 15]};
}

[[noreturn]] void refuse_key_character(std::string_view which, std::string_view key, unsigned value) {
  const bool printable = value > 0x20 && value < 0x7F;
  const std::string shown = printable ? std::string(1, static_cast<char>(value)) : code_point(value);
  // A control character would spoil the message it is shown in.
  const std::string where = printable ? " " + quoted(key) : "";
  refuse_as("OutOfRangeInput",
            std::string(which) + where + " holds " + shown +
                ": keys take neither / \\ # ? nor the control characters U+0000 to U+001F and "
                "U+007F to U+009F");
}

void check_key_characters(std::string_view which, std::string_view key) {
  bool ascii = true;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (kKeyBytes[byte] == KeyByte::refused) refuse_key_character(which, key, byte);
    ascii &= byte < 0x80;
  }
  if (ascii) return;
  if (!edm::is_valid_utf8(key)) {
    refuse_as("OutOfRangeInput", std::string(which) + " is not valid UTF-8");
  }
  for (std::size_t i = 0; i + 1 < key.size(); ++i) {  // U+0080 to U+009F are C2 80 to C2 9F
    const auto next = static_cast<unsigned char>(key[i + 1]);
    if (key[i] == '\xC2' && next < 0xA0) refuse_key_character(which, key, next);
  }
}

void check_key_length(std::string_view which, std::string_view key) {
  if (key.size() <= kMaxKeyUnits) return;
  const std::size_t units = edm::utf16_length(key);
  if (units <= kMaxKeyUnits) return;
  refuse_as("PropertyValueTooLarge", std::string(which) + " " + quoted(key) + " is " + std::to_string(units) +
                                         " UTF-16 units long; a key takes at most " +
                                         std::to_string(kMaxKeyUnits));
}

bool is_system_name(std::string_view name) {
  return name == "PartitionKey" || name == "RowKey" || name == "Timestamp";
}

std::size_t units(std::string_view text) { return edm::utf16_length(text); }

std::size_t value_size(edm::ValueView value) {
  switch (value.type()) {
    case edm::Type::String:
      return 2 * units(value.bytes()) + 4;
    case edm::Type::Binary:
      return value.bytes().size() + 4;
    case edm::Type::Boolean:
      return 1;
    case edm::Type::Int32:
      return 4;
    case edm::Type::Guid:
      return 16;
    case edm::Type::Int64:
    case edm::Type::Double:
    case edm::Type::DateTime:
      return 8;
  }
  return 0;
}

// At least value_size(), without counting characters: a UTF-8 text never has more units than bytes.
std::size_t value_size_bound(edm::ValueView value) {
  return value.type() == edm::Type::String ? 2 * value.bytes().size() + 4 : value_size(value);
}

bool is_datetime(edm::ValueView value) { return value.present() && value.type() == edm::Type::DateTime; }

}  // namespace

void check_table_name(std::string_view name) {
  constexpr std::size_t kMin = 3, kMax = 63;
  if (name.size() < kMin || name.size() > kMax) {
    refuse_as("OutOfRangeInput", "table name " + quoted(name) + " has " + std::to_string(name.size()) +
                                     " characters; a table name has 3 to 63");
  }
  const bool shaped = is_ascii_letter(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
                        return is_ascii_letter(c) || is_ascii_digit(c);
                      });
  if (!shaped) {
    refuse_as("InvalidResourceName",
              "table name " + quoted(name) + " must be letters and digits (A-Z, a-z, 0-9), a letter first");
  }
  constexpr std::string_view kReserved = "tables";
  const bool reserved = std::equal(name.begin(), name.end(), kReserved.begin(), kReserved.end(),
                                   [](char a, char b) { return (a | 0x20) == b; });
  if (reserved) refuse_as("InvalidInput", "table name " + quoted(name) + " is reserved by the service");
}

void check_key(std::string_view which, std::string_view key) {
  check_key_characters(which, key);
  check_key_length(which, key);
}

namespace {

bool has_good_keys(const Operation& operation) {
  try {
    check_key("PartitionKey", operation.partition_key);
    check_key("RowKey", operation.row_key);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool is_plain_key(std::string_view key) {
  if (key.size() > kMaxKeyUnits) return false;
  for (const char c : key) {
    if (kKeyBytes[static_cast<unsigned char>(c)] != KeyByte::fine) return false;
  }
  return true;
}

namespace {

/// A short ASCII identifier: a fast way around the rest. False says nothing.
bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || name.size() > kMaxPropertyNameUnits || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

void check_property_name(std::string_view name) {
  if (is_plain_name(name) && !is_system_name(name)) return;
  if (name.empty()) refuse_as("PropertyNameInvalid", "a property name is empty");
  if (!edm::is_valid_utf8(name)) refuse_as("PropertyNameInvalid", "a property name is not valid UTF-8");
  if (name.size() > kMaxPropertyNameUnits && units(name) > kMaxPropertyNameUnits) {
    refuse_as("PropertyNameTooLong", "property name " + quoted(name) + " is " + std::to_string(units(name)) +
                                         " UTF-16 units long; a name takes at most " +
                                         std::to_string(kMaxPropertyNameUnits));
  }
  const char* const end = name.data() + name.size();
  if (odata::skip_name(name.data(), end) != end) {
    refuse_as(
        "PropertyNameInvalid",
        "property name " + quoted(name) +
            " is not an identifier: a letter or _ first, then letters, digits and _, no spaces or hyphens");
  }
  if (is_system_name(name)) {
    refuse_as("PropertyNameInvalid", quoted(name) + " is a system property, not one of the entity's own");
  }
}

void check_property_value(std::string_view name, edm::ValueView value) {
  if (!value.present()) return;
  const std::string_view bytes = value.bytes();
  switch (value.type()) {
    case edm::Type::String:
      if (!edm::is_valid_utf8(bytes)) {
        refuse_as("InvalidInput", "property " + quoted(name) + " holds text that is not valid UTF-8");
      }
      if (bytes.size() > kMaxStringUnits && units(bytes) > kMaxStringUnits) {
        refuse_as("PropertyValueTooLarge",
                  "property " + quoted(name) + " holds a text of " + std::to_string(units(bytes)) +
                      " UTF-16 units; a String takes at most " + std::to_string(kMaxStringUnits));
      }
      return;
    case edm::Type::Binary:
      if (bytes.size() > kMaxBinaryBytes) {
        refuse_as("PropertyValueTooLarge",
                  "property " + quoted(name) + " holds " + std::to_string(bytes.size()) +
                      " bytes; a Binary takes at most " + std::to_string(kMaxBinaryBytes));
      }
      return;
    case edm::Type::Guid:
      if (bytes.size() != std::tuple_size_v<edm::GuidBytes>) {
        refuse_as("InvalidInput", "property " + quoted(name) + " holds a Guid of " +
                                      std::to_string(bytes.size()) + " bytes; a Guid has 16");
      }
      return;
    case edm::Type::DateTime:
      if (!edm::in_service_range(value.as_ticks())) {
        refuse_as("OutOfRangeInput", "property " + quoted(name) +
                                         " holds a DateTime outside of 1601-01-01T00:00:00Z to "
                                         "9999-12-31T23:59:59.9999999Z");
      }
      return;
    case edm::Type::Boolean:
    case edm::Type::Int32:
    case edm::Type::Int64:
    case edm::Type::Double:
      return;
  }
}

std::size_t entity_size(std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties) {
  std::size_t size = 4 + 2 * (units(partition_key) + units(row_key));
  for (const NamedValue& p : properties) {
    if (p.value.present()) size += 8 + 2 * units(p.name) + value_size(p.value);
  }
  return size;
}

void check_entity(std::string_view partition_key, std::string_view row_key,
                  const std::vector<NamedValue>& properties) {
  std::size_t count = 0;
  std::size_t bound = 4 + 2 * (partition_key.size() + row_key.size());
  for (const NamedValue& p : properties) {
    if (!p.value.present()) continue;
    ++count;
    bound += 8 + 2 * p.name.size() + value_size_bound(p.value);
  }
  if (count > kMaxProperties) {
    refuse_as("TooManyProperties", "the entity has " + std::to_string(count) +
                                       " properties; besides the keys and Timestamp it takes at most " +
                                       std::to_string(kMaxProperties));
  }
  if (bound <= kMaxEntityBytes) return;
  const std::size_t size = entity_size(partition_key, row_key, properties);
  if (size > kMaxEntityBytes) {
    refuse_as("EntityTooLarge", "the entity is " + std::to_string(size) +
                                    " bytes by the service's formula; at most " +
                                    std::to_string(kMaxEntityBytes) + " are allowed");
  }
}

void check_operation(const Operation& operation) {
  check_key_characters("PartitionKey", operation.partition_key);
  check_key_characters("RowKey", operation.row_key);
  check_key_length("PartitionKey", operation.partition_key);
  check_key_length("RowKey", operation.row_key);
  if (operation.kind == OperationKind::remove) return;
  for (const NamedValue& p : operation.properties) {
    check_property_name(p.name);
    if (!is_datetime(p.value)) check_property_value(p.name, p.value);
  }
  std::vector<std::string_view> names;
  names.reserve(operation.properties.size());
  for (const NamedValue& p : operation.properties) names.push_back(p.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end()) {
    refuse_as("DuplicatePropertiesSpecified", "property " + quoted(*twin) + " is given twice");
  }
  check_entity(operation.partition_key, operation.row_key, operation.properties);
  for (const NamedValue& p : operation.properties) {
    if (is_datetime(p.value)) check_property_value(p.name, p.value);
  }
}

void check_operation(const std::string& table, const Operation& operation) {
  try {
    check_operation(operation);
  } catch (Error& error) {
    if (has_good_keys(operation)) {
      error.prefix(describe_entity(table, operation.partition_key, operation.row_key));
    } else {
      error.prefix("table " + table);
    }
    throw;
  }
}

std::string describe_entity(const std::string& table, std::string_view partition_key,
                            std::string_view row_key) {
  std::string text = "table ";
  text.append(table).append(", PartitionKey '").append(partition_key).append("', RowKey '").append(row_key);
  return text += '\'';
}

}  // namespace table_storage::backend
