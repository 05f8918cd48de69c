#include <cmath>

#include "tests/differential/query.h"

namespace table_storage::differential {

namespace {

const char* const kConflicts[] = {"", "", "", " OR IGNORE", " OR REPLACE", " OR ABORT", " OR FAIL"};

/// Only values that fit the column: what does not fit is refused by the extension and kept by SQLite.
class WriteWriter {
 public:
  WriteWriter(Random& random, const Scenario& scenario, bool has_delete_limit)
      : random_(random),
        scenario_(scenario),
        table_(scenario.writable()),
        name_('@' + std::to_string(table_) + '@'),
        scope_(scope_of(scenario, table_, "a")),
        has_delete_limit_(has_delete_limit) {
    for (const Entity& entity : scenario.stores[scenario.tables[table_].store].entities) {
      known_.emplace_back(entity.partition, entity.row);
    }
  }

  Statement next() {
    statement_ = Statement();
    std::size_t kind = random_.below(100);
    if (kind < 18) {
      control();
      return std::move(statement_);
    }
    if (kind < 40) return random_query(random_, scenario_);
    statement_.kind = Statement::Kind::write;
    // One set of parameters: between two runs the native twin would have to learn the new Timestamps.
    statement_.bindings.resize(1);
    if (kind < 58) {
      insert();
    } else if (kind < 62) {
      insert_select();
    } else if (kind < 80) {
      update();
    } else if (kind < 87) {
      update_key();
    } else if (kind < 92) {
      through_trigger();
    } else {
      remove();
    }
    return std::move(statement_);
  }

 private:
  const Column& column(std::size_t i) const { return scenario_.tables[table_].columns[i]; }
  std::size_t column_count() const { return scenario_.tables[table_].columns.size(); }

  SqlValue fitting(const Column& c) {
    if (random_.chance(15)) return SqlValue::null();
    if (c.type) {
      EdmValue v = random_edm(random_, *c.type);
      if (random_.chance(25) && v.type == Edm::Double) {
        v.type = Edm::Int32;
        v.real = 0;
        v.integer = random_.between(-50, 50);
        return SqlValue::of(v.integer);
      }
      return shown(v, c.type);
    }
    // A text that looks like a date or Guid would keep that type where the property had it.
    switch (random_.below(4)) {
      case 0:
        return SqlValue::of(random_.between(2, 90));
      case 1:
        return SqlValue::of(static_cast<double>(random_.between(3, 90)) + 0.25);
      case 2:
        return SqlValue::blob("\x01\x02");
      default:
        return SqlValue::text("w" + std::to_string(random_.below(20)));
    }
  }

  std::string parameter(const SqlValue& value) {
    if (!random_.chance(60)) return sql_of(value);
    if (statement_.bindings.empty()) statement_.bindings.resize(1);
    statement_.bindings[0].push_back(value);
    return '?' + std::to_string(statement_.bindings[0].size());
  }

  std::pair<std::string, std::string> key() {
    std::pair<std::string, std::string> out;
    if (!known_.empty() && random_.chance(45)) return random_.pick(known_);
    out = {known_.empty() || random_.chance(20) ? random_key(random_, scenario_.empty_keys)
                                                : random_.pick(known_).first,
           random_key(random_, scenario_.empty_keys)};
    known_.push_back(out);
    return out;
  }

  std::vector<std::size_t> some_columns() {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < column_count(); ++i) {
      if (random_.chance(60)) out.push_back(i);
    }
    return out;
  }

  void control() {
    static const char* const kControls[] = {
        "BEGIN",      "BEGIN",      "SAVEPOINT s1", "SAVEPOINT s2", "ROLLBACK TO s1", "ROLLBACK TO s2",
        "RELEASE s1", "RELEASE s2", "COMMIT",       "ROLLBACK",     "VACUUM",         "BEGIN IMMEDIATE"};
    statement_.kind = Statement::Kind::control;
    statement_.add(random_.pick(kControls));
  }

  void insert() {
    std::vector<std::size_t> columns = some_columns();
    std::string sql =
        "INSERT" + std::string(random_.pick(kConflicts)) + " INTO " + name_ + "(PartitionKey, RowKey";
    for (std::size_t i : columns) sql += ", " + quoted(column(i).name);
    sql += ") VALUES";
    for (std::size_t n = 1 + (random_.chance(40) ? random_.below(4) : 0), row = 0; row < n; ++row) {
      auto [partition, row_key] = key();
      sql += (row > 0 ? ", (" : " (") + parameter(SqlValue::text(partition)) + ", " +
             parameter(SqlValue::text(row_key));
      for (std::size_t i : columns) sql += ", " + parameter(fitting(column(i)));
      sql += ')';
    }
    statement_.add(std::move(sql));
  }

  /// A prefix of its own for each statement, so that no new key meets an old one half-way.
  std::string fresh_prefix() { return "'n" + std::to_string(serial_++) + "~'"; }

  void insert_select() {
    std::string names;
    for (std::size_t i : some_columns()) names += ", " + quoted(column(i).name);
    bool same_keys = random_.chance(30);
    statement_.add("INSERT" + std::string(random_.pick(kConflicts)) + " INTO " + name_ +
                   "(PartitionKey, RowKey" + names + ") SELECT " +
                   (same_keys ? "" : fresh_prefix() + " || ") + "a.PartitionKey, a.RowKey" + names +
                   " FROM " + name_ + " AS a WHERE ");
    where(1);
    statement_.add(" ORDER BY a.PartitionKey, a.RowKey");
  }

  void where(unsigned depth) {
    ConditionWriter writer(random_, scenario_, statement_);
    statement_.add(writer.condition(scope_, depth));
  }

  void order_and_limit() {
    if (!has_delete_limit_ || !random_.chance(25)) return;
    statement_.add(" ORDER BY " + (random_.chance(50) ? random_.pick(scope_).sql + ", " : std::string()) +
                   "a.PartitionKey, a.RowKey LIMIT " + std::to_string(random_.below(5)));
  }

  std::string assigned(std::size_t i) {
    const Column& c = column(i);
    std::string self = "a." + quoted(c.name);
    if (c.type && random_.chance(25)) {
      switch (*c.type) {
        case Edm::String:
          return self + " || 'x'";
        case Edm::Int64:
        case Edm::Int32:
          return "CASE WHEN abs(" + self + " % 1000) > 500 THEN " + self + " % 1000 ELSE " + self +
                 " / 2 END";
        case Edm::Double:
          return self + " / 4";
        case Edm::Boolean:
          return "NOT " + self;
        default:
          return self;
      }
    }
    if (random_.chance(8)) return self;
    return parameter(fitting(c));
  }

  void update() {
    std::vector<std::size_t> columns = some_columns();
    if (columns.empty()) return remove();
    std::string sql = "UPDATE" + std::string(random_.pick(kConflicts)) + ' ' + name_ + " AS a SET ";
    for (std::size_t k = 0; k < columns.size(); ++k) {
      sql += (k > 0 ? ", " : "") + quoted(column(columns[k]).name) + " = " + assigned(columns[k]);
    }
    statement_.add(sql + " WHERE ");
    where(1);
    order_and_limit();
  }

  void update_key() {
    std::string conflict = random_.pick(kConflicts);
    if (random_.chance(40)) {
      statement_.add("UPDATE" + conflict + ' ' + name_ + " AS a SET " +
                     (random_.chance(50) ? "RowKey" : "PartitionKey") + " = " + fresh_prefix() + " || " +
                     (random_.chance(50) ? "a.PartitionKey || a.RowKey" : "a.RowKey") +
                     " WHERE a.PartitionKey = " + parameter(SqlValue::text(key().first)) + " AND ");
      where(2);
      return;
    }
    auto [partition, row] = key();
    auto [to_partition, to_row] = key();
    std::string sql =
        "UPDATE" + conflict + ' ' + name_ + " AS a SET RowKey = " + parameter(SqlValue::text(to_row));
    if (random_.chance(50)) sql += ", PartitionKey = " + parameter(SqlValue::text(to_partition));
    if (column_count() > 0 && random_.chance(50)) {
      std::size_t i = random_.below(column_count());
      sql += ", " + quoted(column(i).name) + " = " + parameter(fitting(column(i)));
    }
    statement_.add(sql + " WHERE a.PartitionKey = " + parameter(SqlValue::text(partition)) +
                   " AND a.RowKey = " + parameter(SqlValue::text(row)));
  }

  void remove() {
    statement_.add("DELETE FROM " + name_ + " AS a WHERE ");
    if (random_.chance(30)) {
      auto [partition, row] = key();
      statement_.add("a.PartitionKey = " + parameter(SqlValue::text(partition)) +
                     " AND a.RowKey = " + parameter(SqlValue::text(row)));
      return;
    }
    where(1);
    order_and_limit();
  }

  /// Writes that a trigger carries out (scenario.h, views_ddl()).
  void through_trigger() {
    switch (random_.below(column_count() > 0 ? 4 : 3)) {
      case 0: {
        const auto [partition, row] = key();
        statement_.add("INSERT INTO job" + name_ + " VALUES (" + parameter(SqlValue::text(partition)) + ", " +
                       parameter(SqlValue::text(row)) + ")");
        return;
      }
      case 1: {
        const auto [partition, row] = key();
        statement_.add("INSERT INTO v" + name_ + "(PartitionKey, RowKey) VALUES (" +
                       parameter(SqlValue::text(partition)) + ", " + parameter(SqlValue::text(row)) + ")");
        return;
      }
      case 2:
        statement_.add("DELETE FROM v" + name_);
        break;
      default:
        statement_.add("UPDATE v" + name_ + " SET " + quoted(column(0).name) + " = " +
                       parameter(fitting(column(0))));
    }
    // SQLite forgets the alias of a view that is written.
    statement_.add(" WHERE (PartitionKey, RowKey) IN (SELECT a.PartitionKey, a.RowKey FROM v" + name_ +
                   " AS a WHERE ");
    where(1);
    statement_.add(")");
  }

  Random& random_;
  const Scenario& scenario_;
  std::size_t table_;
  std::string name_;
  Scope scope_;
  bool has_delete_limit_;
  std::vector<std::pair<std::string, std::string>> known_;
  Statement statement_;
  unsigned serial_ = 0;
};

}  // namespace

std::vector<Statement> random_writes(Random& random, const Scenario& scenario, std::size_t count,
                                     bool has_delete_limit) {
  WriteWriter writer(random, scenario, has_delete_limit);
  std::vector<Statement> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(writer.next());
  return out;
}

}  // namespace table_storage::differential
