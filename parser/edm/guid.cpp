#include <cstring>

#include "parser/edm/digits.h"
#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

// Where the two digits of byte i stand in the dashed form.
constexpr std::array<std::uint8_t, 16> kDashed = {0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
constexpr std::size_t kPlainSize = 32;

}  // namespace

std::optional<GuidBytes> parse_guid(std::string_view text) {
  if (text.size() == kGuidTextSize + 2) {
    const bool braces = text.front() == '{' && text.back() == '}';
    const bool parentheses = text.front() == '(' && text.back() == ')';
    if (!braces && !parentheses) return std::nullopt;
    text = text.substr(1, kGuidTextSize);
  }
  const bool dashed = text.size() == kGuidTextSize;
  if (!dashed && text.size() != kPlainSize) return std::nullopt;
  if (dashed && (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-'))
    return std::nullopt;
  GuidBytes bytes;
  bool good = true;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    good &= detail::read_hex_pair(text.data() + (dashed ? kDashed[i] : 2 * i), bytes[i]);
  }
  if (!good) return std::nullopt;
  return bytes;
}

void format_guid(std::string_view bytes16, char (&out)[kGuidTextSize]) {
  for (std::size_t i = 0; i < kDashed.size(); ++i) detail::put_hex_pair(out + kDashed[i], bytes16[i]);
  out[8] = out[13] = out[18] = out[23] = '-';
}

std::string format_guid(std::string_view bytes16) {
  char text[kGuidTextSize];
  format_guid(bytes16, text);
  return {text, kGuidTextSize};
}

}  // namespace table_storage::edm
