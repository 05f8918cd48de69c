// Syntax tree of one argument of CREATE VIRTUAL TABLE, as the grammar leaves it: nothing is checked against
// the list of types or against other arguments yet (table_definition.cpp does that). Internal to
// parser/definition.
#pragma once

#include <boost/spirit/home/x3/support/ast/variant.hpp>
#include <string>
#include <vector>

namespace table_storage::definition::ast {

struct Name {
  std::string text;  // quotes removed
  bool quoted = false;
  const char* at = nullptr;  // where it stands in the parsed text; valid as long as that is
};

struct OptionItem {
  Name name;
  std::string value;
};

struct TypeName {
  bool edm_prefix = false;  // Edm.Int32
  Name name;
  bool precision = false;            // DOUBLE PRECISION
  std::vector<std::string> lengths;  // (10), (10,2), (MAX)
};

struct ColumnClause {
  Name name;
  TypeName type;
  std::vector<OptionItem> options;
};

// Aliases, since X3 takes a struct of one member for the member itself.
using ServerClause = Name;
using OptionsClause = std::vector<OptionItem>;

using Argument = boost::spirit::x3::variant<ServerClause, OptionsClause, ColumnClause>;

}  // namespace table_storage::definition::ast
