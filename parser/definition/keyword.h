// A whole unquoted word, its ASCII letters in any case, as a Spirit X3 parser. Internal to parser/definition.
//
// Not x3::no_case: that asks the C locale, and asserts on bytes from 0x80 up, which names in UTF-8 have.
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>
#include <string_view>

#include "parser/definition/closest.h"

namespace table_storage::definition::grammar {

struct keyword : boost::spirit::x3::parser<keyword> {
  using attribute_type = boost::spirit::x3::unused_type;
  static constexpr bool has_attribute = false;

  /// `text` in lower case, with static lifetime.
  explicit constexpr keyword(std::string_view text) : text_(text) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    boost::spirit::x3::skip_over(first, last, context);
    Iterator i = first;
    for (char wanted : text_) {
      if (i == last || lower(*i) != wanted) return false;
      ++i;
    }
    if (i != last && is_word_char(*i)) return false;
    first = i;
    return true;
  }

  static constexpr bool is_word_char(char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '_' || l == '$' ||
           static_cast<unsigned char>(l) >= 0x80;
  }

  std::string_view text_;
};

}  // namespace table_storage::definition::grammar
