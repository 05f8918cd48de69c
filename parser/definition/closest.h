// Names as people write and mistype them: comparison without case and "did you mean". Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace table_storage::definition {

/// ASCII only, as SQLite folds identifiers.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool equal_without_case(std::string_view a, std::string_view b);

/// Number of insertions, deletions, replacements and swaps of neighbours that turn one into the other,
/// without case. Texts longer than 64 bytes are infinitely far from everything.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The choice that `name` was probably meant to be: at most a third of its letters are wrong, and three at
/// most. Empty if there is none.
std::string_view closest(std::string_view name, std::span<const std::string_view> choices);

/// Text for an error message: at most `limit` bytes, cut between characters and marked with "...", blanks and
/// control characters shown as one space.
std::string excerpt(std::string_view text, std::size_t limit);

}  // namespace table_storage::definition
