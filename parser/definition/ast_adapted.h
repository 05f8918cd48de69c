// The members of the syntax tree in the order in which the grammar meets them. Internal to parser/definition.
#pragma once

#include <boost/fusion/include/adapt_struct.hpp>

#include "parser/definition/ast.h"

BOOST_FUSION_ADAPT_STRUCT(table_storage::definition::ast::Name, text, quoted)
BOOST_FUSION_ADAPT_STRUCT(table_storage::definition::ast::OptionItem, name, value)
BOOST_FUSION_ADAPT_STRUCT(table_storage::definition::ast::TypeName, edm_prefix, name, precision, lengths)
BOOST_FUSION_ADAPT_STRUCT(table_storage::definition::ast::ColumnClause, name, type, options)
