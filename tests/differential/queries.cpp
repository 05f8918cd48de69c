#include <sqlite3.h>

#include "tests/differential/query.h"

namespace table_storage::differential {

namespace {

/// Writes one SELECT. Every LIMIT stands behind a total order, and whatever SQLite may choose freely (which
/// of two equal values DISTINCT keeps, the order of a sum of reals) is kept out or compared loosely.
class QueryWriter {
 public:
  QueryWriter(Random& random, const Scenario& scenario)
      : random_(random), scenario_(scenario), write_(random, scenario, statement_) {}

  Statement query() {
    switch (random_.below(19)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        simple();
        break;
      case 5:
        aggregate();
        break;
      case 6:
        grouped();
        break;
      case 7:
        distinct();
        break;
      case 8:
      case 9:
      case 10:
        join();
        break;
      case 11:
        compound();
        break;
      case 12:
        common_table();
        break;
      case 13:
        window();
        break;
      case 14:
        correlated();
        break;
      case 15:
        extreme();
        break;
      case 16:
      case 17:
        view();
        break;
      default:
        by_rowid();
    }
    return std::move(statement_);
  }

 private:
  std::size_t any_table() { return random_.below(scenario_.tables.size()); }
  static std::string at(std::size_t table) { return '@' + std::to_string(table) + '@'; }

  /// Some columns, as a select list.
  std::string columns(const Scope& scope, std::size_t most = 5) {
    std::string out;
    for (std::size_t n = 1 + random_.below(most); n > 0; --n) {
      out += (out.empty() ? "" : ", ");
      const ColumnRef& column = write_.pick(scope);
      switch (random_.below(12)) {
        case 0:
          out += "typeof(" + column.sql + ')';
          break;
        case 1:
          out += column.sql + " = " + write_.right_side(column, scope);
          break;
        default:
          out += column.sql;
      }
    }
    return out;
  }

  static std::string keys(const Scope& scope) {
    std::string out;
    for (const ColumnRef& column : scope) {
      if (column.is_key()) out += (out.empty() ? "" : ", ") + column.sql;
      if (column.part == ColumnRef::Part::helper && column.column == 0) {
        out += (out.empty() ? "" : ", ") + column.qualified + ".id";
      }
    }
    return out;
  }

  /// ORDER BY with the keys as the last terms, perhaps with LIMIT: total, as the keys are unique.
  void order(const Scope& scope) {
    if (!random_.chance(60)) return;
    statement_.ordered = true;
    std::string text = " ORDER BY ";
    bool keys_alone = random_.chance(45);
    if (!keys_alone) {
      for (std::size_t n = 1 + random_.below(2); n > 0; --n) {
        text += write_.pick(scope).sql;
        if (random_.chance(8)) text += " COLLATE NOCASE";
        if (random_.chance(40)) text += " DESC";
        if (random_.chance(10)) text += random_.chance(50) ? " NULLS LAST" : " NULLS FIRST";
        text += ", ";
      }
    }
    std::string tail = keys(scope);
    if (keys_alone && random_.chance(30)) {
      std::size_t comma = tail.find(',');
      tail.insert(random_.chance(50) ? tail.size() : comma, " DESC");
    }
    text += tail;
    if (random_.chance(45)) text += limit();
    statement_.add(std::move(text));
  }

  std::string limit() {
    std::string text = " LIMIT " + std::to_string(static_cast<int>(random_.below(12)) - 1);
    if (random_.chance(40)) text += " OFFSET " + std::to_string(random_.below(6));
    return text;
  }

  void where(const Scope& scope, unsigned percent = 85) {
    if (!random_.chance(percent)) return;
    statement_.add(" WHERE ").add(write_.condition(scope));
  }

  void simple() {
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    std::string list = random_.chance(15) ? "*" : columns(scope);
    statement_.add("SELECT " + list + " FROM " + at(table) + " AS a");
    where(scope, 92);
    order(scope);
  }

  std::string aggregate_of(const Scope& scope) {
    const ColumnRef& column = write_.pick(scope);
    switch (random_.below(8)) {
      case 0:
        return "count(*)";
      case 1:
        return "count(" + column.sql + ')';
      case 2:
        return "count(DISTINCT " + column.sql + ')';
      case 3:
        return "sum(length(" + column.sql + "))";
      case 4:
        return "sum(CAST(" + column.sql + " AS INTEGER) % 1000)";
      default:
        return (random_.chance(50) ? "max(" : "min(") + column.sql + ')';
    }
  }

  /// min() or max() of a key within text bounds.
  void extreme() {
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    static const char* const kBounds[] = {" = ", " >= ", " > ", " < ", " <= ", " <> "};
    statement_.add("SELECT " + std::string(random_.chance(50) ? "max(" : "min(") +
                   scope[random_.below(2)].sql + "), count(*) FROM " + at(table) + " AS a WHERE ");
    Condition bounds;
    bounds.glue = " AND ";
    for (std::size_t n = 1 + random_.below(3), i = 0; i < n; ++i) {
      const ColumnRef& key = scope[random_.below(2)];
      const auto& entities = scenario_.stores[scenario_.tables[table].store].entities;
      std::string text = random_key(random_);
      if (!entities.empty() && random_.chance(70)) {
        const Entity& entity = random_.pick(entities);
        text = key.part == ColumnRef::Part::partition ? entity.partition : entity.row;
      }
      Condition bound;
      bound.text = key.sql + random_.pick(kBounds) + sql_of(SqlValue::text(text));
      bounds.parts.push_back(std::move(bound));
    }
    statement_.add(std::move(bounds));
  }

  void aggregate() {
    statement_.loose = true;
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    std::string list = aggregate_of(scope);
    if (random_.chance(40)) list += ", " + aggregate_of(scope);
    statement_.add("SELECT " + list + " FROM " + at(table) + " AS a");
    where(scope);
  }

  void grouped() {
    statement_.loose = true;
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    std::string by = random_.chance(40) ? "a.PartitionKey" : write_.pick(scope).sql;
    if (random_.chance(25)) by += ", a.RowKey";
    statement_.add("SELECT " + by + ", " + aggregate_of(scope) + " FROM " + at(table) + " AS a");
    where(scope, 60);
    statement_.add(" GROUP BY " + by);
    if (random_.chance(30)) statement_.add(" HAVING count(*) > " + std::to_string(random_.below(3)));
    if (random_.chance(40)) statement_.add(" ORDER BY " + by);
  }

  void distinct() {
    statement_.loose = true;
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    std::string list;
    for (std::size_t n = 1 + random_.below(2); n > 0; --n)
      list += (list.empty() ? "" : ", ") + write_.pick(scope).sql;
    statement_.add("SELECT DISTINCT " + list + " FROM " + at(table) + " AS a");
    where(scope, 60);
    if (random_.chance(50)) {
      statement_.add(" ORDER BY " + list + (random_.chance(20) ? " DESC" : ""));
      if (random_.chance(40)) statement_.add(limit());
      statement_.ordered = true;
    }
  }

  void join() {
    static const char* const kJoins[] = {" JOIN ",       " JOIN ",       " LEFT JOIN ",
                                         " CROSS JOIN ", " RIGHT JOIN ", " FULL JOIN "};
    std::size_t kinds = sqlite3_libversion_number() >= 3039000 ? std::size(kJoins) : 4;
    std::size_t first = any_table();
    Scope scope = scope_of(scenario_, first, "a");
    std::string from = at(first) + " AS a";
    std::vector<Piece> pieces;
    auto add_item = [&](const std::string& item, const Scope& right, const char* kind) {
      statement_.add(kind + item + " ON ").add(write_.join_condition(scope, right));
      if (random_.chance(25)) statement_.add(" AND ").add(write_.condition(right, 2));
      scope.insert(scope.end(), right.begin(), right.end());
    };
    bool helper_first = random_.chance(25);
    if (helper_first) {
      scope = helper_scope("h1");
      from = "h AS h1";
    }
    // The select list comes first in the text, but only the FROM items decide what it may name.
    std::size_t list_at = statement_.pieces.size();
    statement_.add("").add(" FROM " + from);
    std::size_t second = random_.chance(25) ? first : any_table();
    if (!helper_first && random_.chance(30)) {
      add_item("h AS h1", helper_scope("h1"), kJoins[random_.below(kinds)]);
    } else {
      add_item(at(second) + " AS b", scope_of(scenario_, second, "b"), kJoins[random_.below(kinds)]);
    }
    if (random_.chance(30)) {
      std::size_t third = any_table();
      add_item(at(third) + " AS c", scope_of(scenario_, third, "c"), kJoins[random_.below(kinds)]);
    }
    where(scope, 60);
    if (random_.chance(35)) {
      statement_.pieces[list_at].text = "SELECT count(*), count(" + write_.pick(scope).sql +
                                        "), sum(length(" + write_.pick(scope).sql + "))";
    } else {
      statement_.pieces[list_at].text = "SELECT " + columns(scope);
      order(scope);
    }
  }

  void compound() {
    static const char* const kCompounds[] = {" UNION ALL ", " UNION ALL ", " UNION ", " EXCEPT ",
                                             " INTERSECT "};
    statement_.loose = true;
    std::size_t first = any_table();
    std::size_t second = any_table();
    Scope left = scope_of(scenario_, first, "a");
    Scope right = scope_of(scenario_, second, "b");
    statement_.add("SELECT a.PartitionKey, a.RowKey, " + write_.pick(left).sql + " FROM " + at(first) +
                   " AS a");
    where(left);
    statement_.add(random_.pick(kCompounds));
    statement_.add("SELECT b.PartitionKey, b.RowKey, " + write_.pick(right).sql + " FROM " + at(second) +
                   " AS b");
    where(right);
    // All columns are compared, so rows that tie are alike.
    if (random_.chance(60)) {
      statement_.add(" ORDER BY 1, 2, 3");
      statement_.ordered = true;
      if (random_.chance(50)) statement_.add(limit());
    }
  }

  void common_table() {
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    const char* kind = random_.chance(40)   ? "AS MATERIALIZED ("
                       : random_.chance(50) ? "AS NOT MATERIALIZED ("
                                            : "AS (";
    statement_.add(std::string("WITH q ") + kind + "SELECT a.PartitionKey AS pk, a.RowKey AS rk, " +
                   write_.pick(scope).sql + " AS v FROM " + at(table) + " AS a");
    where(scope, 60);
    statement_.add(")");
    switch (random_.below(3)) {
      case 0:
        statement_.add(" SELECT * FROM q WHERE v " + std::string(random_.chance(50) ? "= " : ">= ") +
                       write_.constant(write_.pick(scope)) + " AND pk IS NOT NULL");
        break;
      case 1:
        statement_.add(
            " SELECT count(*), count(y.v) FROM q AS x LEFT JOIN q AS y ON x.rk = y.rk AND x.v < y.v");
        break;
      default: {
        std::size_t other = any_table();
        Scope inner = scope_of(scenario_, other, "b");
        statement_.add(" SELECT q.pk, q.rk, " + write_.pick(inner).sql + " FROM q JOIN " + at(other) +
                       " AS b ON b.RowKey = q.rk");
        where(inner, 50);
      }
    }
  }

  void window() {
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    std::string by = write_.pick(scope).sql;
    std::string rest =
        "PARTITION BY " + by + " ORDER BY " + write_.pick(scope).sql + ", a.PartitionKey, a.RowKey)";
    if (random_.chance(40)) rest = "PARTITION BY a.PartitionKey ORDER BY a.RowKey)";
    statement_.add("SELECT a.PartitionKey, a.RowKey, row_number() OVER (" + rest + ", lag(" +
                   write_.pick(scope).sql + ") OVER (" + rest + ", count(" + write_.pick(scope).sql +
                   ") OVER (" + rest + " FROM " + at(table) + " AS a");
    where(scope, 60);
  }

  void correlated() {
    std::size_t table = any_table();
    std::size_t other = any_table();
    Scope outer = scope_of(scenario_, table, "a");
    Scope inner = scope_of(scenario_, other, "s");
    const auto inner_rows = [&](const std::string& list) {
      statement_.add("(SELECT " + list + " FROM " + at(other) + " AS s WHERE ");
      statement_.add(write_.join_condition(outer, inner));
      if (random_.chance(40)) statement_.add(" AND ").add(write_.condition(inner, 2));
    };
    switch (random_.below(4)) {
      case 0:
        statement_.add("SELECT " + columns(outer) + " FROM " + at(table) +
                       (random_.chance(50) ? " AS a WHERE EXISTS " : " AS a WHERE NOT EXISTS "));
        inner_rows(random_.chance(70) ? "1" : "*");
        statement_.add(")");
        return;
      case 1:
        // The order may be claimed of the backend, for rows that the join cache holds as well.
        statement_.add("SELECT a.PartitionKey, a.RowKey, ");
        inner_rows(random_.chance(50) ? "s.RowKey" : "s.PartitionKey || s.RowKey");
        statement_.add(" ORDER BY s.PartitionKey, s.RowKey LIMIT 1 OFFSET " +
                       std::to_string(random_.below(3)) + ") FROM " + at(table) + " AS a");
        break;
      default:
        statement_.loose = true;
        statement_.add("SELECT a.PartitionKey, a.RowKey, ");
        inner_rows(aggregate_of(inner));
        statement_.add(") FROM " + at(table) + " AS a");
    }
    where(outer, 60);
  }

  /// Views (scenario.h, views_ddl()): SQLite flattens them, or moves conditions into them.
  void view() {
    statement_.direct = true;
    const std::size_t table = any_table();
    const std::size_t other = any_table();
    const Scope scope = scope_of(scenario_, table, "a");
    switch (random_.below(4)) {
      case 0:
        statement_.add("SELECT " + columns(scope) + " FROM v" + at(table) + " AS a");
        where(scope, 90);
        order(scope);
        break;
      case 1:
        statement_.add("SELECT " + columns(scope) + ", a.pk2, a.rk2, a.ht FROM w" + at(table) + " AS a");
        where(scope);
        break;
      case 2: {
        const Scope inner = scope_of(scenario_, other, "b");
        statement_.add("SELECT " + columns(scope) + ", b.rk2, b.ht FROM v" + at(table) + " AS a LEFT JOIN w" +
                       at(other) + " AS b ON ");
        statement_.add(write_.join_condition(scope, inner));
        where(scope, 50);
        break;
      }
      default: {
        Scope keys_of_both = scope_of(scenario_, table, "a");
        keys_of_both.resize(2);
        const Scope inner = scope_of(scenario_, other, "b");
        statement_.add("SELECT a.PartitionKey, a.RowKey, " + columns(inner) + " FROM u" + at(table) +
                       " AS a JOIN " + at(other) + " AS b ON ");
        statement_.add(write_.join_condition(keys_of_both, inner));
        if (random_.chance(60)) statement_.add(" WHERE ").add(write_.condition(keys_of_both, 1));
      }
    }
  }

  /// Rowids differ between the twins, but what they connect does not.
  void by_rowid() {
    statement_.direct = true;
    std::size_t table = any_table();
    Scope scope = scope_of(scenario_, table, "a");
    switch (random_.below(3)) {
      case 0:
        statement_.add("SELECT " + columns(scope) + " FROM " + at(table) +
                       " AS a WHERE a.rowid IN (SELECT s.rowid FROM " + at(table) + " AS s WHERE ");
        statement_.add(write_.condition(scope_of(scenario_, table, "s"))).add(")");
        if (random_.chance(50)) statement_.add(" AND ").add(write_.condition(scope, 1));
        break;
      case 1:
        statement_.add("SELECT a.PartitionKey, a.RowKey, " + columns(scope_of(scenario_, table, "b")) +
                       " FROM " + at(table) + " AS a JOIN " + at(table) + " AS b ON a.rowid = b.rowid");
        where(scope);
        break;
      default:
        statement_.add("SELECT count(*), count(DISTINCT a.rowid) FROM " + at(table) + " AS a");
        where(scope);
    }
  }

  Random& random_;
  const Scenario& scenario_;
  Statement statement_;
  ConditionWriter write_;
};

}  // namespace

Statement random_query(Random& random, const Scenario& scenario) {
  return QueryWriter(random, scenario).query();
}

}  // namespace table_storage::differential
