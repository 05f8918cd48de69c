// The grammar's entrances, with plain function faces: only grammar.cpp sees Spirit.
// Internal to parser/definition. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "parser/definition/ast.h"

namespace table_storage::definition {

/// What the grammar wanted and where it stopped; `at` stands behind blanks and comments.
struct SyntaxError {
  std::string expected;
  const char* at;
};

// The expectations that the messages say more about.
inline constexpr const char* kExpectedColumn = "a column";  // and there is a table constraint
inline constexpr const char* kExpectedType = "the type of the column";
inline constexpr const char* kExpectedColumnEnd = "OPTIONS (...) or the end of the argument";
inline constexpr const char* kExpectedOptions = "(name 'value')";
inline constexpr const char* kExpectedValue = "a value in quotes";

/// Reads one whole argument. Names in the tree point into `text`. Throws SyntaxError.
ast::Argument parse_argument(std::string_view text);
/// Reads a text that can be nothing but a column, whatever it is called. Throws SyntaxError.
ast::ColumnClause parse_column(std::string_view text);

/// The words of a constraint that start at `text`, upper case ("NOT NULL", "PRIMARY KEY"); empty if none
/// does.
std::string constraint_at(std::string_view text);

/// True if the text starts with the unquoted word (ASCII letters of any case) and the word ends there.
bool starts_with_word(std::string_view text, std::string_view word);

}  // namespace table_storage::definition
