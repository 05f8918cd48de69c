// What is grammatical in a $filter, before anything is known about meaning.
//
// An expression is a flat list: operands with the operators between them, as written. Precedence is applied
// by check(), which walks the list; so a chain of a hundred thousand terms costs no recursion, and a pair of
// parentheses costs the grammar one level instead of one a precedence level. Every token is a range of the
// text, which gives each its position.
#pragma once

#include <boost/fusion/include/adapt_struct.hpp>
#include <boost/range/iterator_range.hpp>
#include <boost/spirit/home/x3/support/ast/variant.hpp>
#include <string_view>
#include <vector>

namespace table_storage::odata::syntax {

/// A token, or several, of the filter's text.
using Text = boost::iterator_range<const char*>;
inline std::string_view view(const Text& text) {
  return {text.begin(), static_cast<std::size_t>(text.end() - text.begin())};
}

/// Operand without a structure of its own, as it was written.
struct Atom {
  enum class Kind {
    number,  ///< -5, 5L, 1.5e3, 5d, 5f, 5m, -INF
    hex,     ///< 0x0aff
    string,  ///< 'it''s', with the quotes
    typed,   ///< datetime'…', X'…' and so on, with prefix and quotes; any name may be the prefix
    word,    ///< true false null NaN INF
    path     ///< a property, or a path a/b or a.b, which this service does not have
  };
  Kind kind = Kind::word;
  Text text;
};

struct Call;
struct Expression;
/// An expression here stands in parentheses.
using Primary = boost::spirit::x3::variant<Atom, boost::spirit::x3::forward_ast<Call>,
                                           boost::spirit::x3::forward_ast<Expression>>;

struct Operand {
  std::vector<Text> prefixes;  // "not" and "-", the outermost first
  Primary primary;
};

struct Tail {
  Text op;  // or and eq ne gt ge lt le add sub mul div mod
  Operand operand;
};

struct Expression {
  Operand first;
  std::vector<Tail> rest;
};

struct Call {
  Text name;
  std::vector<Expression> arguments;
};

}  // namespace table_storage::odata::syntax

BOOST_FUSION_ADAPT_STRUCT(table_storage::odata::syntax::Atom, kind, text)
BOOST_FUSION_ADAPT_STRUCT(table_storage::odata::syntax::Operand, prefixes, primary)
BOOST_FUSION_ADAPT_STRUCT(table_storage::odata::syntax::Tail, op, operand)
BOOST_FUSION_ADAPT_STRUCT(table_storage::odata::syntax::Expression, first, rest)
BOOST_FUSION_ADAPT_STRUCT(table_storage::odata::syntax::Call, name, arguments)
