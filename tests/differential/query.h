// A statement of the test, in pieces that can be taken apart again to find out what it takes to fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/differential/random.h"
#include "tests/differential/scenario.h"

namespace table_storage::differential {

/// A Boolean expression. A leaf has text only; an inner node joins its parts.
struct Condition {
  std::string text;
  std::string glue;  // " AND " or " OR "; empty in a leaf
  bool negated = false;
  std::vector<Condition> parts;

  std::string sql() const;
};

/// Text, or a condition that the statement would also be legal without (then TRUE stands there).
struct Piece {
  std::string text;
  std::optional<Condition> condition;
};

struct Statement {
  enum class Kind : unsigned char { query, write, control };
  Kind kind = Kind::query;
  std::vector<Piece> pieces;  // with @k@ for the table f<k> or p<k>
  std::vector<std::vector<SqlValue>> bindings;
  bool ordered = false;  // the rows come in one order only
  bool loose = false;    // see canonical()
  bool direct = false;   // cannot run on a subquery instead of the table

  /// `naive`: every condition c as +(c), which means the same and gives SQLite nothing to plan with. That is
  /// for the side that must be right: SQLite itself (3.40.1 to 3.53.2) takes `text = number` for a reason to
  /// leave out ORDER BY text, though '5' and '05' both pass, and min() and max() then stop at the first of
  /// them.
  std::string sql(bool naive) const;
  Statement& add(std::string text);
  Statement& add(Condition condition);
};

/// Something a condition can be about.
struct ColumnRef {
  enum class Part : unsigned char { partition, row, timestamp, property, helper };
  std::string sql;        // a."Name"
  std::string qualified;  // the alias
  Part part = Part::property;
  std::size_t table = 0;   // in Scenario::tables
  std::size_t column = 0;  // in ForeignTable::columns, or in kHelperColumns

  bool is_key() const { return part == Part::partition || part == Part::row; }
};

/// The columns that FROM items offer, under the aliases that they have there.
using Scope = std::vector<ColumnRef>;
Scope scope_of(const Scenario& scenario, std::size_t table, const std::string& alias);
Scope helper_scope(const std::string& alias);

/// Writes random conditions for one statement and collects its parameters.
class ConditionWriter {
 public:
  ConditionWriter(Random& random, const Scenario& scenario, Statement& statement)
      : random_(random), scenario_(scenario), statement_(statement) {}

  Condition condition(const Scope& scope, unsigned depth = 0);
  /// Comparisons of one column of each side, as an ON clause has them.
  Condition join_condition(const Scope& left, const Scope& right);
  /// A value that has to do with the column: a literal, a parameter, a column, a subquery, an expression.
  std::string right_side(const ColumnRef& column, const Scope& scope);
  /// A literal or a parameter.
  std::string constant(const ColumnRef& column);
  const ColumnRef& pick(const Scope& scope);

 private:
  SqlValue value(const ColumnRef& column);
  Condition leaf(const Scope& scope);
  Condition key_range(const Scope& scope, unsigned depth);
  std::string comparison(const Scope& scope);
  std::string in_list(const Scope& scope);
  std::string pattern(const Scope& scope);
  std::string row_value(const Scope& scope);
  std::string slice_partner(const ColumnRef& column);
  std::string exists(const Scope& scope);
  std::string function(const Scope& scope);

  Random& random_;
  const Scenario& scenario_;
  Statement& statement_;
  unsigned nesting_ = 0;
};

/// Any SELECT.
Statement random_query(Random& random, const Scenario& scenario);
/// A run of INSERT, UPDATE, DELETE, savepoints and queries on the writable table.
std::vector<Statement> random_writes(Random& random, const Scenario& scenario, std::size_t count,
                                     bool has_delete_limit);

}  // namespace table_storage::differential
