// The smallest parsers of the grammar: words, names, ends, text of a column. Internal to parser/fdw.
//
// They are parsers of their own, not rules, since each place wants its own sentence in "expected …", and a
// rule is one type for one sentence.
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>
#include <string_view>

#include "parser/definition/grammar_def.h"
#include "parser/fdw/ast_adapted.h"

namespace table_storage::fdw::grammar {

namespace x3 = boost::spirit::x3;
using definition::grammar::keyword;

struct Origin;  // in the context, const char*: where the text starts

template <typename Context>
std::size_t offset(const Context& context, const char* at) {
  return static_cast<std::size_t>(at - x3::get<Origin>(context));
}

const auto space = x3::char_(" \t\n\r\f\v");

/// One word of the language that must stand here; a peeked one is left for what reads on.
struct Word : x3::parser<Word> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  /// `lower` is the word in lower case; both have static lifetime.
  constexpr Word(const char* expected, std::string_view lower, bool peeked = false)
      : what(expected), word(lower), peek(peeked) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rule,
             Attribute& attribute) const {
    const Iterator start = first;
    if (!word.parse(first, last, context, rule, attribute)) return false;
    if (peek) first = start;
    return true;
  }

  const char* what;
  keyword word;
  bool peek;
};

/// Nothing, where the statement may end.
struct End : x3::parser<End> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  explicit constexpr End(const char* expected) : what(expected) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    x3::skip_over(first, last, context);
    return first == last || *first == ';';
  }

  const char* what;
};

/// One character that must stand here.
struct Mark : x3::parser<Mark> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  constexpr Mark(const char* expected, char c) : what(expected), mark(c) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    x3::skip_over(first, last, context);
    if (first == last || *first != mark) return false;
    ++first;
    return true;
  }

  const char* what;
  char mark;
};

const x3::rule<struct any_name_class, Name> any_name = "a name";
const auto any_name_def = definition::grammar::name_def;

// Words that a forgotten name would make of what follows. PostgreSQL reserves them too, and more; those are
// names here, since services have tables called User and Order.
const x3::rule<struct reserved_class> reserved = "a word of the language";
const auto reserved_def = keyword("foreign") | keyword("from") | keyword("into") | keyword("limit") |
                          keyword("except") | keyword("to") | keyword("for") | keyword("table") |
                          keyword("create");
BOOST_SPIRIT_DEFINE(any_name, reserved)

struct NameOf : x3::parser<NameOf> {
  using attribute_type = Name;
  static constexpr bool has_attribute = true;

  /// `free`: nothing but a name can stand here, so that any word is one.
  explicit constexpr NameOf(const char* expected, bool is_free = false) : what(expected), free(is_free) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&,
             Attribute& attribute) const {
    x3::skip_over(first, last, context);
    const Iterator start = first;
    Iterator probe = first;
    if (!free && reserved.parse(probe, last, context, x3::unused, x3::unused)) return false;
    Name name;
    if (!any_name.parse(first, last, context, x3::unused, name)) return false;
    name.position = offset(context, start);
    x3::traits::move_to(std::move(name), attribute);
    return true;
  }

  const char* what;
  bool free;
};

/// The definition of a column as text, up to a comma, parenthesis or semicolon that ends it. Quotes and
/// parentheses hide those; they may be unclosed, which parser/definition then explains.
struct ColumnText : x3::parser<ColumnText> {
  using attribute_type = definition::SourceText;
  static constexpr bool has_attribute = true;

  explicit constexpr ColumnText(const char* expected) : what(expected) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&,
             Attribute& attribute) const {
    x3::skip_over(first, last, context);
    Iterator i = first;
    Iterator text_end = first;
    std::size_t depth = 0;
    while (i != last) {
      const char c = *i;
      if (depth == 0 && (c == ',' || c == ')' || c == ';')) break;
      if (c == '(') ++depth;
      if (c == ')') --depth;
      ++i;
      if (c == '\'' || c == '"' || c == '`' || c == '[') {
        const char closing = c == '[' ? ']' : c;
        while (i != last && *i != closing) ++i;
        if (i != last) ++i;
      }
      if (static_cast<unsigned char>(c) > ' ') text_end = i;
    }
    if (text_end == first) return false;
    x3::traits::move_to(definition::SourceText{std::string(first, text_end), offset(context, first)},
                        attribute);
    first = text_end;
    return true;
  }

  const char* what;
};

template <typename Parser>
struct NamedInfo {
  using result_type = std::string;
  std::string operator()(const Parser& parser) const { return parser.what; }
};

}  // namespace table_storage::fdw::grammar

namespace boost::spirit::x3 {
template <>
struct get_info<table_storage::fdw::grammar::Word>
    : table_storage::fdw::grammar::NamedInfo<table_storage::fdw::grammar::Word> {};
template <>
struct get_info<table_storage::fdw::grammar::End>
    : table_storage::fdw::grammar::NamedInfo<table_storage::fdw::grammar::End> {};
template <>
struct get_info<table_storage::fdw::grammar::Mark>
    : table_storage::fdw::grammar::NamedInfo<table_storage::fdw::grammar::Mark> {};
template <>
struct get_info<table_storage::fdw::grammar::NameOf>
    : table_storage::fdw::grammar::NamedInfo<table_storage::fdw::grammar::NameOf> {};
template <>
struct get_info<table_storage::fdw::grammar::ColumnText>
    : table_storage::fdw::grammar::NamedInfo<table_storage::fdw::grammar::ColumnText> {};
}  // namespace boost::spirit::x3
