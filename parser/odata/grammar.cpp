// The one translation unit that pays for the templates of the $filter grammar.
#include "parser/odata/grammar_def.h"

namespace table_storage::odata::grammar {

BOOST_SPIRIT_INSTANTIATE(FilterRule, Iterator, Context)

FilterRule filter() { return filter_rule; }

}  // namespace table_storage::odata::grammar
