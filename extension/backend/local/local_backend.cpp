#include "extension/backend/local/local_backend.h"

#include <algorithm>
#include <new>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/local/inner_savepoint.h"
#include "extension/backend/local/row_batch.h"
#include "extension/backend/local/scan.h"
#include "extension/sql_values.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

std::string lower_case(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::shared_ptr<TableCore> make_core(std::shared_ptr<LocalDatabase> database, const std::string& name) {
  auto core = std::make_shared<TableCore>();
  core->database = std::move(database);
  core->name = name;
  core->key = lower_case(name);
  return core;
}

// One statement is atomic by itself; reading and then writing is not.
bool reads_before_it_writes(const Operation& operation) {
  if (operation.kind == OperationKind::insert) return false;
  return operation.kind != OperationKind::remove || operation.if_match != "*";
}

bool is_table_name(std::string_view name) {
  try {
    check_table_name(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

// --- Backend ---------------------------------------------------------------------------------------------

LocalBackend::LocalBackend(sqlite3* db, std::string schema)
    : database_(std::make_shared<LocalDatabase>(db, std::move(schema))) {}

LocalBackend::LocalBackend(std::shared_ptr<LocalDatabase> database) : database_(std::move(database)) {}

void LocalBackend::register_functions(sqlite3* db) {
  register_match_function(db);
  register_take_function(db);
}

std::unique_ptr<Table> LocalBackend::open_table(const std::string& name, const TableOptions&) {
  check_table_name(name);
  return std::make_unique<LocalTable>(database_, name);
}

void LocalBackend::create_table(const std::string& name) {
  check_table_name(name);
  // A look at the schema as it is in the file: another connection may have changed it.
  for (const std::string& existing : list_tables()) {
    if (lower_case(existing) != lower_case(name)) continue;
    throw Error(Error::Kind::conflict, "TableAlreadyExists",
                "table " + existing + " exists already in schema " + database_->schema());
  }
  database_->create_entity_table(name);
}

void LocalBackend::drop_table(const std::string& name) {
  check_table_name(name);
  sqlite3* const db = database_->handle();
  const std::string sql = "DROP TABLE " + database_->qualified_entity_table(name);
  const int rc = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  if (rc == SQLITE_OK) return;
  const Error error =
      storage_error(db, rc,
                    "dropping table " + name + " of schema " + database_->schema() +
                        (rc == SQLITE_LOCKED ? " while a query of this connection is still reading" : ""));
  if (rc == SQLITE_ERROR && !database_->has_entity_table(name)) {
    throw Error(Error::Kind::missing, "ResourceNotFound",
                "there is no table " + name + " in schema " + database_->schema());
  }
  throw error;
}

std::vector<std::string> LocalBackend::list_tables() {
  sqlite3* const db = database_->handle();
  const std::string doing = "listing the tables of schema " + database_->schema();
  const std::string prefix = LocalDatabase::entity_table("");
  Statement query;
  const int rc = query.prepare(db, "SELECT substr(name, " + std::to_string(prefix.size() + 1) + ") FROM " +
                                       quoted_identifier(database_->schema()) +
                                       ".sqlite_schema WHERE type = 'table' AND lower(substr(name, 1, " +
                                       std::to_string(prefix.size()) + ")) = '" + prefix + "'");
  if (rc != SQLITE_OK) throw_storage_error(db, rc, doing);
  std::vector<std::string> names;
  while (next_row(query.get(), doing)) {
    std::string name = text_at(query.get(), 0);
    if (is_table_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return lower_case(a) < lower_case(b); });
  return names;
}

// --- Table -----------------------------------------------------------------------------------------------

LocalTable::LocalTable(std::shared_ptr<LocalDatabase> database, const std::string& name)
    : core_(make_core(std::move(database), name)), writer_(core_) {}

std::unique_ptr<Scan> LocalTable::open_scan(const ScanRequest& request) {
  return std::make_unique<LocalScan>(core_, request);
}

void LocalTable::run(const Operation& operation) {
  writer_.check(operation);
  core_->database->detach_scans(core_->key);
  if (!reads_before_it_writes(operation)) {
    writer_.execute(operation);
    return;
  }
  InnerSavepoint savepoint(*core_->database);
  writer_.execute(operation);
  savepoint.release();
}

void LocalTable::release() {
  core_->statements.finalize_all();
  writer_.release();
}

void LocalTable::forget_uncommitted() { core_->database->names().forget(); }

}  // namespace table_storage::backend::local
