#include "tests/differential/database.h"

#include <algorithm>
#include <stdexcept>

#include "extension/table_storage.h"

namespace table_storage::differential {

namespace {

constexpr std::size_t kMaxRows = 4000;
constexpr int kMaxSteps = 30;  // of kStepSize instructions of SQLite's virtual machine
constexpr int kStepSize = 1'000'000;

int give_up(void* steps_left) { return --*static_cast<int*>(steps_left) < 0 ? 1 : 0; }

// Over a service the requests cost the time, a few instructions each.
using Clock = std::chrono::steady_clock;
constexpr int kRemoteStepSize = 500;
constexpr std::chrono::milliseconds kRemoteTime{1500};
constexpr std::chrono::seconds kRemoteWriteTime{60};

int give_up_late(void* end) { return Clock::now() > *static_cast<Clock::time_point*>(end) ? 1 : 0; }

using Prepared = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

void bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
  switch (value.storage) {
    case SqlValue::Class::null:
      sqlite3_bind_null(statement, index);
      break;
    case SqlValue::Class::integer:
      sqlite3_bind_int64(statement, index, value.integer);
      break;
    case SqlValue::Class::real:
      sqlite3_bind_double(statement, index, value.real);
      break;
    case SqlValue::Class::text:
      sqlite3_bind_text(statement, index, value.bytes.data(), static_cast<int>(value.bytes.size()),
                        SQLITE_TRANSIENT);
      break;
    case SqlValue::Class::blob:
      // A null pointer would bind NULL instead of an empty blob, but data() never is one.
      sqlite3_bind_blob(statement, index, value.bytes.data(), static_cast<int>(value.bytes.size()),
                        SQLITE_TRANSIENT);
      break;
  }
}

SqlValue column(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return SqlValue::of(std::int64_t{sqlite3_column_int64(statement, index)});
    case SQLITE_FLOAT:
      return SqlValue::of(sqlite3_column_double(statement, index));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
      return SqlValue::text({text, static_cast<std::size_t>(sqlite3_column_bytes(statement, index))});
    }
    case SQLITE_BLOB: {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, index));
      auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, index));
      return SqlValue::blob(size == 0 ? std::string() : std::string(data, size));
    }
    default:
      return SqlValue::null();
  }
}

}  // namespace

bool Result::same_as(const Result& other) const {
  if (cut || other.cut) return true;
  if (error.empty() != other.error.empty()) return false;
  return !error.empty() || (rows == other.rows && changes == other.changes);
}

std::string with_tables(const std::string& sql, Variant variant) {
  std::string out;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] != '@' || i + 2 >= sql.size() || sql[i + 2] != '@' || sql[i + 1] < '0' || sql[i + 1] > '9') {
      out += sql[i];
      continue;
    }
    std::string number(1, sql[i + 1]);
    if (variant == Variant::pushed) {
      out += 'f' + number;
    } else if (variant == Variant::native) {
      out += 'p' + number;
    } else {
      out += "(SELECT * FROM f" + number + " LIMIT -1)";
    }
    i += 2;
  }
  return out;
}

Database::Database(const Host& host, const Scenario& scenario)
    : scenario_(scenario), remote_(host.is_remote()), service_(host, scenario) {
  sqlite3* db = nullptr;
  int rc = sqlite3_open(":memory:", &db);
  handle_.reset(db);
  if (rc != SQLITE_OK) throw std::runtime_error("sqlite3_open failed");
  has_delete_limit_ = sqlite3_compileoption_used("ENABLE_UPDATE_DELETE_LIMIT") != 0;
  char* message = nullptr;
  if (host.extension.empty()) {
    rc = sqlite3_tablestorage_init(db, &message, nullptr);
  } else {
    sqlite3_enable_load_extension(db, 1);
    rc = sqlite3_load_extension(db, host.extension.c_str(), "sqlite3_tablestorage_init", &message);
  }
  if (rc != SQLITE_OK) {
    std::string text = message != nullptr ? message : sqlite3_errmsg(db);
    sqlite3_free(message);
    throw std::runtime_error("the extension does not load: " + text);
  }
  load();
}

void Database::execute(const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    std::string text = message != nullptr ? message : "unknown error";
    sqlite3_free(message);
    throw std::runtime_error(text + "\n  in: " + sql);
  }
}

void Database::load() {
  execute("PRAGMA encoding='" + scenario_.encoding + "'");
  // The reference must be right. The Bloom filter beside an automatic index of 3.40.1 is not always: it
  // misses texts that are equal only under a collation such as ts_datetime.
  execute("PRAGMA automatic_index=off");
  if (scenario_.case_sensitive_like) execute("PRAGMA case_sensitive_like=1");
  auto must = [&](const std::string& sql, const std::vector<SqlValue>& values) {
    Result result = run(sql, {values}, true, false);
    if (result.error.empty()) return;
    std::string shown_values;
    for (const SqlValue& value : values) shown_values += ' ' + sql_of(value);
    throw std::runtime_error("set-up failed: " + result.error + "\n  in: " + sql +
                             "\n  with:" + shown_values);
  };
  execute("BEGIN");
  for (std::size_t i = 0; i < scenario_.stores.size(); ++i) {
    const Store& store = scenario_.stores[i];
    std::string loader = "loader" + std::to_string(i);
    execute("CREATE VIRTUAL TABLE " + loader + " USING table_storage(OPTIONS (table '" + store.name + "'" +
            service_.options() + "))");
    if (remote_) execute("DELETE FROM " + loader);
    for (const Entity& entity : store.entities) {
      must("INSERT INTO " + loader + "(PartitionKey, RowKey, _properties) VALUES(?1, ?2, ?3)",
           {SqlValue::text(entity.partition), SqlValue::text(entity.row), SqlValue::text(json_of(entity))});
    }
  }
  for (std::size_t i = 0; i < scenario_.tables.size(); ++i) {
    const ForeignTable& table = scenario_.tables[i];
    std::string number = std::to_string(i);
    execute(foreign_ddl(scenario_, i, service_.options()));
    std::vector<std::string> types;
    Prepared info(nullptr, sqlite3_finalize);
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(handle_.get(), ("PRAGMA table_info(f" + number + ")").c_str(), -1, &raw, nullptr);
    info.reset(raw);
    while (sqlite3_step(raw) == SQLITE_ROW) types.push_back(column(raw, 2).bytes);
    if (types.size() < 3 + table.columns.size())
      throw std::runtime_error("too few columns in " + foreign_ddl(scenario_, i, {}));
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      std::string expected = affinity_of(table.columns[k]);
      if (affinity_of_type(types[3 + k]) != expected) {
        throw std::runtime_error("column " + table.columns[k].name + ' ' + table.columns[k].declared +
                                 " has SQLite type \"" + types[3 + k] + "\", whose affinity is not " +
                                 expected);
      }
    }
    execute(native_ddl(scenario_, i, types));
    std::string insert = "INSERT INTO p" + number + " VALUES(?1, ?2, NULL";
    for (std::size_t k = 0; k < table.columns.size(); ++k) insert += ", ?" + std::to_string(3 + k);
    for (const Entity& entity : scenario_.stores[table.store].entities) {
      std::vector<SqlValue> values{SqlValue::text(entity.partition), SqlValue::text(entity.row)};
      for (const Column& c : table.columns) {
        const EdmValue* value = entity.find(c.property);
        values.push_back(value == nullptr ? SqlValue::null() : shown(*value, c.type));
      }
      must(insert + ')', values);
    }
  }
  execute("CREATE TABLE h(id INTEGER PRIMARY KEY, i INTEGER, r REAL, t TEXT, b BLOB, n)");
  for (const HelperRow& row : scenario_.helper)
    must("INSERT INTO h(i, r, t, b, n) VALUES(?1, ?2, ?3, ?4, ?5)", row.values);
  for (char kind : {'f', 'p'}) execute(views_ddl(scenario_, kind));
  execute("COMMIT");
  for (std::size_t i = 0; i < scenario_.tables.size(); ++i) copy_from_foreign(i, {"Timestamp"});
}

void Database::copy_from_foreign(std::size_t table, const std::vector<std::string>& names) {
  const std::string number = std::to_string(table);
  std::string sql = "UPDATE p" + number + " SET ";
  for (std::size_t i = 0; i < names.size(); ++i) sql += (i > 0 ? ", " : "") + names[i] + " = f." + names[i];
  // The LIMIT makes it one scan: SQLite keeps what a subquery gave, and looks nothing up in a virtual table.
  execute(sql + " FROM (SELECT * FROM f" + number + " LIMIT -1) AS f WHERE f.PartitionKey = p" + number +
          ".PartitionKey AND f.RowKey = p" + number + ".RowKey");
}

Result Database::run(const std::string& sql, const std::vector<std::vector<SqlValue>>& bindings, bool ordered,
                     bool loose) {
  Result result;
  sqlite3* db = handle_.get();
  sqlite3_stmt* raw = nullptr;
  int steps_left = kMaxSteps;
  Clock::time_point end = Clock::now() + kRemoteTime;
  if (remote_) {
    sqlite3_progress_handler(db, kRemoteStepSize, give_up_late, &end);
  } else {
    sqlite3_progress_handler(db, kStepSize, give_up, &steps_left);
  }
  int rc = sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &raw, nullptr);
  Prepared statement(raw, sqlite3_finalize);
  // A query that takes too long is left without a verdict; a write cannot be, and a busy machine is no fault.
  if (raw != nullptr && sqlite3_stmt_readonly(raw) == 0) end += kRemoteWriteTime;
  std::int64_t before = sqlite3_total_changes(db);
  for (std::size_t set = 0; rc == SQLITE_OK && set < std::max<std::size_t>(bindings.size(), 1); ++set) {
    int wanted = sqlite3_bind_parameter_count(raw);
    for (int i = 0; !bindings.empty() && i < wanted && i < static_cast<int>(bindings[set].size()); ++i) {
      bind(raw, i + 1, bindings[set][static_cast<std::size_t>(i)]);
    }
    std::size_t first = result.rows.size();
    while ((rc = sqlite3_step(raw)) == SQLITE_ROW) {
      std::string row;
      for (int i = 0; i < sqlite3_column_count(raw); ++i)
        row += (i > 0 ? " | " : "") + canonical(column(raw, i), loose);
      result.rows.push_back(std::move(row));
      if (result.rows.size() > kMaxRows) {
        result.cut = true;
        break;
      }
    }
    if (!ordered) std::sort(result.rows.begin() + static_cast<std::ptrdiff_t>(first), result.rows.end());
    if (bindings.size() > 1) result.rows.emplace_back("-- end of parameter set");
    if (result.cut) break;
    if (rc == SQLITE_DONE) rc = sqlite3_reset(raw);
  }
  if (rc == SQLITE_INTERRUPT) {
    result.cut = true;
  } else if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE) {
    result.error = sqlite3_errmsg(db);
    if (result.error.empty()) result.error = sqlite3_errstr(rc);
  }
  statement.reset();
  sqlite3_progress_handler(db, 0, nullptr, nullptr);
  if (sqlite3_total_changes(db) != before) result.changes = sqlite3_changes(db);
  return result;
}

Result Database::run_or_undo(const std::string& sql, const std::vector<std::vector<SqlValue>>& bindings) {
  execute("SAVEPOINT attempt");
  Result result = run(sql, bindings, true, false);
  if (!result.error.empty() || result.cut) execute("ROLLBACK TO attempt");
  execute("RELEASE attempt");
  return result;
}

Result Database::contents(std::size_t table, Variant variant) {
  std::string sql = "SELECT PartitionKey, RowKey";
  for (const Column& c : scenario_.tables[table].columns) sql += ", " + quoted(c.name);
  sql += " FROM @" + std::to_string(table) + "@ ORDER BY PartitionKey, RowKey";
  return run(with_tables(sql, variant), {}, true, true);
}

Result Database::traced(Variant variant) {
  return run(with_tables("SELECT * FROM trace@" + std::to_string(scenario_.writable()) + "@ ORDER BY 1, 2, 3",
                         variant),
             {}, true, true);
}

void Database::take_over_unknowable() {
  std::vector<std::string> names{"Timestamp"};
  for (const Column& c : scenario_.tables[scenario_.writable()].columns) {
    if (!c.type) names.push_back(quoted(c.name));
  }
  copy_from_foreign(scenario_.writable(), names);
}

std::string Database::check_properties() {
  // json_each reads both texts, so that the order of members and the spelling of numbers do not matter.
  for (std::size_t i = 0; i < scenario_.stores.size(); ++i) {
    execute("CREATE TEMP TABLE stored AS SELECT PartitionKey, RowKey, _properties FROM loader" +
            std::to_string(i));
    for (const Entity& entity : scenario_.stores[i].entities) {
      std::vector<std::vector<SqlValue>> keys{
          {SqlValue::text(entity.partition), SqlValue::text(entity.row), SqlValue::text(json_of(entity))}};
      Result stored =
          run("SELECT key, type, atom FROM stored, json_each(_properties) WHERE PartitionKey = ?1 AND RowKey "
              "= ?2 AND "
              "key NOT IN ('PartitionKey','RowKey','Timestamp')",
              keys, false, false);
      Result loaded = run("SELECT key, type, atom FROM json_each(?3)", keys, false, false);
      if (stored.same_as(loaded)) continue;
      std::string text = "_properties of " + sql_of(keys[0][0]) + ", " + sql_of(keys[0][1]) + " in " +
                         scenario_.stores[i].name + "\nloaded " + json_of(entity) + "\nread " + stored.error;
      for (const std::string& row : stored.rows) text += "\n  " + row;
      return text;
    }
    execute("DROP TABLE stored");
  }
  return {};
}

std::string Database::check_integrity() {
  // Of the whole file: it also walks what a virtual table declares, and must find nothing wrong there.
  Result check = run("PRAGMA integrity_check", {}, true, false);
  if (check.rows == std::vector<std::string>{"'ok'"}) return {};
  return "PRAGMA integrity_check: " + (check.rows.empty() ? check.error : check.rows[0]);
}

std::string Database::script(const Host& host, const Scenario& scenario) {
  // Any address: the service of the trial is gone.
  const std::string options = host.is_remote() ? ", endpoint '{endpoint}', dialect '{dialect}'" : "";
  std::string out = "PRAGMA encoding='" + scenario.encoding + "';\n";
  if (scenario.case_sensitive_like) out += "PRAGMA case_sensitive_like=1;\n";
  for (std::size_t i = 0; i < scenario.stores.size(); ++i) {
    const Store& store = scenario.stores[i];
    std::string loader = "loader" + std::to_string(i);
    out += "CREATE VIRTUAL TABLE " + loader + " USING table_storage(OPTIONS (table '" + store.name + "'" +
           options + "));\n";
    for (const Entity& entity : store.entities) {
      out += "INSERT INTO " + loader + "(PartitionKey, RowKey, _properties) VALUES(" +
             sql_of(SqlValue::text(entity.partition)) + ", " + sql_of(SqlValue::text(entity.row)) + ", " +
             sql_of(SqlValue::text(json_of(entity))) + ");\n";
    }
  }
  for (std::size_t i = 0; i < scenario.tables.size(); ++i) out += foreign_ddl(scenario, i, options) + ";\n";
  out += "CREATE TABLE h(id INTEGER PRIMARY KEY, i INTEGER, r REAL, t TEXT, b BLOB, n);\n";
  for (const HelperRow& row : scenario.helper) {
    out += "INSERT INTO h(i, r, t, b, n) VALUES(";
    for (std::size_t k = 0; k < row.values.size(); ++k) out += (k > 0 ? ", " : "") + sql_of(row.values[k]);
    out += ");\n";
  }
  return out + views_ddl(scenario, 'f') + ";\n";
}

}  // namespace table_storage::differential
