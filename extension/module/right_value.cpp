#include "extension/module/right_value.h"

#include <cstring>
#include <string_view>

#include "extension/module/column_value.h"
#include "parser/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace table_storage::module {

namespace {

constexpr int kListType = 100;

std::int64_t bits_of(sqlite3_value* value, int type) {
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  std::int64_t bits = 0;
  if (type == SQLITE_FLOAT) {
    const double v = sqlite3_value_double(value);
    std::memcpy(&bits, &v, sizeof bits);
  }
  return bits;
}

std::string_view bytes_of(sqlite3_value* value, int type) {
  if (type == SQLITE_TEXT) return text_of(value);
  return type == SQLITE_BLOB ? table_storage::bytes_of(value) : std::string_view();
}

/// Type, length and content of each element: different lists give different texts.
std::string list_text(sqlite3_value* list) {
  std::string text;
  for_each_in_list(list, [&text](sqlite3_value* element) {
    const int type = sqlite3_value_type(element);
    const std::int64_t bits = bits_of(element, type);
    const std::string_view bytes = bytes_of(element, type);
    const std::uint64_t size = bytes.size();
    text += static_cast<char>(type);
    text.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    text.append(reinterpret_cast<const char*>(&size), sizeof size);
    text += bytes;
    return true;
  });
  return text;
}

}  // namespace

RightValue::RightValue(sqlite3_value* value, bool list) {
  if (list) {
    type_ = kListType;
    text_ = list_text(value);
    return;
  }
  type_ = sqlite3_value_type(value);
  bits_ = bits_of(value, type_);
  text_ = bytes_of(value, type_);
}

bool RightValue::is(sqlite3_value* value, bool list) const {
  if (list) return *this == RightValue(value, true);
  const int type = sqlite3_value_type(value);
  return type == type_ && bits_of(value, type) == bits_ && bytes_of(value, type) == text_;
}

std::uint64_t RightValue::hash() const {
  const auto seed =
      static_cast<XXH64_hash_t>(type_) * XXH64_hash_t{0x9E3779B97F4A7C15} ^ static_cast<XXH64_hash_t>(bits_);
  return XXH3_64bits_withSeed(text_.data(), text_.size(), seed);
}

}  // namespace table_storage::module
