// One scan over a local entity table.
//
// A scan is told when its table is about to be written (LocalDatabase::detach_scans) and then reads the rest
// of its entities into memory, so that it shows the table as it was: the one case in which memory grows with
// the table. The connection's thread only.
#pragma once

#include <memory>
#include <string>

#include "extension/backend/backend.h"
#include "extension/backend/local/filter.h"
#include "extension/backend/local/range_cursor.h"

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
  void finish();

  std::shared_ptr<TableCore> table_;
  std::unique_ptr<LocalFilter> filter_;
  std::unique_ptr<ScanParts> parts_;
  RangeCursor cursor_;
  bool listed_ = true;  // LocalDatabase knows this scan: it may still read from SQLite
};

}  // namespace table_storage::backend::local
