// The grammar of the plan language; plan.h has it in prose. Internal to parser/plan; included by grammar.cpp
// alone.
//
// Blanks count: a plan is written by print() and its words stand one blank apart, so there is no skipper, and
// a text that print() cannot have written is refused. Each rule's name completes the sentence "expected …".
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>
#include <utility>
#include <vector>

#include "parser/plan/plan_adapted.h"

namespace table_storage::plan::grammar {

namespace x3 = boost::spirit::x3;

/// Semantic action: puts what was read into one member of the Plan.
template <typename Member>
constexpr auto into(Member Plan::*member) {
  return [member](auto& context) { x3::_val(context).*member = std::move(x3::_attr(context)); };
}
constexpr auto access_by(Plan::Access access) {
  return [access](auto& context) { x3::_val(context).access = access; };
}

constexpr auto distinct_partitions() {
  return [](auto& context) { x3::_val(context).distinct_partitions = true; };
}

struct Operators : x3::symbols<Operator> {
  Operators() {
    for (Operator op : {Operator::eq, Operator::is, Operator::lt, Operator::le, Operator::gt, Operator::ge,
                        Operator::ne, Operator::like, Operator::glob, Operator::in})
      add(std::string(text_of(op)), op);
  }
};
const Operators operators;

const x3::rule<struct space_class> space = "a blank";
const auto space_def = x3::lit(' ');

const x3::rule<struct bare_class, std::string> bare = "a column";
const auto bare_def = x3::char_("a-zA-Z_") >> *x3::char_("a-zA-Z0-9_");
const x3::rule<struct close_quote_class> close_quote = "the closing \"";
const auto close_quote_def = x3::lit('"');
const x3::rule<struct quoted_class, std::string> quoted = "a column in quotes";
const auto quoted_def = ('"' >> *(~x3::char_('"') | (x3::lit('"') >> x3::char_('"')))) > close_quote;
const x3::rule<struct column_class, std::string> column = "a column";
const auto column_def = bare | quoted;

const x3::rule<struct operator_class, Operator> comparison = "an operator (= is < <= > >= <> like glob in)";
const auto comparison_def = operators;

// Nine digits hold any position that SQLite can number, and fit an int.
const x3::rule<struct position_class, int> position = "a number from 1";
const auto position_def = &x3::char_("1-9") >> x3::uint_parser<int, 10, 1, 9>() >> !x3::char_("0-9");
const x3::rule<struct argument_class, Argument> argument = "an argument, as ?1";
const auto argument_def = ('?' > position) >> x3::matches['!'];

const x3::rule<struct condition_class, Condition> condition = "a condition, as RowKey = ?1";
const auto condition_def = column > space > comparison > space > argument;

const x3::rule<struct conditions_class, std::vector<Condition>> conditions = "a condition, as RowKey = ?1";
const auto conditions_def = condition >> *(" and " > condition);
const x3::rule<struct row_class, std::vector<Condition>> row_condition = "a condition, as rowid = ?1";
const auto row_condition_def = x3::repeat(1)[condition];
const x3::rule<struct arguments_class, std::vector<Argument>> arguments = "an argument, as ?1";
const auto arguments_def = argument >> *(" and " > argument);
const x3::rule<struct columns_class, std::vector<std::string>> columns = "a column";
const auto columns_def = column >> *(", " > column);

const x3::rule<struct columns_or_none_class, std::vector<std::string>> fetched = "keys only, or a column";
const auto fetched_def = "keys only" | columns;

const x3::rule<struct no_access_class> no_access = "whole table, keys or row";
const auto no_access_def = x3::eps(false);
const x3::rule<struct end_class> end =
    "the end, or a clause: filter, match, odata, fetch, ordered by, distinct PartitionKey, limit, SQLite "
    "checks (in this order, "
    "each at "
    "most once)";
const auto end_def = x3::eoi;

// `>` binds weaker than `>>`: the parentheses keep each expectation on one rule, whose name the error shows.
const x3::rule<struct plan_class, Plan> plan = "a plan";
const auto plan_def =
    ((x3::lit("whole table")[access_by(Plan::Access::whole_table)] |
      (x3::lit("keys ")[access_by(Plan::Access::keys)] >> x3::expect[conditions][into(&Plan::keys)]) |
      (x3::lit("row ")[access_by(Plan::Access::row)] >> x3::expect[row_condition][into(&Plan::keys)]) |
      (x3::eps > no_access)) >>
     -("; filter " >> x3::expect[conditions][into(&Plan::filter)]) >>  //
     -("; match " >> x3::expect[conditions][into(&Plan::match)]) >>    //
     -("; odata " >> x3::expect[arguments][into(&Plan::odata)]) >>     //
     -("; fetch " >> x3::expect[fetched][into(&Plan::fetch)]) >>       //
     -("; ordered by " >> x3::expect[columns][into(&Plan::order)]) >>  //
     -(x3::lit("; distinct PartitionKey")[distinct_partitions()]) >>   //
     -(("; limit " >> x3::expect[argument][into(&Plan::limit)]) >>
       -(" offset " >> x3::expect[argument][into(&Plan::offset)])) >>
     -("; SQLite checks " >> x3::expect[columns][into(&Plan::rechecked)])) > end;

BOOST_SPIRIT_DEFINE(space, bare, close_quote, quoted, column, comparison, position, argument, condition,
                    conditions, row_condition, arguments, columns, fetched, no_access, end, plan)

}  // namespace table_storage::plan::grammar
