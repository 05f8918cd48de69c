// What the tables of one schema (main, temp, an attached file) share in one connection: the dictionary of
// property names and the list of scans under way. It must not outlive the schema: whoever attaches another
// file under the same name needs another object. The connection's thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/local/names.h"

struct sqlite3;

namespace table_storage::backend::local {

class LocalScan;

class LocalDatabase {
 public:
  LocalDatabase(sqlite3* db, std::string schema);
  LocalDatabase(const LocalDatabase&) = delete;
  LocalDatabase& operator=(const LocalDatabase&) = delete;

  sqlite3* handle() const { return db_; }
  const std::string& schema() const { return schema_; }
  PropertyNames& names() { return names_; }

  /// Name of the SQLite table behind an entity table, and the same with its schema as SQL text.
  static std::string entity_table(std::string_view table);
  std::string qualified_entity_table(std::string_view table) const;
  bool has_entity_table(std::string_view table) const;
  /// Does nothing if it exists. Throws Error(storage).
  void create_entity_table(const std::string& table);

  /// Scans announce themselves while they still have something to read: SQLite would show them entities that
  /// are written meanwhile, so that `INSERT INTO a SELECT … FROM b` would chase its own tail where a and b
  /// are one entity table.
  void enter(LocalScan* scan) { scans_.push_back(scan); }
  void leave(LocalScan* scan);
  /// Before a write to `table` (lower case): its scans read what is left into memory.
  void detach_scans(const std::string& table) {
    if (!scans_.empty()) detach_open_scans(table);
  }

 private:
  void detach_open_scans(const std::string& table);

  sqlite3* db_;
  std::string schema_;
  PropertyNames names_;
  std::vector<LocalScan*> scans_;
};

}  // namespace table_storage::backend::local
