// The members of the syntax tree in the order in which the grammar meets them. Internal to parser/connection.
#pragma once

#include <boost/fusion/include/adapt_struct.hpp>

#include "parser/connection/ast.h"

BOOST_FUSION_ADAPT_STRUCT(table_storage::connection::ast::Pair, key, value)
BOOST_FUSION_ADAPT_STRUCT(table_storage::connection::ast::Address, scheme, host, port, path, query)
