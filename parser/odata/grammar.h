// The X3 grammar of $filter, as one rule; defined in grammar_def.h, instantiated in grammar.cpp only.
#pragma once

#include <boost/spirit/home/x3/nonterminal/rule.hpp>

#include "parser/odata/syntax.h"

namespace table_storage::odata::grammar {

/// A whole filter, to the end of the text. Throws boost::spirit::x3::expectation_failure<Iterator> whose
/// which() is what was expected, in words.
struct FilterClass;
using FilterRule = boost::spirit::x3::rule<FilterClass, syntax::Expression>;
BOOST_SPIRIT_DECLARE(FilterRule)
FilterRule filter();

}  // namespace table_storage::odata::grammar
