// parse_filter: the text through the grammar, then through check().
#include <boost/spirit/home/x3.hpp>
#include <string>

#include "parser/edm/text.h"
#include "parser/odata/check.h"
#include "parser/odata/config.h"
#include "parser/odata/diagnosis.h"
#include "parser/odata/filter.h"
#include "parser/odata/grammar.h"

namespace table_storage::odata {
namespace {

// The grammar recurses once a pair of parentheses, so they are counted before it runs. A quote always begins
// or ends a constant (a doubled one does both), hence this sees the same parentheses as the grammar. A `)`
// too many ends the count: the grammar goes no further than that either.
void check_parentheses(std::string_view text) {
  int open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(' && ++open > kMaxDepth) {
      throw invalid(text, i,
                    "The filter nests deeper than " + std::to_string(kMaxDepth) + " levels of parentheses");
    }
    if (text[i] == ')' && --open < 0) return;
  }
}

std::size_t first_invalid_utf8(std::string_view text) {
  // Longest valid prefix, by halving: a prefix cut inside a character is invalid too, but only by its end.
  std::size_t first = 0;
  std::size_t last = text.size();
  while (last - first > 4) {
    std::size_t middle = first + (last - first) / 2;
    while (middle > first && (static_cast<unsigned char>(text[middle]) & 0xC0u) == 0x80) --middle;
    if (middle == first) break;
    if (edm::is_valid_utf8(text.substr(first, middle - first))) {
      first = middle;
    } else {
      last = middle;
    }
  }
  while (first < text.size()) {
    std::size_t size = 1;
    while (size <= 4 && !edm::is_valid_utf8(text.substr(first, size))) ++size;
    if (size > 4) break;
    first += size;
  }
  return first;
}

}  // namespace

Filter parse_filter(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (!edm::is_valid_utf8(text)) {
    const std::size_t at = first_invalid_utf8(text);
    throw Error(Error::Kind::invalid, "InvalidInput",
                "The filter is not valid UTF-8 (from byte " + std::to_string(at) + " on)")
        .at(at);
  }
  if (skip_spaces(begin, end) == end) {
    throw Error(Error::Kind::invalid, "InvalidInput",
                "The filter is empty; leave it out to get every entity, or write Name eq 'text'")
        .at(0);
  }
  check_parentheses(text);

  namespace x3 = boost::spirit::x3;
  syntax::Expression expression;
  grammar::Iterator at = begin;
  try {
    x3::phrase_parse(at, end, grammar::filter(), grammar::SpaceParser{}, expression);
  } catch (const x3::expectation_failure<grammar::Iterator>& failure) {
    throw syntax_error(text, static_cast<std::size_t>(failure.where() - begin), failure.which());
  }
  return check(expression, text);
}

}  // namespace table_storage::odata
