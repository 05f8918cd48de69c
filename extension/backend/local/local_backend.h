// The backend that needs no set-up: entities in the SQLite database itself, with the semantics of the
// service.
//
// Each Table Storage table is one SQLite table, made on first write:
//
//   CREATE TABLE "ts_entities_<Name>"(PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Entity BLOB NOT NULL,
//                                     PRIMARY KEY(PartitionKey, RowKey)) WITHOUT ROWID
//
// SQLite keeps the case of table names and ignores it when it looks them up, as the service does. Entity is a
// record (record.h). Writes happen in the transaction of the connection: SQLite's own journal undoes them,
// and forget_uncommitted() must then be called on every table of the schema's LocalDatabase.
//
// The connection's thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/local/database.h"
#include "extension/backend/local/writer.h"

struct sqlite3;

namespace table_storage::backend::local {

class LocalBackend : public Backend {
 public:
  /// `schema`: "main", "temp" or the name of an attached file. The connection must have had
  /// register_functions().
  LocalBackend(sqlite3* db, std::string schema);
  /// For several backends of one schema: they must share, so that a write through one is seen by the scans of
  /// all.
  explicit LocalBackend(std::shared_ptr<LocalDatabase> database);

  /// The SQL function that scans with a filter use. Once a connection.
  static void register_functions(sqlite3* db);

  /// Throws InvalidResourceName, OutOfRangeInput, InvalidInput.
  std::unique_ptr<Table> open_table(const std::string& name, const TableOptions& options = {}) override;
  void create_table(const std::string& name) override;
  /// Error(storage) with SQLITE_LOCKED while a query of the connection is reading any table.
  void drop_table(const std::string& name) override;
  std::vector<std::string> list_tables() override;

  const std::shared_ptr<LocalDatabase>& database() const { return database_; }

 private:
  std::shared_ptr<LocalDatabase> database_;
};

class LocalTable : public Table {
 public:
  LocalTable(std::shared_ptr<LocalDatabase> database, const std::string& name);

  Capabilities capabilities() const override { return {}; }
  std::unique_ptr<Scan> open_scan(const ScanRequest& request) override;
  void run(const Operation& operation) override;
  void release() override;
  void forget_uncommitted() override;

 private:
  std::shared_ptr<TableCore> core_;
  EntityWriter writer_;
};

}  // namespace table_storage::backend::local
