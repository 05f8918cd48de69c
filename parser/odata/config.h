// The iterator and the skipper that the filter grammar is instantiated with.
#pragma once

#include <boost/spirit/home/x3/core/parser.hpp>
#include <boost/spirit/home/x3/core/skip_over.hpp>
#include <boost/spirit/home/x3/support/context.hpp>
#include <boost/spirit/home/x3/support/unused.hpp>

#include "parser/odata/characters.h"

namespace table_storage::odata::grammar {

using Iterator = const char*;

/// Skipper: white space of any kind between tokens.
struct SpaceParser : boost::spirit::x3::parser<SpaceParser> {
  using attribute_type = boost::spirit::x3::unused_type;
  static constexpr bool has_attribute = false;

  template <typename Context, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, boost::spirit::x3::unused_type,
             Attribute&) const {
    const Iterator end = skip_spaces(first, last);
    if (end == first) return false;
    first = end;
    return true;
  }
};

using Context = boost::spirit::x3::phrase_parse_context<SpaceParser>::type;

}  // namespace table_storage::odata::grammar
