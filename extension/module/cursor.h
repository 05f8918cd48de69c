// One scan of a foreign table, as SQLite drives it: xFilter turns the plan and its values into a backend
// scan, or into rows that a join cache holds; xColumn shows the current entity.
//
// The connection's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "extension/backend/backend.h"
#include "extension/module/foreign_table.h"
#include "extension/module/join_cache.h"
#include "extension/module/row_source.h"
#include "extension/module/skip_scan.h"
#include "extension/sqlite.h"

namespace table_storage::module {

class Cursor final : public RowSource {
 public:
  explicit Cursor(ForeignTable& table) : table_(table) { table_.session().add_row_source(this); }
  ~Cursor() override { table_.session().remove_row_source(this); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// Takes over the join caches of the cursor whose place this one takes. Up to SQLite 3.49 a correlated
  /// subquery opens its cursor anew for each evaluation: xOpen of the new one is followed at once by xClose
  /// of the old one. That is how the caches live exactly as long as the statement.
  void inherit(Cursor& old);

  void filter(const char* plan_text, sqlite3_value** argv);
  void next();
  bool eof() const { return row_ == nullptr; }
  void column(sqlite3_context* context, int index);
  std::int64_t rowid();

  const backend::EntityView* current() const override { return row_; }
  bool peek(std::size_t distance, backend::EntityView& entity) const override;

 private:
  JoinCache* cache_of_plan();
  void show_kept();
  void end_of_scan();
  std::string etag() const;
  void show_property(sqlite3_context* context, const Column& column, int slot);
  void show_json(sqlite3_context* context);
  [[noreturn]] void not_fetched(const Column& column) const;
  [[noreturn]] void mismatch(const Column& column, edm::ValueView value) const;

  ForeignTable& table_;
  std::string plan_text_;
  std::shared_ptr<const ResolvedPlan> plan_;
  std::unique_ptr<JoinCaches> caches_;
  bool keeps_rows_ = false;       // the current plan is one for the cache
  JoinCache* cache_ = nullptr;    // of the current plan; null: no use
  std::optional<KeptRows> kept_;  // the rows, where the cache has them; else scan_
  backend::EntityView kept_row_;
  std::unique_ptr<backend::Scan> scan_;
  SkipScan* skips_ = nullptr;  // scan_, where it skips
  const backend::EntityView* row_ = nullptr;
  std::unordered_set<std::int64_t> wanted_;  // rowids, where a scan has to look for them
  std::optional<std::string> odata_text_;    // what `_filter` was compared with
  bool counts_table_ = false;                // a complete scan tells the size of the table
  bool counts_partition_ = false;            // or of a partition
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
