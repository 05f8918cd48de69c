// From what is grammatical to what it means: precedence, types and what the service does not do.
#pragma once

#include <string_view>

#include "parser/odata/filter.h"
#include "parser/odata/syntax.h"

namespace table_storage::odata {

/// `text` is the filter that `expression` was read from. Throws as parse_filter() does.
Filter check(const syntax::Expression& expression, std::string_view text);

}  // namespace table_storage::odata
