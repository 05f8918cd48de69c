// The entrance to the plan grammar with a plain function face: only grammar.cpp sees Spirit.
// Internal to parser/plan. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/plan/plan.h"

namespace table_storage::plan {

/// What the grammar wanted, and the byte at which it stopped.
struct SyntaxError {
  std::string expected;
  std::size_t position;
};

/// Reads the whole text. Throws SyntaxError. Which columns may stand in "keys" and "row" is not checked here.
Plan read_plan(std::string_view text);

}  // namespace table_storage::plan
