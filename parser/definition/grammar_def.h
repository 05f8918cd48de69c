// The grammar of one argument. Internal to parser/definition; included by grammar.cpp alone, which pays for
// the templates.
//
//   argument = "SERVER" name | "OPTIONS" options | name type [ "OPTIONS" options ]
//   type     = [ "Edm" "." ] name [ "PRECISION" ] [ "(" length [ "," length ] ")" ]
//   options  = "(" name value { "," name value } ")"
//   name     = word | '"' … '"' | '`' … '`' | '[' … ']'      -- a closing quote is doubled, except ']'
//   value    = "'" … "'" | '"' … '"'
//
// Blanks and SQL comments may stand between any two tokens. Each rule's name completes the sentence "expected
// …".
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>
#include <vector>

#include "parser/definition/ast_adapted.h"
#include "parser/definition/grammar.h"
#include "parser/definition/keyword.h"

namespace table_storage::definition::grammar {

namespace x3 = boost::spirit::x3;

/// Notes where a name starts.
struct mark_position {
  template <typename Iterator, typename Attribute, typename Context>
  void on_success(const Iterator& first, const Iterator&, Attribute& attribute, const Context&) {
    if constexpr (requires { attribute.at = first; }) attribute.at = first;
  }
};
struct name_class : mark_position {};

// Character sets by bytes: x3's own space and no_case ask the C locale and assert on bytes from 0x80 up.
const auto word_start = x3::char_("a-zA-Z_\x80-\xff");
const auto word_char = x3::char_("a-zA-Z0-9_$\x80-\xff");

const auto line_comment = "--" >> *(x3::char_ - '\n') >> (x3::lit('\n') | x3::eoi);
const auto block_comment = "/*" >> *(x3::char_ - "*/") >> ("*/" | x3::eoi);
const auto blank = x3::char_(" \t\n\r\f\v") | line_comment | block_comment;

const x3::rule<struct bare_word_class, std::string> bare_word = "a name";
const auto bare_word_def = x3::lexeme[word_start >> *word_char];

// Text in quotes, with the closing quote doubled where it is meant. One rule each, since the name of the rule
// is what a reader of the error sees.
template <char quote>
const auto doubled = *(~x3::char_(quote) | (x3::lit(quote) >> x3::char_(quote)));
const x3::rule<struct close_double_class> close_double = "the closing \"";
const auto close_double_def = x3::lit('"');
const x3::rule<struct close_single_class> close_single = "the closing '";
const auto close_single_def = x3::lit('\'');
const x3::rule<struct close_backtick_class> close_backtick = "the closing `";
const auto close_backtick_def = x3::lit('`');
const x3::rule<struct close_bracket_class> close_bracket = "the closing ]";
const auto close_bracket_def = x3::lit(']');

const x3::rule<struct double_quoted_class, std::string> double_quoted = "text in double quotes";
const auto double_quoted_def = x3::lexeme[('"' >> doubled<'"'>) > close_double];
const x3::rule<struct single_quoted_class, std::string> single_quoted = "text in single quotes";
const auto single_quoted_def = x3::lexeme[('\'' >> doubled<'\''>) > close_single];
const x3::rule<struct backtick_quoted_class, std::string> backtick_quoted = "a name in backticks";
const auto backtick_quoted_def = x3::lexeme[('`' >> doubled<'`'>) > close_backtick];
const x3::rule<struct bracketed_class, std::string> bracketed = "a name in brackets";
const auto bracketed_def = x3::lexeme[('[' >> *~x3::char_(']')) > close_bracket];

const x3::rule<name_class, ast::Name> name = "a name";
const auto name_def =
    (bare_word >> x3::attr(false)) | ((double_quoted | backtick_quoted | bracketed) >> x3::attr(true));

const x3::rule<struct value_class, std::string> value = kExpectedValue;
const auto value_def = single_quoted | double_quoted;

const x3::rule<struct open_class> open = kExpectedOptions;
const auto open_def = x3::lit('(');
const x3::rule<struct close_options_class> close_options = ", or ) after the option";
const auto close_options_def = x3::lit(')');
const x3::rule<struct option_name_class, ast::Name> option_name = "the name of an option";
const auto option_name_def = name;
const x3::rule<struct option_class, ast::OptionItem> option = "an option (name 'value')";
const auto option_def = option_name > value;
const x3::rule<struct options_class, std::vector<ast::OptionItem>> options = "OPTIONS (...)";
const auto options_def = ((keyword("options") > open > option) >> *(',' > option)) > close_options;

const x3::rule<struct constraint_class> constraint = "a constraint";
const auto constraint_def = keyword("constraint") | keyword("not") | keyword("null") | keyword("primary") |
                            keyword("unique") | keyword("check") | keyword("default") | keyword("collate") |
                            keyword("references") | keyword("generated") | keyword("foreign") |
                            keyword("as") | keyword("autoincrement");
// As an argument of its own. A column may well be called Unique or Check: only what can be no column counts.
const x3::rule<struct table_constraint_class> table_constraint = "a table constraint";
const auto table_constraint_def = ((keyword("primary") | keyword("foreign")) >> keyword("key")) |
                                  ((keyword("unique") | keyword("check")) >> '(') |
                                  (keyword("constraint") >> name >> constraint);
const x3::rule<struct no_table_constraint_class> no_table_constraint = kExpectedColumn;
const auto no_table_constraint_def = !table_constraint;

const x3::rule<struct length_class, std::string> length = "a length, as in VARCHAR(10),";
const auto length_def =
    x3::lexeme[+x3::char_("0-9") >> !word_char] | (keyword("max") >> x3::attr(std::string("MAX")));
const x3::rule<struct close_length_class> close_length = ") after the length";
const auto close_length_def = x3::lit(')');
const x3::rule<struct lengths_class, std::vector<std::string>> lengths = "a length";
const auto lengths_def = (('(' > length) >> x3::repeat(0, 1)[',' > length]) > close_length;
const x3::rule<struct type_word_class, ast::Name> type_word = "a type";
const auto type_word_def = name;
const x3::rule<struct type_class, ast::TypeName> type = kExpectedType;
const auto type_def = !constraint >> !keyword("options") >>
                      ((keyword("edm") >> '.' >> x3::attr(true)) | x3::attr(false)) >> type_word
                      >> x3::matches[keyword("precision")] >> -lengths;

const x3::rule<struct column_end_class> column_end = kExpectedColumnEnd;
const auto column_end_def = x3::eoi;
const x3::rule<struct end_class> end = "the end of the argument";
const auto end_def = x3::eoi;
const x3::rule<struct column_name_class, ast::Name> column_name =
    "a column (name and type), SERVER or OPTIONS";
const auto column_name_def = name;
const x3::rule<struct column_class, ast::ColumnClause> column = "a column";
const auto column_def = ((x3::eps > column_name > type) >> -options) > column_end;

const x3::rule<struct server_name_class, ast::Name> server_name = "the name of the server";
const auto server_name_def = name;
const x3::rule<struct server_class, ast::ServerClause> server = "SERVER and its name";
const auto server_def = keyword("server") > server_name > end;

const x3::rule<struct options_clause_class, ast::OptionsClause> options_clause = "OPTIONS (...)";
const auto options_clause_def = options > end;

const x3::rule<struct argument_class, ast::Argument> argument = "a column, SERVER or OPTIONS";
const auto argument_def = x3::skip(blank)[x3::eps > no_table_constraint > (server | options_clause | column)];

const x3::rule<struct lone_column_class, ast::ColumnClause> lone_column = "a column (name and type)";
const auto lone_column_def = x3::skip(blank)[x3::eps > no_table_constraint > column];

BOOST_SPIRIT_DEFINE(bare_word, close_double, close_single, close_backtick, close_bracket, double_quoted,
                    single_quoted, backtick_quoted, bracketed, name, value, open, close_options, option_name,
                    option, options, constraint, table_constraint, no_table_constraint, length, close_length,
                    lengths, type_word, type, column_end, end, column_name, column, server_name, server,
                    options_clause, argument, lone_column)

}  // namespace table_storage::definition::grammar
