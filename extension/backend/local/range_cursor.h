// Steps over the stored entities of some key ranges, with an optional filter, in key order. The layer between
// a scan and SQLite: it knows statements and keys, not what is in a record. The connection's thread only.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/local/filter.h"
#include "extension/backend/local/row_batch.h"
#include "extension/backend/local/statement.h"
#include "extension/backend/local/table_core.h"

namespace table_storage::backend::local {

class RangeCursor {
 public:
  /// `filter` may be null. `batch` is where rows are kept, empty at first. Both must outlive the cursor.
  RangeCursor(std::shared_ptr<TableCore> table, std::vector<KeyRange> ranges, LocalFilter* filter,
              RowBatch& batch);
  ~RangeCursor() { end_statement(); }
  RangeCursor(const RangeCursor&) = delete;
  RangeCursor& operator=(const RangeCursor&) = delete;

  /// False at the end, and at once for a table that does not exist. Throws Error(storage); Error(corrupt)
  /// naming the entity whose record the filter could not read.
  bool step();
  /// Valid until the next step(), whatever happens to the table.
  const StoredEntity& row() const { return row_; }
  /// Reads all that is left into memory and ends the statement. What goes wrong is thrown by step() when it
  /// gets there.
  void read_ahead() noexcept;

 private:
  bool refill(RowBatch& batch, std::size_t rows) noexcept;
  bool run(RowBatch& batch, std::size_t rows);
  bool start();
  void bind(const KeyRange& range);
  void end_statement();

  std::shared_ptr<TableCore> table_;
  std::vector<KeyRange> ranges_;
  std::size_t range_ = 0;  // the one that is running or comes next
  LocalFilter* filter_;
  Statement statement_;
  unsigned shape_ = 0;
  unsigned generation_ = 0;
  bool running_ = false;  // statement_ is within ranges_[range_]

  RowSink sink_;
  RowBatch& batch_;
  std::size_t batch_rows_ = 1;  // grows, so that who wants one entity reads one
  RowBatch ahead_;              // what read_ahead() found, after batch_
  std::exception_ptr failure_;  // comes after the rows that were read before it
  StoredEntity row_;
};

}  // namespace table_storage::backend::local
