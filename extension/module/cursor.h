// One scan of a foreign table, as SQLite drives it: xFilter turns the plan and its values into a backend
// scan, xColumn shows the current entity.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "extension/backend/backend.h"
#include "extension/module/foreign_table.h"
#include "extension/module/pushdown.h"
#include "extension/sqlite.h"

namespace table_storage::module {

class Cursor {
 public:
  explicit Cursor(ForeignTable& table) : table_(table) {}

  void filter(const char* plan_text, sqlite3_value** argv);
  void next();
  bool eof() const { return row_ == nullptr; }
  void column(sqlite3_context* context, int index);
  std::int64_t rowid();

 private:
  /// False if no row can come.
  bool request_rows(sqlite3_value** argv, backend::ScanRequest& request);
  bool request_keys(sqlite3_value** argv, backend::ScanRequest& request);
  bool request_filter(sqlite3_value** argv, backend::ScanRequest& request);
  void request_limit(sqlite3_value** argv, backend::ScanRequest& request);
  bool request_rowids(sqlite3_value** argv, backend::ScanRequest& request);
  void show_property(sqlite3_context* context, const Column& column, int slot);
  void show_json(sqlite3_context* context);
  [[noreturn]] void mismatch(const Column& column, edm::ValueView value) const;

  ForeignTable& table_;
  std::string plan_text_;
  std::shared_ptr<const ResolvedPlan> plan_;
  std::unique_ptr<backend::Scan> scan_;
  const backend::EntityView* row_ = nullptr;
  std::unordered_set<std::int64_t> wanted_;  // rowids, where a scan has to look for them
  std::optional<std::string> odata_text_;    // what `_filter` was compared with
  bool sort_ = false;
  bool sort_by_row_key_ = false;
  bool counts_table_ = false;  // a complete scan tells the size of the table
  std::uint64_t seen_ = 0;
  int last_column_ = -1;  // that column() was asked for
};

/// `base` must come first: SQLite casts.
struct CursorVtab {
  sqlite3_vtab_cursor base{};
  Cursor cursor;

  explicit CursorVtab(ForeignTable& table) : cursor(table) {}
  static Cursor& of(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<CursorVtab*>(cursor)->cursor; }
};

}  // namespace table_storage::module
