// Hex and base64. Base64 goes through OpenSSL, whose decoder is lenient about blanks and padding, so the text
// is checked first. Unused bits of the last digit are ignored, as .NET and with it every client of the
// service does.
#include <openssl/evp.h>

#include <algorithm>

#include "parser/edm/digits.h"
#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

// OpenSSL counts in int; a chunk is a whole number of 3-byte and 4-character groups.
constexpr std::size_t kEncodeChunk = std::size_t{3} << 20;
constexpr std::size_t kDecodeChunk = std::size_t{4} << 20;

unsigned char* as_bytes(char* p) { return reinterpret_cast<unsigned char*>(p); }
const unsigned char* as_bytes(const char* p) { return reinterpret_cast<const unsigned char*>(p); }

constexpr std::array<bool, 256> kBase64Alphabet = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

}  // namespace

std::optional<std::string> parse_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes(text.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!detail::read_hex_pair(text.data() + 2 * i, bytes[i])) return std::nullopt;
  }
  return bytes;
}

std::string format_hex(std::string_view bytes) {
  std::string text(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) detail::put_hex_pair(text.data() + 2 * i, bytes[i]);
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::string();
  std::size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  const std::string_view digits = text.substr(0, text.size() - padding);
  const bool good = std::all_of(digits.begin(), digits.end(),
                                [](char c) { return kBase64Alphabet[static_cast<unsigned char>(c)]; });
  if (!good) return std::nullopt;

  std::string bytes(text.size() / 4 * 3, '\0');
  char* out = bytes.data();
  for (std::size_t at = 0; at < text.size(); at += kDecodeChunk) {
    const std::size_t size = std::min(kDecodeChunk, text.size() - at);
    const int written = EVP_DecodeBlock(as_bytes(out), as_bytes(text.data() + at), static_cast<int>(size));
    if (written < 0) return std::nullopt;
    out += written;
  }
  bytes.resize(bytes.size() - padding);  // the padding decoded to zero bytes
  return bytes;
}

std::string format_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  char* out = text.data();
  for (std::size_t at = 0; at < bytes.size(); at += kEncodeChunk) {
    const std::size_t size = std::min(kEncodeChunk, bytes.size() - at);
    // It ends its output with a NUL: the next chunk overwrites it, the last one meets the string's own.
    out += EVP_EncodeBlock(as_bytes(out), as_bytes(bytes.data() + at), static_cast<int>(size));
  }
  return text;
}

}  // namespace table_storage::edm
