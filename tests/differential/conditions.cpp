#include "tests/differential/query.h"

namespace table_storage::differential {

namespace {

const char* const kOperators[] = {"=", "=", "=", "<>", "<", "<=", ">", ">=", "==", "!="};
const char* const kIsOperators[] = {"IS", "IS", "IS NOT", "IS NOT DISTINCT FROM", "IS DISTINCT FROM"};
const char* const kCastTypes[] = {"TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB"};
const char* const kClasses[] = {"text", "integer", "real", "blob", "null"};
const char* const kCollations[] = {"NOCASE", "RTRIM", "BINARY", "NOCASE", "ts_datetime"};

}  // namespace

std::string Condition::sql() const {
  std::string out;
  if (parts.empty()) {
    out = text;
  } else {
    for (const Condition& part : parts) out += (out.empty() ? "" : glue) + part.sql();
    out = '(' + out + ')';
  }
  return negated ? "NOT (" + out + ')' : out;
}

std::string Statement::sql(bool naive) const {
  std::string out;
  for (const Piece& piece : pieces) {
    if (!piece.condition) {
      out += piece.text;
    } else {
      out += naive ? "+(" + piece.condition->sql() + ')' : piece.condition->sql();
    }
  }
  return out;
}

Statement& Statement::add(std::string text) {
  pieces.push_back({std::move(text), std::nullopt});
  return *this;
}

Statement& Statement::add(Condition condition) {
  pieces.push_back({{}, std::move(condition)});
  return *this;
}

Scope scope_of(const Scenario& scenario, std::size_t table, const std::string& alias) {
  using Part = ColumnRef::Part;
  Scope scope{{alias + ".PartitionKey", alias, Part::partition, table, 0},
              {alias + ".RowKey", alias, Part::row, table, 0},
              {alias + ".Timestamp", alias, Part::timestamp, table, 0}};
  const auto& columns = scenario.tables[table].columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    scope.push_back({alias + '.' + quoted(columns[i].name), alias, Part::property, table, i});
  }
  return scope;
}

Scope helper_scope(const std::string& alias) {
  Scope scope;
  for (std::size_t i = 0; i < std::size(kHelperColumns); ++i) {
    scope.push_back({alias + '.' + kHelperColumns[i], alias, ColumnRef::Part::helper, 0, i});
  }
  return scope;
}

const ColumnRef& ConditionWriter::pick(const Scope& scope) {
  // Keys decide about key ranges and order, so they get more than their share.
  const ColumnRef& first = random_.pick(scope);
  return !first.is_key() && random_.chance(35) ? random_.pick(scope) : first;
}

SqlValue ConditionWriter::value(const ColumnRef& column) {
  if (random_.chance(8)) return random_sql(random_);
  SqlValue value = SqlValue::null();
  if (column.part == ColumnRef::Part::helper) {
    if (!scenario_.helper.empty()) value = random_.pick(scenario_.helper).values[column.column];
  } else if (column.part == ColumnRef::Part::timestamp) {
    value = SqlValue::text(random_.chance(50) ? "2024-06-15T00:00:00Z" : "2099-01-01");
  } else {
    const ForeignTable& table = scenario_.tables[column.table];
    const auto& entities = scenario_.stores[table.store].entities;
    // A few tries, since the column is NULL in many entities.
    for (int tries = 0; tries < 4 && value.is_null() && !entities.empty(); ++tries) {
      const Entity& entity = random_.pick(entities);
      if (column.part == ColumnRef::Part::partition) {
        value = SqlValue::text(entity.partition);
      } else if (column.part == ColumnRef::Part::row) {
        value = SqlValue::text(entity.row);
      } else {
        const Column& definition = table.columns[column.column];
        const EdmValue* stored = entity.find(definition.property);
        // The stored value itself, sometimes, though the column's type hides it.
        if (stored != nullptr) value = shown(*stored, random_.chance(10) ? std::nullopt : definition.type);
      }
    }
  }
  return random_.chance(40) ? perturbed(random_, value) : value;
}

std::string ConditionWriter::constant(const ColumnRef& column) {
  if (!random_.chance(40)) return sql_of(value(column));
  if (statement_.bindings.empty()) statement_.bindings.resize(random_.chance(30) ? 2 : 1);
  for (auto& set : statement_.bindings) set.push_back(value(column));
  return '?' + std::to_string(statement_.bindings[0].size());
}

std::string ConditionWriter::right_side(const ColumnRef& column, const Scope& scope) {
  std::string other = std::to_string(random_.below(scenario_.tables.size()));
  switch (random_.below(22)) {
    case 0:
    case 1:
      return pick(scope).sql;
    case 2:
      return "(SELECT " + std::string(random_.pick(kHelperColumns)) + " FROM h ORDER BY id LIMIT 1 OFFSET " +
             std::to_string(random_.below(8)) + ')';
    case 3:
      return "(SELECT max(RowKey) FROM @" + other + "@)";
    case 4:
      return "(SELECT s." + std::string(random_.chance(50) ? "RowKey" : "PartitionKey") + " FROM @" + other +
             "@ AS s ORDER BY s.PartitionKey, s.RowKey LIMIT 1 OFFSET " + std::to_string(random_.below(6)) +
             ')';
    case 5:
      return "CAST(" + constant(column) + " AS " + random_.pick(kCastTypes) + ')';
    case 6:
      return "(" + constant(column) + " || '')";
    case 7:
      return "(" + constant(column) + " + 0)";
    case 8:
      return "+" + pick(scope).sql;
    case 9:
      return "coalesce(" + pick(scope).sql + ", " + constant(column) + ')';
    default:
      return constant(column);
  }
}

std::string ConditionWriter::comparison(const Scope& scope) {
  const ColumnRef& column = pick(scope);
  std::string op = random_.chance(15) ? random_.pick(kIsOperators) : random_.pick(kOperators);
  std::string left = column.sql;
  std::string right = right_side(column, scope);
  if (random_.chance(8))
    (random_.chance(50) ? left : right) += " COLLATE " + std::string(random_.pick(kCollations));
  if (random_.chance(18)) std::swap(left, right);
  return left + ' ' + op + ' ' + right;
}

std::string ConditionWriter::in_list(const Scope& scope) {
  const ColumnRef& column = pick(scope);
  std::string left = column.sql + (random_.chance(5) ? " COLLATE NOCASE" : "");
  left += random_.chance(20) ? " NOT IN (" : " IN (";
  std::string other = std::to_string(random_.below(scenario_.tables.size()));
  switch (random_.below(8)) {
    case 0:
      return left + "SELECT " + random_.pick(kHelperColumns) + " FROM h" +
             (random_.chance(50) ? " WHERE id < " + std::to_string(random_.below(12)) : "") + ')';
    case 1:
      return left + "SELECT s." + (random_.chance(60) ? "RowKey" : "PartitionKey") + " FROM @" + other +
             "@ AS s)";
    case 2: {
      Scope inner = scope_of(scenario_, column.table, "s");
      return left + "SELECT " + pick(inner).sql + " FROM @" + std::to_string(column.table) +
             "@ AS s WHERE s.RowKey >= " + constant(inner[1]) + ')';
    }
    case 3: {
      std::string rows;
      for (std::size_t n = 1 + random_.below(4); n > 0; --n)
        rows += (rows.empty() ? "(" : ", (") + constant(column) + ')';
      return left + "VALUES " + rows + ')';
    }
    default: {
      std::string list;
      for (std::size_t n = random_.below(7); n > 0; --n)
        list += (list.empty() ? "" : ", ") + constant(column);
      return left + list + ')';
    }
  }
}

std::string ConditionWriter::pattern(const Scope& scope) {
  const ColumnRef& column = pick(scope);
  SqlValue base = value(column);
  std::string text = base.is_text() ? base.bytes : canonical(base, false);
  // Cut at a character's border.
  std::size_t cut = text.size() > 4 ? random_.below(5) : text.size();
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) ++cut;
  text.resize(cut);
  if (random_.chance(40)) {
    for (char& c : text) {
      bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (letter && random_.chance(70)) c = static_cast<char>(c ^ 0x20);
    }
  }
  bool glob = random_.chance(40);
  const char* any = glob ? "*" : "%";
  switch (random_.below(6)) {
    case 0:
      text = any + text;
      break;
    case 1:
      text = any + text + any;
      break;
    case 2:
      text += glob ? "?" : "_";
      break;
    case 3:
      break;
    default:
      text += any;
  }
  std::string right = sql_of(SqlValue::text(text));
  if (random_.chance(30)) {
    if (statement_.bindings.empty()) statement_.bindings.resize(1);
    for (auto& set : statement_.bindings)
      set.push_back(random_.chance(85) ? SqlValue::text(text) : random_sql(random_));
    right = '?' + std::to_string(statement_.bindings[0].size());
  }
  std::string out = column.sql + (random_.chance(15) ? " NOT" : "") + (glob ? " GLOB " : " LIKE ") + right;
  if (!glob && random_.chance(15)) out += random_.chance(50) ? " ESCAPE '_'" : " ESCAPE '\\'";
  return out;
}

std::string ConditionWriter::slice_partner(const ColumnRef& column) {
  // SQLite (3.40.1) tests a row value's IN (SELECT …) on a virtual table again without the affinity of the
  // selected column, and a virtual table cannot know: `(key, x) IN (SELECT t, i …)` misses '05' = 5. So texts
  // meet texts here.
  bool numeric = false;
  if (column.part == ColumnRef::Part::property) {
    std::string affinity = affinity_of(scenario_.tables[column.table].columns[column.column]);
    numeric = affinity != "TEXT" && affinity != "BLOB";
  }
  return numeric ? random_.pick(kHelperColumns) : "t";
}

std::string ConditionWriter::row_value(const Scope& scope) {
  // Two columns of one FROM item, its keys more often than not.
  const ColumnRef& one = pick(scope);
  const ColumnRef* first = &one;
  const ColumnRef* second = &pick(scope);
  if (one.part != ColumnRef::Part::helper && random_.chance(70)) {
    for (const ColumnRef& column : scope) {
      if (column.qualified != one.qualified) continue;
      if (column.part == ColumnRef::Part::partition) first = &column;
      if (column.part == ColumnRef::Part::row) second = &column;
    }
  }
  std::string left = '(' + first->sql + ", " + second->sql + ')';
  std::string other = std::to_string(random_.below(scenario_.tables.size()));
  switch (random_.below(5)) {
    case 0:
      return left + " IN (SELECT s.PartitionKey, s.RowKey FROM @" + other + "@ AS s)";
    case 1:
      return left + " IN (SELECT " + slice_partner(*first) + ", " + slice_partner(*second) + " FROM h)";
    case 2:
      return left + " IN (VALUES (" + constant(*first) + ", " + constant(*second) + "), (" +
             constant(*first) + ", " + constant(*second) + "))";
    default:
      return left + ' ' + random_.pick(kOperators) + " (" + right_side(*first, scope) + ", " +
             right_side(*second, scope) + ')';
  }
}

std::string ConditionWriter::exists(const Scope& scope) {
  if (nesting_ > 0) return comparison(scope);
  ++nesting_;
  std::size_t table = random_.below(scenario_.tables.size());
  Scope inner = scope_of(scenario_, table, "e");
  std::string out = random_.chance(20) ? "NOT EXISTS" : "EXISTS";
  out += " (SELECT 1 FROM @" + std::to_string(table) + "@ AS e WHERE " + join_condition(scope, inner).sql();
  if (random_.chance(40)) out += " AND " + leaf(inner).sql();
  --nesting_;
  return out + ')';
}

std::string ConditionWriter::function(const Scope& scope) {
  const ColumnRef& column = pick(scope);
  const std::string& c = column.sql;
  switch (random_.below(9)) {
    case 0:
      return "lower(" + c + ") = lower(" + constant(column) + ')';
    case 1:
      return "length(" + c + ") > " + std::to_string(random_.below(12));
    case 2:
      return "typeof(" + c + ") = '" + random_.pick(kClasses) + '\'';
    case 3:
      return c + " + 0 > " + constant(column);
    case 4:
      return "CAST(" + c + " AS TEXT) = " + constant(column);
    case 5:
      return '+' + c + " = " + constant(column);
    case 6:
      return "CASE WHEN " + c + " > " + constant(column) + " THEN 1 ELSE " + c + " END";
    case 7:
      return c + (random_.chance(50) ? " IS TRUE" : " IS NOT FALSE");
    default:
      return c;
  }
}

Condition ConditionWriter::leaf(const Scope& scope) {
  Condition leaf;
  std::size_t kind = random_.below(100);
  const ColumnRef& column = pick(scope);
  if (kind < 42) {
    leaf.text = comparison(scope);
  } else if (kind < 54) {
    leaf.text = in_list(scope);
  } else if (kind < 64) {
    leaf.text = column.sql + (random_.chance(15) ? " NOT" : "") + " BETWEEN " + right_side(column, scope) +
                " AND " + right_side(column, scope);
  } else if (kind < 75) {
    leaf.text = pattern(scope);
  } else if (kind < 82) {
    leaf.text = column.sql + (random_.chance(50) ? " IS NULL" : " IS NOT NULL");
  } else if (kind < 90) {
    leaf.text = row_value(scope);
  } else if (kind < 94) {
    leaf.text = exists(scope);
  } else {
    leaf.text = function(scope);
  }
  // An OR or NOT around it must not tear it apart.
  leaf.text = '(' + leaf.text + ')';
  leaf.negated = random_.chance(6);
  return leaf;
}

Condition ConditionWriter::key_range(const Scope& scope, unsigned depth) {
  Condition node;
  node.glue = " AND ";
  for (const ColumnRef& column : scope) {
    if (!column.is_key() || random_.chance(20)) continue;
    std::string op =
        column.part == ColumnRef::Part::partition && random_.chance(60) ? "=" : random_.pick(kOperators);
    Condition part;
    part.text =
        column.sql + ' ' + op + ' ' + (random_.chance(70) ? constant(column) : right_side(column, scope));
    node.parts.push_back(std::move(part));
    if (node.parts.size() == 2) break;
  }
  if (node.parts.empty() || random_.chance(50)) node.parts.push_back(condition(scope, depth + 1));
  return node;
}

Condition ConditionWriter::condition(const Scope& scope, unsigned depth) {
  if (depth < 2 && random_.chance(25)) return key_range(scope, depth);
  if (depth >= 3 || random_.chance(depth == 0 ? 30 : 55)) return leaf(scope);
  Condition node;
  node.glue = random_.chance(60) ? " AND " : " OR ";
  for (std::size_t n = 2 + random_.below(2); n > 0; --n) node.parts.push_back(condition(scope, depth + 1));
  node.negated = random_.chance(5);
  return node;
}

Condition ConditionWriter::join_condition(const Scope& left, const Scope& right) {
  Condition node;
  node.glue = " AND ";
  for (std::size_t n = 1 + (random_.chance(30) ? 1 : 0); n > 0; --n) {
    const ColumnRef* a = &pick(left);
    const ColumnRef* b = &pick(right);
    // Mostly like with like, or else nothing ever joins.
    for (int tries = 0; tries < 6 && random_.chance(75); ++tries) {
      bool alike = a->is_key() == b->is_key() && a->part != ColumnRef::Part::timestamp;
      if (alike && a->part == b->part && a->part == ColumnRef::Part::property) {
        alike = scenario_.tables[a->table].columns[a->column].property ==
                scenario_.tables[b->table].columns[b->column].property;
      }
      if (alike) break;
      a = &pick(left);
      b = &pick(right);
    }
    std::string op = random_.chance(75)   ? "="
                     : random_.chance(30) ? random_.pick(kIsOperators)
                                          : random_.pick(kOperators);
    Condition part;
    part.text = random_.chance(50) ? a->sql + ' ' + op + ' ' + b->sql : b->sql + ' ' + op + ' ' + a->sql;
    node.parts.push_back(std::move(part));
  }
  return node;
}

}  // namespace table_storage::differential
