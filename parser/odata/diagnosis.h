// Errors of a filter: every one has a position and shows the text around it. Pure functions: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/error.h"

namespace table_storage::odata {

// What the grammar can miss, in the words of the error.
inline constexpr const char* kExpectOperand = "a property name, a constant, not, '-' or '('";
inline constexpr const char* kExpectEnd =
    "a comparison operator (eq, ne, gt, ge, lt, le), and, or, or the end of the filter";
inline constexpr const char* kExpectClosing =
    "a comparison operator (eq, ne, gt, ge, lt, le), and, or, or ')'";
inline constexpr const char* kExpectClosingCall = "an operator, ',' or ')'";

/// `text` in double quotes; long text is cut around byte `position`, at character boundaries, with … for the
/// rest.
std::string quote_around(std::string_view text, std::size_t position);
/// `text` as it may stand inside a sentence: cut after some 60 bytes.
std::string shorten(std::string_view text);

/// 400 InvalidInput: `Syntax error at position 9 in "Priority 5": expected …`, with a hint where a usual slip
/// is recognised (operators in capitals or as symbols, double quotes, `+5`). `position` is 0-based, in bytes;
/// white space from there on is passed over.
Error syntax_error(std::string_view text, std::size_t position, std::string_view expected);

/// 400 InvalidInput and 501 NotImplemented for a filter that is grammatical: `<message> (at position 2 in
/// "…")`.
Error invalid(std::string_view text, std::size_t position, const std::string& message);
Error not_implemented(std::string_view text, std::size_t position, const std::string& message);

}  // namespace table_storage::odata
