// One row of each partition, for SELECT DISTINCT PartitionKey: where a page full of rows was all of one
// partition, the next request asks for what is behind that partition, instead of the rest of it.
//
// So a request covers at least one partition and at least one page, and none is made in vain: partitions of
// many entities cost one request each, small ones are read page by page. When the first pages have found
// nothing to skip, the rest is read as any other scan. Rows of a partition that come in the same page are
// handed out too; SQLite leaves them out.
//
// The connection's thread only.
#pragma once

#include <memory>
#include <string>

#include "extension/backend/backend.h"

namespace table_storage::module {

class SkipScan : public backend::Scan {
 public:
  /// `request` has one range, of partitions, that holds whatever SQLite could accept of them. `table` has key
  /// order and outlives the scan. `page`: option page_size.
  SkipScan(backend::Table& table, backend::ScanRequest request, std::size_t page);

  const backend::EntityView* next() override;
  std::string etag() const override { return scan_->etag(); }
  /// Somebody tells rows apart (an OR, a RIGHT JOIN): from now on every row comes.
  void stop_skipping();

 private:
  void open_behind(const std::string& partition_key);

  backend::Table& table_;
  backend::ScanRequest request_;
  const std::size_t page_;
  std::unique_ptr<backend::Scan> scan_;
  std::string partition_;         // of the rows that came last
  std::size_t rows_ = 0;          // of it, since scan_ was opened
  std::size_t rows_in_vain_ = 0;  // since a partition was skipped
  bool plain_ = false;            // the rest is read as it is
};

}  // namespace table_storage::module
