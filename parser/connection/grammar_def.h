// The grammars. Internal to parser/connection; included by grammar.cpp alone, which pays for the templates.
//
//   pairs   = [ pair ] { ";" [ pair ] }
//   pair    = key "=" value                      -- the first "=" separates: keys of accounts end in "=="
//   address = scheme "://" host [ ":" port ] [ "/" path ] [ "?" query ]
//   host    = "[" IPv6 "]" | letters, digits, "-", ".", "_"
//
// Neither has quotes or escapes. Each rule's name completes the sentence "expected …".
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>

#include "parser/connection/ast_adapted.h"

namespace table_storage::connection::grammar {

namespace x3 = boost::spirit::x3;

// Sets by bytes: x3's own classes ask the C locale and assert on bytes from 0x80 up.
const auto blank = x3::char_(" \t\r\n");
// What may stand in a path or a query: visible ASCII but for quotes, '#' and '?'. A line break here could end
// a request line early.
const auto query_char = x3::char_("!\x24-\x5b\x5d\x5f\x61-\x7e");
const auto path_char = query_char - '?';

const x3::rule<struct equals_class> equals = "'=' behind the name";
const auto equals_def = x3::lit('=');
const x3::rule<struct key_class, std::string> key = "a name";
const auto key_def = +~x3::char_("=;");
const x3::rule<struct value_class, std::string> value = "a value";
const auto value_def = *~x3::char_(';');
const x3::rule<struct pair_class, ast::Pair> pair = "Name=value";
const auto pair_def = key > equals > value;
// Several semicolons in a row, and one at the end, separate nothing.
const auto separators = *(blank | ';');
const x3::rule<struct pairs_class, ast::Pairs> pairs = "Name=value";
const auto pairs_def = x3::omit[separators] >> *(pair >> x3::omit[separators]);

const x3::rule<struct scheme_class, std::string> scheme = "http:// or https://";
const auto scheme_def = +x3::char_("a-zA-Z");
const x3::rule<struct authority_class> authority = "://";
const auto authority_def = x3::lit("://");
const x3::rule<struct close_bracket_class> close_bracket = "the ] behind an IPv6 address";
const auto close_bracket_def = x3::lit(']');
const x3::rule<struct host_class, std::string> host = "the name of a host";
const auto host_def = (x3::lit('[') > +x3::char_("0-9a-fA-F:.") > close_bracket) | +x3::char_("a-zA-Z0-9._-");
const x3::rule<struct port_class, std::string> port = "the number of a port";
const auto port_def = x3::repeat(1, 5)[x3::char_("0-9")];
const x3::rule<struct path_class, std::string> path = "a path";
const auto path_def = x3::char_('/') >> *path_char;
const x3::rule<struct query_class, std::string> query = "a query";
const auto query_def = *(query_char | x3::char_('?'));
const x3::rule<struct end_class> end =
    "the end of the address (characters that are not plain must be percent-encoded)";
const auto end_def = x3::eoi;
const x3::rule<struct address_class, ast::Address> address = "http:// or https:// and the name of a host";
const auto address_def = scheme > authority > host > -(':' > port) > (path | x3::attr(std::string())) >
                         (('?' > query) | x3::attr(std::string())) > end;

BOOST_SPIRIT_DEFINE(equals, key, value, pair, pairs, scheme, authority, close_bracket, host, port, path,
                    query, end, address)

}  // namespace table_storage::connection::grammar
