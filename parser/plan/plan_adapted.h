// The parts of a plan in the order in which the grammar meets them; the syntax tree of the plan language is
// the Plan itself. Internal to parser/plan.
#pragma once

#include <boost/fusion/include/adapt_struct.hpp>

#include "parser/plan/plan.h"

BOOST_FUSION_ADAPT_STRUCT(table_storage::plan::Argument, position, literal)
BOOST_FUSION_ADAPT_STRUCT(table_storage::plan::Condition, column, op, argument)
