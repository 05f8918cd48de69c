#include "parser/odata/characters.h"

#include <boost/spirit/home/support/char_encoding/unicode/query.hpp>

namespace table_storage::odata {
namespace {

using Category = boost::spirit::ucd::properties;

constexpr bool is_ascii_letter(char32_t code) {
  return (code >= U'a' && code <= U'z') || (code >= U'A' && code <= U'Z');
}
constexpr bool is_ascii_digit(char32_t code) { return code >= U'0' && code <= U'9'; }
constexpr char32_t kLastOfPlane = 0xFFFF;

}  // namespace

Character read_character(const char* first, const char* last) {
  const auto byte = [first](int i) { return static_cast<unsigned char>(first[i]); };
  const unsigned lead = byte(0);
  const auto left = last - first;
  const auto tail = [&](int i) { return static_cast<char32_t>(byte(i) & 0x3Fu); };
  if (lead < 0xC0 || left < 2) return {static_cast<char32_t>(lead), 1};
  if (lead < 0xE0) return {(static_cast<char32_t>(lead & 0x1Fu) << 6) | tail(1), 2};
  if (left < 3) return {static_cast<char32_t>(lead), 1};
  if (lead < 0xF0) return {(static_cast<char32_t>(lead & 0x0Fu) << 12) | (tail(1) << 6) | tail(2), 3};
  if (left < 4) return {static_cast<char32_t>(lead), 1};
  return {(static_cast<char32_t>(lead & 0x07u) << 18) | (tail(1) << 12) | (tail(2) << 6) | tail(3), 4};
}

bool starts_name(char32_t code) {
  if (code < 0x80) return is_ascii_letter(code) || code == U'_';
  if (code > kLastOfPlane) return false;
  switch (boost::spirit::ucd::get_category(code)) {
    case Category::uppercase_letter:
    case Category::lowercase_letter:
    case Category::titlecase_letter:
    case Category::modifier_letter:
    case Category::other_letter:
    case Category::letter_number:
      return true;
    default:
      return false;
  }
}

bool continues_name(char32_t code) {
  if (code < 0x80) return is_ascii_letter(code) || is_ascii_digit(code) || code == U'_';
  if (starts_name(code)) return true;
  if (code > kLastOfPlane) return false;
  switch (boost::spirit::ucd::get_category(code)) {
    case Category::nonspacing_mark:
    case Category::spacing_mark:
    case Category::decimal_number:
    case Category::connector_punctuation:
    case Category::format:
      return true;
    default:
      return false;
  }
}

bool is_space(char32_t code) {
  if (code < 0x80) return code == U' ' || (code >= U'\t' && code <= U'\r');
  return boost::spirit::ucd::is_white_space(code);
}

const char* skip_name(const char* first, const char* last) {
  if (first == last) return first;
  Character c = read_character(first, last);
  if (!starts_name(c.code)) return first;
  do {
    first += c.size;
    if (first == last) break;
    c = read_character(first, last);
  } while (continues_name(c.code));
  return first;
}

const char* skip_spaces(const char* first, const char* last) {
  while (first != last) {
    const Character c = read_character(first, last);
    if (!is_space(c.code)) break;
    first += c.size;
  }
  return first;
}

}  // namespace table_storage::odata
