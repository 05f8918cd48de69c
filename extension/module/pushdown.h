// What may be sent to a backend: the translation of SQL conditions into key ranges and $filter.
//
// The rule. A backend may only be asked for a superset of the rows that the SQL condition accepts; SQLite
// tests every row again. So a translation is right if no row that SQLite would accept is left out, and it may
// be loose everywhere else. All knowledge about that stands in this part and nowhere else:
//
// * The right-hand side arrives without affinity. SQLite compares under the affinity of both sides, and a
// module
//   never learns that of the right one: `PartitionKey = 5` compares texts ('5'), but `PartitionKey = n.i`
//   with an INTEGER column n.i compares numbers, where '05' equals 5 as well. A numeric right side of a text
//   column is therefore taken as "either": for keys the range of everything that can look like a number, for
//   properties nothing. A text right side is text, except that in `key < t`, with t from a column of numeric
//   affinity that happens to hold text, every key that looks like a number is smaller: upper bounds of texts
//   that are neither literals nor parameters are widened to include those.
// * Collation belongs to the condition, not to the column: the planner offers only conditions under the
// column's
//   own collation (planner.cpp). DATETIME columns compare instants, GUID columns fold case; the service does
//   the same with its typed literals.
// * SQLite orders text by UTF-8 bytes, the service by UTF-16 units. Both agree as long as the bound has no
//   character from U+E000 up; bounds of property filters are cut before the first such character. A database
//   in UTF-16 has an order of its own: there text is pushed for equality only.
// * The service compares by type (edm/compare.h): a literal of the wrong type counts as greater than the
// property.
//   An Int32 literal meets Int32, Int64 and Double properties, so it is used wherever the bound fits; a bound
//   with a fraction becomes the integer next to it on the loose side; beyond Int32 the Int64 literal misses
//   Int32 properties only for lower bounds below their range, where an alternative takes them in.
// * NULL on the right of =, <, >, IN, LIKE, GLOB is never true.
// * Each service has quirks of its own (dialect.h).
// * <> is sent where the literal's type covers every equal value; IS NULL, IS NOT and ANY columns stay with
// SQLite.
// * LIKE folds ASCII case: its prefix becomes the range from the upper-case to past the lower-case form, cut
// before
//   the first character that is not ASCII. That assumes SQLite's own LIKE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/module/column.h"
#include "extension/sqlite.h"
#include "parser/odata/filter.h"
#include "parser/plan/plan.h"

namespace table_storage::module {

/// How the database orders text.
struct TextOrder {
  bool utf8 = true;  // false: PRAGMA encoding is one of the UTF-16 forms
  /// False where the backend bounds keys in another order than such a database: then only equality narrows
  /// them.
  bool key_ranges = true;
};

/// The right-hand side of a condition at run time.
struct RightSide {
  sqlite3_value* value = nullptr;  // for IN: the handle of the list
  bool literal = false;            // a literal of the query (plan::Argument::literal)
};

/// What one condition narrows a scan to.
struct Narrowing {
  enum class Kind : unsigned char {
    never,   // no row can satisfy it
    always,  // nothing to send
    filter
  };
  Kind kind = Kind::always;
  std::optional<odata::Filter> filter;
};

/// A condition on Timestamp or a property.
Narrowing narrow_property(const Column& column, plan::Operator op, const RightSide& right, TextOrder order);

/// The values one key column can have: a set of points, or one range.
class KeyDomain {
 public:
  explicit KeyDomain(TextOrder order) : order_(order) {}

  void narrow(plan::Operator op, const RightSide& right);

  bool empty() const { return never_ || (points_ && points_->empty()); }
  /// Ascending and disjoint; a point is a range from a value to itself.
  std::vector<backend::TextRange> ranges() const;
  /// One range around all of it.
  backend::TextRange hull() const;
  bool is_point() const { return !never_ && points_ && points_->size() == 1; }
  bool is_all() const { return !never_ && !points_ && !range_.lower && !range_.upper; }

 private:
  void narrow_to(std::vector<std::string> points);
  void narrow_to(const backend::TextRange& range);
  void narrow_single(plan::Operator op, sqlite3_value* value, bool trusted);
  void drop_points_outside_range();

  TextOrder order_;
  bool never_ = false;
  std::optional<std::vector<std::string>> points_;
  backend::TextRange range_;
};

/// Key ranges of a scan from the domains of both keys, in key order. More than kMaxKeyRanges combinations, or
/// several row ranges under a partition range, are covered by the hull of the row keys.
inline constexpr std::size_t kMaxKeyRanges = 20'000;
std::vector<backend::KeyRange> combine(const KeyDomain& partition, const KeyDomain& row);

/// Elements of IN lists up to this number are sent as alternatives of a property filter.
inline constexpr std::size_t kMaxAlternatives = 64;

/// True for a value that came in through sqlite3_bind: no column's affinity belongs to it if it is text.
bool is_bound(sqlite3_value* value);

}  // namespace table_storage::module
