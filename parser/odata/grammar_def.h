// Definition of the $filter grammar.
//
//   filter     = expression end
//   expression = operand { operator operand }
//   operand    = { "not" | "-" } primary
//   primary    = number | hex | string | word | typed | call | path | "(" expression ")"
//   call       = path "(" [ expression { "," expression } ] ")"      -- the parenthesis touches the name
//   path       = name { ( "/" | "." ) name }
//
// As in the library that the service uses, tokens are cut greedily (`5le` is `5l` `e`), a `-` in front of a
// number belongs to it, white space is needed only where two tokens would fuse, and operator words are
// operators by their place alone: `mod eq 5` compares a property called mod. Only not, true, false, null, NaN
// and INF can never be names.
//
// The names of the rules are read by people, in "expected …".
#pragma once

#include <boost/spirit/home/x3.hpp>

#include "parser/odata/config.h"
#include "parser/odata/diagnosis.h"
#include "parser/odata/grammar.h"
#include "parser/odata/operators.h"

namespace table_storage::odata::grammar {

namespace x3 = boost::spirit::x3;
using syntax::Atom;
using syntax::Call;
using syntax::Expression;
using syntax::Operand;
using syntax::Primary;
using syntax::Tail;
using syntax::Text;

// --- Characters ----------------------------------------------------------------------------------

/// One name; X3 has no notion of UTF-8, so this reads it.
struct NameParser : x3::parser<NameParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <typename SomeContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const SomeContext& context, x3::unused_type,
             Attribute&) const {
    x3::skip_over(first, last, context);
    const Iterator end = skip_name(first, last);
    if (end == first) return false;
    first = end;
    return true;
  }
};

/// Nothing, where no name goes on: keeps `note` from being read as `not` `e`.
struct NameEndParser : x3::parser<NameEndParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <typename SomeContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const SomeContext&, x3::unused_type, Attribute&) const {
    return first == last || !continues_name(read_character(first, last).code);
  }
};

const NameParser name{};
const NameEndParser name_end{};

// --- Tokens --------------------------------------------------------------------------------------

// A parser with a name for the error message.
template <typename Id, typename Subject>
auto named(const char* what, const Subject& subject) {
  return x3::rule<Id, x3::unused_type>{what} = subject;
}

// A token that becomes an Atom: its kind and the text as written.
template <typename Id, typename Subject>
auto atom(Atom::Kind kind, const Subject& subject) {
  return x3::rule<Id, Atom>{"an operand"} = x3::attr(kind) >> x3::raw[subject];
}

const auto decimal = named<struct DecimalClass>("a digit after the decimal point", x3::char_('0', '9'));
const auto exponent = named<struct ExponentClass>("a digit of the exponent", x3::char_('0', '9'));
const auto closing_quote = named<struct QuoteClass>("the closing quote (')", x3::lit('\''));
const auto member = named<struct MemberClass>("a property name after '/' or '.'", name);

const auto hex_start = x3::lit("0x") | x3::lit("0X");
const auto fraction = x3::lit('.') > decimal > *x3::char_('0', '9');
const auto power = x3::char_("eE") > -x3::char_("+-") > exponent > *x3::char_('0', '9');
const auto digits =
    x3::lexeme[!hex_start >> +x3::char_('0', '9') >> -fraction >> -power >> -x3::char_("mMdDlLfF")];
const auto infinity = x3::lexeme["INF" >> -x3::char_("fF") >> name_end];
const auto not_a_number = x3::lexeme["NaN" >> -x3::char_("fF") >> name_end];

const auto unsigned_number = digits | infinity | not_a_number;
const auto number = atom<struct NumberClass>(Atom::Kind::number, -x3::lit('-') >> unsigned_number);
const auto hex = atom<struct HexClass>(
    Atom::Kind::hex,
    x3::lexeme[hex_start >> *(x3::char_('0', '9') | x3::char_('a', 'f') | x3::char_('A', 'F'))]);
const auto string = atom<struct StringClass>(
    Atom::Kind::string, x3::lexeme[x3::lit('\'') > *((x3::char_ - '\'') | "''") > closing_quote]);
// The text of a typed literal ends at the next quote: there is no doubling inside.
const auto typed = atom<struct TypedClass>(
    Atom::Kind::typed, x3::lexeme[(name >> x3::lit('\'')) > *(x3::char_ - '\'') > closing_quote]);
const auto word = atom<struct WordClass>(
    Atom::Kind::word, x3::lexeme[(x3::lit("true") | x3::lit("false") | x3::lit("null")) >> name_end]);

const auto names = name >> *((x3::lit('/') | '.') > member);
const auto path = atom<struct PathClass>(Atom::Kind::path, names);

// The library takes a name for a function only if the parenthesis touches it.
const auto call_name = x3::rule<struct CallNameClass, Text>{"a function"} =
    x3::raw[names] >> x3::no_skip[x3::lit('(')];

const auto not_operator = x3::lexeme["not" >> name_end];
const auto minus_operator = x3::lit('-') >> !unsigned_number;
const auto prefix = x3::rule<struct PrefixClass, Text>{"not or -"} = x3::raw[not_operator | minus_operator];

inline x3::symbols<> operator_words() {
  x3::symbols<> words;
  for (const OperatorWord& known : kOperatorWords) words.add(std::string(known.word));
  return words;
}
const auto infix = x3::rule<struct InfixClass, Text>{"an operator"} =
    x3::raw[x3::lexeme[operator_words() >> name_end]];

const auto end = named<struct EndClass>(kExpectEnd, x3::eoi);
const auto closing = named<struct ClosingClass>(kExpectClosing, x3::lit(')'));
const auto closing_call = named<struct ClosingCallClass>(kExpectClosingCall, x3::lit(')'));

// --- Rules ---------------------------------------------------------------------------------------

const FilterRule filter_rule = "a filter";
const x3::rule<struct ExpressionClass, Expression> expression = "an expression";
const x3::rule<struct OperandClass, Operand> operand = "an operand";
const x3::rule<struct PrimaryClass, Primary> primary = kExpectOperand;
const x3::rule<struct CallClass, Call> call = "a function call";
const x3::rule<struct ArgumentsClass, std::vector<Expression>> arguments = "arguments";
const x3::rule<struct TailClass, Tail> tail = "an operator";

const auto filter_rule_def = expression > end;
const auto expression_def = operand >> *tail;
const auto tail_def = infix > operand;
const auto operand_def = *prefix > primary;
const auto primary_def = number | hex | string | word | typed | call | path | ('(' > expression > closing);
const auto call_def = call_name > arguments > closing_call;
const auto arguments_def = (&x3::lit(')') >> x3::attr(std::vector<Expression>{})) | (expression % ',');

BOOST_SPIRIT_DEFINE(filter_rule, expression, operand, primary, call, arguments, tail)

}  // namespace table_storage::odata::grammar
