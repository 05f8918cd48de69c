// The grammars' entrances, with plain function faces: only grammar.cpp sees Spirit. Internal to
// parser/connection. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/connection/ast.h"

namespace table_storage::connection {

/// What the grammar wanted, and where it stopped as an offset into the text.
struct SyntaxError {
  std::string expected;
  std::size_t at;
};

/// Both throw SyntaxError.
ast::Pairs parse_pairs(std::string_view text);
ast::Address parse_address(std::string_view text);

}  // namespace table_storage::connection
