#include "tests/differential/scenario.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace table_storage::differential {

namespace {

struct Property {
  const char* name;
  Edm home;  // the type it mostly has
};

// "beta" and "Beta" are two properties for the service and would be one column for SQL.
const Property kProperties[] = {{"Alpha", Edm::String}, {"Beta", Edm::Int32},       {"beta", Edm::Int64},
                                {"Gamma", Edm::Double}, {"Delta_1", Edm::DateTime}, {"Ident", Edm::Guid},
                                {"Flag", Edm::Boolean}, {"Bytes", Edm::Binary},     {"Zähler", Edm::Double},
                                {"_mixed", Edm::String}};

const char* const kTypeNames[kEdmCount][3] = {
    {"STRING", "TEXT", "VARCHAR(20)"},     {"BINARY", "BLOB", "blob"},     {"BOOLEAN", "BOOL", "Boolean"},
    {"INT32", "int32", "INT32"},           {"INTEGER", "INT64", "BIGINT"}, {"DOUBLE", "REAL", "FLOAT"},
    {"DATETIME", "TIMESTAMP", "DATETIME"}, {"GUID", "UUID", "guid"}};

// One number each in two groups, for SQL; different keys for the service.
const char* const kAlike[] = {"5", "05", "5.0", "5 ", " 5", "+5", "5e0", "1000", "1e3", "1000.0"};
// Texts below all digits: a column of numeric affinity that holds one is greater than any number.
const char* const kLowTexts[] = {"", " ", "!", "*", "'"};

Edm random_type(Random& random) { return static_cast<Edm>(random.below(kEdmCount)); }

Store random_store(Random& random, const std::string& name, std::size_t count, bool empty_keys) {
  Store store;
  store.name = name;
  std::vector<std::string> partitions;
  const bool alike = random.chance(20);
  for (std::size_t n = 1 + random.below(5); n > 0; --n) {
    partitions.push_back(alike ? random.pick(kAlike) : random_key(random, empty_keys));
  }
  std::set<std::pair<std::string, std::string>> seen;
  bool uniform = random.chance(25);  // every property has its home type, as in most real tables
  for (std::size_t i = 0; i < count; ++i) {
    Entity entity;
    entity.partition = random.pick(partitions);
    entity.row = alike && random.chance(30) ? random.pick(kAlike) : random_key(random, empty_keys);
    if (!seen.emplace(entity.partition, entity.row).second) continue;
    for (const Property& property : kProperties) {
      if (!random.chance(75)) continue;
      Edm type = uniform || random.chance(70) ? property.home : random_type(random);
      entity.properties.emplace_back(property.name, random_edm(random, type));
    }
    store.entities.push_back(std::move(entity));
  }
  return store;
}

ForeignTable random_table(Random& random, std::size_t store) {
  ForeignTable table;
  table.store = store;
  std::set<std::string> names;
  for (const Property& property : kProperties) {
    if (!random.chance(70)) continue;
    Column column;
    column.property = property.name;
    column.name = property.name;
    if (random.chance(15)) column.name = "col " + std::to_string(table.columns.size());
    std::string folded;
    for (char c : column.name) folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!names.insert(folded).second) {
      column.name += " 2";
      names.insert(folded + " 2");
    }
    if (random.chance(15)) {
      column.declared = "ANY";
    } else {
      column.type = random.chance(65) ? property.home : random_type(random);
      column.declared = random.pick(kTypeNames[static_cast<std::size_t>(*column.type)]);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

/// A value of a helper column comes from what the foreign tables show, so that joins find partners.
SqlValue partner(Random& random, const Scenario& scenario) {
  if (random.chance(8)) return SqlValue::text(random.pick(kLowTexts));
  const Store& store = random.pick(scenario.stores);
  if (store.entities.empty() || random.chance(20)) return random_sql(random);
  const Entity& entity = random.pick(store.entities);
  SqlValue value;
  if (random.chance(35) || entity.properties.empty()) {
    value = SqlValue::text(random.chance(40) ? entity.partition : entity.row);
  } else {
    value = shown(random.pick(entity.properties).second, std::nullopt);
  }
  return random.chance(25) ? perturbed(random, value) : value;
}

}  // namespace

Scenario random_scenario(Random& random, std::size_t most, bool empty_keys) {
  Scenario scenario;
  scenario.empty_keys = empty_keys;
  scenario.encoding = random.chance(80) ? "UTF-8" : random.chance(60) ? "UTF-16le" : "UTF-16be";
  scenario.case_sensitive_like = random.chance(8);
  most = std::min<std::size_t>(most, random.chance(60) ? 30 : random.chance(70) ? 90 : 300);
  auto count = [&] { return 5 + random.below(most - 4); };
  scenario.stores.push_back(random_store(random, "EntA", count(), empty_keys));
  scenario.stores.push_back(random_store(random, "EntB", count(), empty_keys));
  scenario.stores.push_back(random_store(random, "EntW", count(), empty_keys));
  for (std::size_t store : {0U, 1U, 0U, 2U}) scenario.tables.push_back(random_table(random, store));
  for (std::size_t n = 5 + random.below(25); n > 0; --n) {
    HelperRow row;
    for (std::size_t k = 0; k < std::size(kHelperColumns); ++k)
      row.values.push_back(partner(random, scenario));
    scenario.helper.push_back(std::move(row));
  }
  static constexpr std::size_t kPageSizes[] = {1, 2, 7, 50, 1000};
  scenario.pages.size = kPageSizes[random.below(std::size(kPageSizes))];
  scenario.pages.empty_every = random.chance(30) ? 2 + random.below(3) : 0;
  scenario.pages.by_partition = random.chance(30);
  scenario.pages.trailing_empty = random.chance(50);
  scenario.concurrency = random.chance(30) ? 1 : random.chance(50) ? 2 : 8;
  return scenario;
}

std::string collation_of(const Column& column) {
  if (column.type == Edm::DateTime) return "ts_datetime";
  if (column.type == Edm::Guid) return "NOCASE";
  return {};
}

std::string affinity_of(const Column& column) {
  if (!column.type) return "BLOB";
  switch (*column.type) {
    case Edm::String:
    case Edm::DateTime:
    case Edm::Guid:
      return "TEXT";
    case Edm::Binary:
      return "BLOB";
    case Edm::Boolean:
      return "NUMERIC";
    case Edm::Int32:
    case Edm::Int64:
      return "INTEGER";
    case Edm::Double:
      return "REAL";
  }
  return {};
}

std::string affinity_of_type(const std::string& declared_to_sqlite) {
  // "Determination of column affinity" of SQLite's documentation, in its order.
  std::string upper;
  for (char c : declared_to_sqlite) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  auto has = [&](const char* part) { return upper.find(part) != std::string::npos; };
  if (has("INT")) return "INTEGER";
  if (has("CHAR") || has("CLOB") || has("TEXT")) return "TEXT";
  if (has("BLOB") || upper.empty()) return "BLOB";
  if (has("REAL") || has("FLOA") || has("DOUB")) return "REAL";
  return "NUMERIC";
}

std::string foreign_ddl(const Scenario& scenario, std::size_t index, const std::string& options) {
  const ForeignTable& table = scenario.tables[index];
  std::string sql = "CREATE VIRTUAL TABLE f" + std::to_string(index) + " USING table_storage(";
  for (const Column& column : table.columns) {
    sql += quoted(column.name) + ' ' + column.declared;
    if (column.name != column.property) sql += " OPTIONS (property '" + column.property + "')";
    sql += ", ";
  }
  return sql + "OPTIONS (table '" + scenario.stores[table.store].name + "'" + options + "))";
}

std::string native_ddl(const Scenario& scenario, std::size_t index,
                       const std::vector<std::string>& declared_to_sqlite) {
  std::string sql = "CREATE TABLE p" + std::to_string(index) +
                    "(PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp " + declared_to_sqlite[2] +
                    " COLLATE ts_datetime";
  const auto& columns = scenario.tables[index].columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sql += ", " + quoted(columns[i].name) + ' ' + declared_to_sqlite[3 + i];
    std::string collation = collation_of(columns[i]);
    if (!collation.empty()) sql += " COLLATE " + collation;
  }
  // Unique keys, but no index that a query could use: SQLite's own use of one is not always right. (3.40.1,
  // with TEXT keys: `(a, b) IN (SELECT text_column, integer_column …)` compares b as text if it finds an
  // index on (a, b).) The triggers do nothing, but make SQLite find all rows before it changes the first:
  // without them 3.40.1 changes each row as it finds it, even if a subquery of the WHERE clause reads the
  // same table.
  std::string name = "p" + std::to_string(index);
  return sql + "); CREATE UNIQUE INDEX " + name + "_key ON " + name +
         "((PartitionKey || ''), (RowKey || '')); " + "CREATE TRIGGER " + name + "_update BEFORE UPDATE ON " +
         name + " BEGIN SELECT 1; END; CREATE TRIGGER " + name + "_delete BEFORE DELETE ON " + name +
         " BEGIN SELECT 1; END";
}

std::string views_ddl(const Scenario& scenario, char kind) {
  std::string sql;
  const auto table = [&](std::size_t index) { return kind + std::to_string(index % scenario.tables.size()); };
  for (std::size_t i = 0; i < scenario.tables.size(); ++i) {
    const std::string name = table(i);
    const std::string next = table(i + 1);
    sql += "CREATE VIEW v" + name + " AS SELECT * FROM " + name + "; CREATE VIEW w" + name +
           " AS SELECT a.*, b.PartitionKey AS pk2, b.RowKey AS rk2, h.t AS ht FROM " + name +
           " AS a LEFT JOIN " + next + " AS b ON b.RowKey = a.RowKey LEFT JOIN h ON h.t = a.RowKey; " +
           "CREATE VIEW u" + name + " AS SELECT PartitionKey, RowKey FROM " + name +
           " UNION ALL SELECT PartitionKey, RowKey FROM " + next + "; ";
  }
  const std::string name = table(scenario.writable());
  const std::string old = " WHERE PartitionKey = old.PartitionKey AND RowKey = old.RowKey; END; ";
  const std::string instead = " INSTEAD OF ";
  sql += "CREATE TRIGGER v" + name + "_insert" + instead + "INSERT ON v" + name + " BEGIN INSERT INTO " +
         name + "(PartitionKey, RowKey) VALUES (new.PartitionKey, new.RowKey); END; " + "CREATE TRIGGER v" +
         name + "_delete" + instead + "DELETE ON v" + name + " BEGIN DELETE FROM " + name + old;
  if (!scenario.tables.back().columns.empty()) {
    const std::string column = quoted(scenario.tables.back().columns.front().name);
    sql += "CREATE TRIGGER v" + name + "_update" + instead + "UPDATE ON v" + name + " BEGIN UPDATE " + name +
           " SET " + column + " = new." + column + old;
  }
  return sql + "CREATE TABLE job" + name + "(p TEXT, r TEXT); CREATE TABLE trace" + name +
         "(p, r, n); CREATE TRIGGER job" + name + "_insert AFTER INSERT ON job" + name +
         " BEGIN INSERT INTO trace" + name + " SELECT a.PartitionKey, a.RowKey, (SELECT count(*) FROM " +
         table(0) + " AS b WHERE b.RowKey = a.RowKey) FROM " + name +
         " AS a WHERE a.PartitionKey = new.p OR a.RowKey = new.r; DELETE FROM " + name +
         " WHERE PartitionKey = new.p AND RowKey = new.r; END";
}

std::string json_of(const Entity& entity) {
  std::string json = "{";
  for (const auto& [name, value] : entity.properties) {
    if (json.size() > 1) json += ',';
    json += json_member(name, value);
  }
  return json + '}';
}

}  // namespace table_storage::differential
