// One scan over a local entity table.
//
// A scan is told when its table is about to be written (LocalDatabase::detach_scans) and then reads the rest
// of its entities into memory, so that it shows the table as it was: the one case in which memory grows with
// the table. The connection's thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/local/filter.h"
#include "extension/backend/local/range_cursor.h"
#include "extension/backend/local/record.h"

namespace table_storage::backend::local {

class LocalScan : public Scan {
 public:
  LocalScan(std::shared_ptr<TableCore> table, const ScanRequest& request);
  ~LocalScan() override;
  LocalScan(const LocalScan&) = delete;
  LocalScan& operator=(const LocalScan&) = delete;

  const EntityView* next() override;
  std::string etag() const override;

  const std::string& table_key() const { return table_->key; }
  /// The current entity stays valid, and what goes wrong is thrown by next() when it gets there.
  void detach() noexcept;

 private:
  const EntityView* show(const StoredEntity& row);
  void read_all(std::string_view record);
  void finish();

  std::shared_ptr<TableCore> table_;
  std::unique_ptr<LocalFilter> filter_;
  RangeCursor cursor_;
  bool listed_ = true;  // LocalDatabase knows this scan: it still reads from SQLite

  EntityView view_;
  RecordReader reader_;
  std::vector<std::size_t> first_of_;  // by position in the projection: first position of the same property
  bool has_twins_ = false;
  bool all_properties_;
  std::shared_ptr<NameStore> names_;      // what reader_ was resolved with
  std::shared_ptr<NameStore> all_names_;  // what the names in EntityView::all point into
};

}  // namespace table_storage::backend::local
