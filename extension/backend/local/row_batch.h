// Rows of an entity table on their way out of SQLite, many a step.
//
// sqlite3_step() and the sqlite3_column_…() calls, each of which takes the connection's mutex, cost more a
// row than the rest of a scan. So the rows do not come out as results: the statement of a scan calls
// ts_local_take(?, PartitionKey, RowKey, Entity) in its WHERE clause, which copies the row into a RowBatch
// and is true only when the batch is full. The first argument is a pointer, which SQL text cannot make. The
// connection's thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace table_storage::backend::local {

class LocalFilter;

/// A row as it is stored.
struct StoredEntity {
  std::string_view partition_key;
  std::string_view row_key;
  std::string_view record;
};

/// Rows in the order in which they were appended. Views of a row are valid until the next append() or
/// clear().
class RowBatch {
 public:
  void append(const StoredEntity& row);
  /// False after the last row.
  bool next(StoredEntity& row);
  /// Takes away the row that was appended last, which next() has not given.
  StoredEntity take_last();
  void clear();
  /// Of an empty batch: gives up memory that only unusually large rows needed.
  void shrink();
  std::size_t rows() const { return rows_.size(); }
  std::size_t bytes() const { return size_; }

 private:
  struct Sizes {
    std::uint32_t partition_key, row_key, record;
  };
  std::unique_ptr<char[]> buffer_;  // the bytes of all rows one after another
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::vector<Sizes> rows_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
};

/// Where ts_local_take puts the rows of one statement.
class RowSink {
 public:
  static constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();

  /// `filter` may be null; where it fails, the row that it failed on is the last one taken.
  explicit RowSink(const LocalFilter* filter) : filter_(filter) {}
  /// The next rows go to `batch`, which is full with `rows` rows, or earlier if rows are large. It must stay
  /// until the statement ends or fill() is called again.
  void fill(RowBatch& batch, std::size_t rows) {
    batch_ = &batch;
    wanted_ = rows;
  }
  /// True when the batch is full.
  bool take(const StoredEntity& row);
  /// Gives the statement this sink as parameter `index`, until it is bound anew.
  void bind(sqlite3_stmt* statement, int index);

 private:
  const LocalFilter* filter_;
  RowBatch* batch_ = nullptr;
  std::size_t wanted_ = 0;
};

/// Makes ts_local_take known to the connection. Throws Error(storage).
void register_take_function(sqlite3* db);

}  // namespace table_storage::backend::local
