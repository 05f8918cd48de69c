// Bounds of text on which the orders of UTF-8 bytes (SQLite) and of UTF-16 units (the service) agree.
//
// The orders differ only where a supplementary character meets one of U+E000..U+FFFF, so a bound made of
// characters below U+D800 means the same in both, whatever it is compared with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace table_storage::edm {

/// The longest prefix of whole characters below U+D800.
std::string_view comparable_prefix(std::string_view text);

/// The smallest text above every text that starts with `prefix`, made of characters below U+D800; nullopt if
/// there is none. `prefix` is a comparable_prefix().
std::optional<std::string> prefix_successor(std::string_view prefix);

}  // namespace table_storage::edm
