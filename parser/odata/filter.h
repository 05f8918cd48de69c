// $filter of the Table service: what a filter means, its parser and its printer.
//
// A Filter is only what the service evaluates: comparisons of a property with a constant under not / and /
// or. The grammar reads more (functions, arithmetic, null, property to property), because the service does
// and answers those with a code of their own; parse_filter() does the same.
//
// Source: the OData v3 library that the service uses (lexer and UriQueryExpressionParser of its 5.6 release)
// and the page "Querying tables and entities".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/edm/value.h"

namespace table_storage::odata {

enum class Operator : unsigned char { eq, ne, gt, ge, lt, le };
std::string_view name_of(Operator op);

/// One node. A comparison has no operands; a negation has one; conjunction and disjunction have two or more.
struct Filter {
  enum class Kind : unsigned char { comparison, negation, conjunction, disjunction };

  Kind kind = Kind::comparison;
  std::string property;        // comparison only; case-sensitive, PartitionKey and so on too
  Operator op = Operator::eq;  // comparison only: property op literal
  edm::Value literal = edm::Value::boolean(true);  // comparison only
  std::vector<Filter> operands;

  static Filter compare(std::string property, Operator op, edm::Value literal);
  static Filter negate(Filter operand);
  /// One operand is returned as it is; none is not allowed.
  static Filter all_of(std::vector<Filter> operands);
  static Filter any_of(std::vector<Filter> operands);

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// Levels of nesting that parse_filter() accepts: a pair of parentheses is one, so is a function call, a
/// `not` or a unary minus; `not (…)` is one altogether. (The library's own limit of 800 counts every level of
/// precedence that it passes through, which leaves about a hundred pairs of parentheses: the service may
/// refuse earlier.)
inline constexpr int kMaxDepth = 800;

/// Reads a filter as the service does. `5 lt v` becomes `v gt 5`, a bare `v` becomes `v eq true`.
/// Throws Error: kind invalid, code InvalidInput (400) with position() and what was expected, for text that
/// does not parse, is not boolean, compares with null, compares PartitionKey or RowKey with anything but a
/// string or Timestamp with anything but a datetime, or nests deeper than kMaxDepth; kind unsupported, code
/// NotImplemented (501) for functions, arithmetic, property to property and constant to constant.
Filter parse_filter(std::string_view text);

/// Whether a property of that name can stand in a filter: an identifier (letter or `_`, then letters, digits,
/// `_` and so on, of the Basic Multilingual Plane) that is not one of not, true, false, null, NaN, INF.
bool can_name(std::string_view property);
/// The same, and not an operator word either. The service tells a property called `mod` or `or` from the
/// operator by its place; the emulator does not.
bool can_name_everywhere(std::string_view property);

/// Text that parse_filter() reads back as the same Filter. `not` is always followed by parentheses, because
/// the service reads `not a eq 5` as `(not a) eq 5`. Throws Error(invalid, PropertyNameInvalid) where
/// !can_name().
std::string print(const Filter& filter);
void print_literal(edm::ValueView literal, std::string& out);

}  // namespace table_storage::odata
