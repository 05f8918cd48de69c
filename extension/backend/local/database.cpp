#include "extension/backend/local/database.h"

#include <algorithm>
#include <utility>

#include "extension/backend/local/scan.h"
#include "extension/backend/local/statement.h"

namespace table_storage::backend::local {

LocalDatabase::LocalDatabase(sqlite3* db, std::string schema)
    : db_(db), schema_(std::move(schema)), names_(db, schema_) {}

std::string LocalDatabase::entity_table(std::string_view table) {
  return "ts_entities_" + std::string(table);
}

std::string LocalDatabase::qualified_entity_table(std::string_view table) const {
  return quoted_identifier(schema_) + "." + quoted_identifier(entity_table(table));
}

bool LocalDatabase::has_entity_table(std::string_view table) const {
  return table_exists(db_, schema_, entity_table(table));
}

void LocalDatabase::create_entity_table(const std::string& table) {
  execute(db_,
          "CREATE TABLE IF NOT EXISTS " + qualified_entity_table(table) +
              "(PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Entity BLOB NOT NULL, "
              "PRIMARY KEY(PartitionKey, RowKey)) WITHOUT ROWID",
          "creating table " + table + " in schema " + schema_);
}

void LocalDatabase::leave(LocalScan* scan) {
  // The last to come is nearly always the first to go.
  const auto it = std::find(scans_.rbegin(), scans_.rend(), scan);
  if (it != scans_.rend()) scans_.erase(std::next(it).base());
}

void LocalDatabase::detach_open_scans(const std::string& table) {
  std::vector<LocalScan*> chosen;
  for (LocalScan* scan : scans_) {
    if (scan->table_key() == table) chosen.push_back(scan);
  }
  for (LocalScan* scan : chosen) scan->detach();
}

}  // namespace table_storage::backend::local
