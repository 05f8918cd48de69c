// Sentences about what is wrong with a script. Internal to parser/fdw. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/error.h"

namespace table_storage::fdw {

/// "line 3, column 7: message".
Error invalid(std::string_view text, std::size_t position, const std::string& message);

/// The same for what the grammar could not read: "expected … before `…`", and what was probably meant.
Error syntax_error(std::string_view text, std::size_t position, const std::string& expected);

}  // namespace table_storage::fdw
