#include "parser/edm/prefix.h"

#include <cstddef>

namespace table_storage::edm {

namespace {

void append_utf8(std::string& out, unsigned code_point) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  }
}

}  // namespace

std::string_view comparable_prefix(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const auto lead = static_cast<unsigned char>(text[end]);
    std::size_t length = 1;
    if (lead >= 0xEE) break;  // U+E000 and up
    if (lead >= 0xE0) {
      length = 3;
    } else if (lead >= 0xC0) {
      length = 2;
    } else if (lead >= 0x80) {
      break;  // not UTF-8
    }
    if (end + length > text.size()) break;
    bool whole = true;
    for (std::size_t i = 1; i < length; ++i) {
      whole = whole && (static_cast<unsigned char>(text[end + i]) & 0xC0) == 0x80;
    }
    if (!whole || (lead == 0xED && static_cast<unsigned char>(text[end + 1]) >= 0xA0)) break;
    end += length;
  }
  return text.substr(0, end);
}

std::optional<std::string> prefix_successor(std::string_view prefix) {
  while (!prefix.empty()) {
    std::size_t start = prefix.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(prefix[start]) & 0xC0) == 0x80) --start;
    const auto lead = static_cast<unsigned char>(prefix[start]);
    unsigned code_point = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1FU : lead & 0x0FU;
    for (std::size_t i = start + 1; i < prefix.size(); ++i) {
      code_point = (code_point << 6) | (static_cast<unsigned char>(prefix[i]) & 0x3FU);
    }
    prefix = prefix.substr(0, start);
    if (code_point + 1 < 0xD800) {
      std::string next(prefix);
      append_utf8(next, code_point + 1);
      return next;
    }
  }
  return std::nullopt;
}

}  // namespace table_storage::edm
