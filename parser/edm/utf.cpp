#include <simdjson.h>

#include <cstring>

#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

constexpr std::uint64_t kLowBits = 0x0101'0101'0101'0101;
constexpr std::uint64_t kHighBits = kLowBits << 7;

std::uint64_t load(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Number of bytes that are 1 in a word of bytes that are 0 or 1.
std::size_t count_ones(std::uint64_t word) { return static_cast<std::size_t>((word * kLowBits) >> 56); }

bool is_ascii(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    if ((load(text.data() + i) & kHighBits) != 0) return false;
  }
  unsigned char rest = 0;
  for (; i < text.size(); ++i) rest |= static_cast<unsigned char>(text[i]);
  return rest < 0x80;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  // Most keys and cells are short ASCII: not worth the indirect call.
  constexpr std::size_t kShort = 64;
  if (text.size() <= kShort && is_ascii(text)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

// Every character but the supplementary ones (lead F0..F4) is one unit, those are two: lead bytes count one,
// continuation bytes (10xxxxxx) none, F0..F4 one more.
std::size_t utf16_length(std::string_view utf8) {
  std::size_t units = utf8.size();
  std::size_t i = 0;
  for (; i + 8 <= utf8.size(); i += 8) {
    const std::uint64_t word = load(utf8.data() + i);
    if ((word & kHighBits) == 0) continue;
    const std::uint64_t bit7 = word >> 7, bit6 = word >> 6, bit5 = word >> 5, bit4 = word >> 4;
    units -= count_ones(bit7 & ~bit6 & kLowBits);
    units += count_ones(bit7 & bit6 & bit5 & bit4 & kLowBits);
  }
  for (; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if ((byte & 0xC0) == 0x80) --units;
    if (byte >= 0xF0) ++units;
  }
  return units;
}

}  // namespace table_storage::edm
