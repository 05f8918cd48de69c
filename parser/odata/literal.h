// From the text of a constant to its value. Pure functions: any thread.
#pragma once

#include <string_view>

#include "parser/edm/value.h"
#include "parser/odata/syntax.h"

namespace table_storage::odata {

/// The value of a number, hex, string or typed atom, or of `true` and `false`. Throws InvalidInput (400),
/// naming the text, for what does not fit its type and for types that no property has (Single, Decimal,
/// DateTimeOffset, Time, geography). `filter` is the whole text, for the position.
edm::Value read_literal(const syntax::Atom& atom, std::string_view filter);

}  // namespace table_storage::odata
