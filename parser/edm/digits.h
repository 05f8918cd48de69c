// Tables for turning digits into numbers and back, shared by the text forms. Constant data: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace table_storage::edm::detail {

/// "00" "01" … "99", two characters an entry.
inline constexpr std::array<char, 200> kDecimalPairs = [] {
  std::array<char, 200> table{};
  for (unsigned i = 0; i < 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

/// "00" "01" … "ff", two characters an entry.
inline constexpr std::array<char, 512> kHexPairs = [] {
  constexpr char digits[] = "0123456789abcdef";
  std::array<char, 512> table{};
  for (unsigned i = 0; i < 256; ++i) {
    table[2 * i] = digits[i / 16];
    table[2 * i + 1] = digits[i % 16];
  }
  return table;
}();

/// Value of a hex digit, kNoDigit for every other character.
inline constexpr std::uint8_t kNoDigit = 0xFF;
inline constexpr std::array<std::uint8_t, 256> kHexValues = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    table[i] = kNoDigit;
    if (i >= '0' && i <= '9') table[i] = static_cast<std::uint8_t>(i - '0');
    if (i >= 'a' && i <= 'f') table[i] = static_cast<std::uint8_t>(i - 'a' + 10);
    if (i >= 'A' && i <= 'F') table[i] = static_cast<std::uint8_t>(i - 'A' + 10);
  }
  return table;
}();

inline void put_decimal_pair(char* out, unsigned value) { std::memcpy(out, &kDecimalPairs[2 * value], 2); }
inline void put_hex_pair(char* out, char byte) {
  std::memcpy(out, &kHexPairs[2 * std::size_t{static_cast<unsigned char>(byte)}], 2);
}

/// Reads two hex digits; false if one of them is not.
inline bool read_hex_pair(const char* in, char& byte) {
  const std::uint8_t high = kHexValues[static_cast<unsigned char>(in[0])];
  const std::uint8_t low = kHexValues[static_cast<unsigned char>(in[1])];
  byte = static_cast<char>(static_cast<unsigned char>((high << 4) | low));
  return (high | low) < 16;  // kNoDigit has the high bits set
}

}  // namespace table_storage::edm::detail
