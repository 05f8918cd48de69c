// The grammar's entrance, with a plain function face: only grammar.cpp sees Spirit. Internal to parser/fdw.
// Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/fdw/ast.h"

namespace table_storage::fdw {

/// What the grammar wanted and where it stopped; `position` stands behind blanks.
struct SyntaxError {
  std::string expected;
  std::size_t position;
};

// The expectations that the messages say more about. Words in capitals are words of the language: a misspelt
// one is compared with those.
inline constexpr const char* kExpectedStatement = "CREATE, ALTER, DROP or IMPORT FOREIGN SCHEMA";
inline constexpr const char* kExpectedCreate = "SERVER, USER MAPPING or FOREIGN TABLE after CREATE";
inline constexpr const char* kExpectedAlter = "SERVER, USER MAPPING or FOREIGN TABLE after ALTER";
inline constexpr const char* kExpectedDrop = "SERVER, USER MAPPING or FOREIGN TABLE after DROP";
inline constexpr const char* kExpectedTable = "TABLE after FOREIGN";
inline constexpr const char* kExpectedUser = "CURRENT_USER, USER or PUBLIC";
inline constexpr const char* kExpectedOptionEnd = "a comma or ) after the option";
inline constexpr const char* kExpectedColumnChange = "TYPE or OPTIONS (...) after the column";
inline constexpr const char* kExpectedTableChange =
    "ADD COLUMN, DROP COLUMN, ALTER COLUMN, OPTIONS (...), RENAME COLUMN or RENAME TO";
inline constexpr const char* kExpectedServerChange = "OPTIONS (...), VERSION or RENAME TO";

/// Reads a text whose comments are blanks already. Columns are left as text. Throws SyntaxError.
std::vector<ScriptStatement> parse_statements(std::string_view text);

}  // namespace table_storage::fdw
