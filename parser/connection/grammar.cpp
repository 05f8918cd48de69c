#include "parser/connection/grammar.h"

#include "parser/connection/grammar_def.h"

namespace table_storage::connection {
namespace {

template <typename Rule, typename Result>
Result parse_whole(std::string_view text, const Rule& rule, Result result) {
  const char* first = text.data();
  const char* const last = first + text.size();
  try {
    if (grammar::x3::parse(first, last, rule, result) && first == last) return result;
    throw SyntaxError{rule.name, static_cast<std::size_t>(first - text.data())};
  } catch (const grammar::x3::expectation_failure<const char*>& failure) {
    throw SyntaxError{failure.which(), static_cast<std::size_t>(failure.where() - text.data())};
  }
}

}  // namespace

ast::Pairs parse_pairs(std::string_view text) { return parse_whole(text, grammar::pairs, ast::Pairs()); }

ast::Address parse_address(std::string_view text) {
  return parse_whole(text, grammar::address, ast::Address());
}

}  // namespace table_storage::connection
