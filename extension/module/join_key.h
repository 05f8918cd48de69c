// When a row can match the right side of `column = value`, as a hash.
//
// A hash table over kept rows may give too many rows, since SQLite tests each of them again; it must not give
// too few. So the hash of a row and that of a right side agree wherever SQLite could call the two equal, and
// that depends on things that a module cannot see: the affinity of the right side decides whether a text
// column is compared as text or as a number (pushdown.h has the rule). There are therefore two ways to hash a
// row:
//
// exact    by what the column shows: the bytes of a text, the instant of a DATETIME, the 16 bytes of a GUID,
//          the exact number (1 and 1.0 are one number, 2^53 and 2^53 + 1 are two)
// numeric  a text that looks like a number by the whole number next to it, for a right side that is a whole
//          number: '5', '05', ' 5.0' and 5.2 share a place. Only for STRING, key and ANY columns.
//
// A right side that fits neither (5.5 against a text column, '5.5' against an INTEGER one) is open: every row
// has to be looked at. A right side that nothing can equal is never. NULL equals only NULL, and only for IS.
//
// Pure functions: any thread.
#pragma once

#include <cstdint>

#include "extension/module/column.h"
#include "extension/sqlite.h"
#include "parser/edm/value.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

struct RightKey {
  enum class Kind : unsigned char { exact, numeric, open, never };
  Kind kind = Kind::open;
  std::uint64_t hash = 0;  // only of exact and numeric
};

/// Of `column = value` or `column IS value`.
RightKey right_key(const Column& column, plan::Operator op, sqlite3_value* value);

/// Of what the column shows for the property value `stored`, which may be missing or of another type (both
/// show NULL).
std::uint64_t row_hash(const Column& column, RightKey::Kind kind, edm::ValueView stored);

}  // namespace table_storage::module
