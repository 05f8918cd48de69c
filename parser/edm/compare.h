// How the service compares a property with a literal, in one table.
//
// Same type: by the order of the type (strings by UTF-16 code unit, Guid by its text, Binary byte by byte
// with a proper prefix smaller, false < true, DateTime by ticks, NaN below every number and equal to itself).
// An Int64 property widens an Int32 literal, a Double property widens Int32 and Int64 literals. Every other
// pair is a mismatch and behaves as if the property were smaller than the literal.
#pragma once

#include <compare>

#include "parser/edm/value.h"

namespace table_storage::edm {

enum class Pairing : unsigned char { same, widen, mismatch };

/// The table: how a literal of type `literal` meets a property of type `property`.
Pairing pairing(Type property, Type literal);

/// less, equivalent or greater; a mismatch is less. Both present.
std::weak_ordering compare(ValueView property, ValueView literal);

/// Order of two UTF-8 strings by UTF-16 code unit, which is the service's order of keys and strings. It
/// differs from byte order only where a supplementary character meets one of U+E000..U+FFFF.
std::weak_ordering compare_utf16(std::string_view a, std::string_view b);

}  // namespace table_storage::edm
