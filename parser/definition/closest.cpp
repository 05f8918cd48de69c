#include "parser/definition/closest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace table_storage::definition {

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 64;
  if (a.size() > kLongest || b.size() > kLongest) return std::numeric_limits<std::size_t>::max();
  // Rows i-2, i-1 and i of the usual table; i-2 is what a swap of neighbours looks back to.
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string_view closest(std::string_view name, std::span<const std::string_view> choices) {
  std::string_view best;
  std::size_t nearest = std::min<std::size_t>(3, std::max<std::size_t>(1, name.size() / 3)) + 1;
  for (std::string_view choice : choices) {
    // A replacement of every letter is no resemblance: short names must share some.
    const std::size_t distance = edit_distance(name, choice);
    if (distance < nearest && distance < choice.size()) {
      nearest = distance;
      best = choice;
    }
  }
  return best;
}

std::string excerpt(std::string_view text, std::size_t limit) {
  const bool cut = text.size() > limit;
  if (cut) {
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  std::string out;
  for (char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= 0x20U || c == 0x7F;
    if (!blank)
      out += c;
    else if (out.empty() || out.back() != ' ')
      out += ' ';
  }
  if (cut) out += "...";
  return out;
}

}  // namespace table_storage::definition
