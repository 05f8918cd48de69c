// An OData filter that runs inside SQLite's own statement, so that an entity which does not match never
// leaves it.
//
// The statement of a scan asks ts_local_match(?, Entity [, PartitionKey, RowKey]) about each row; the first
// argument is a pointer to a LocalFilter, which SQL text cannot make. The connection's thread only.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "extension/backend/local/database.h"
#include "extension/backend/local/record.h"
#include "parser/error.h"
#include "parser/odata/evaluate.h"

struct sqlite3;
struct sqlite3_stmt;

namespace table_storage::backend::local {

/// Makes ts_local_match known to the connection. Throws Error(storage).
void register_match_function(sqlite3* db);

class LocalFilter {
 public:
  LocalFilter(odata::Filter filter, std::shared_ptr<LocalDatabase> database);
  LocalFilter(const LocalFilter&) = delete;
  LocalFilter& operator=(const LocalFilter&) = delete;

  /// Whether matches() needs the keys; else both may be empty.
  bool uses_keys() const { return partition_slot_ != kNone || row_slot_ != kNone; }
  /// True for a record that cannot be read, too: failure() then says why, and the scan, which gets to see the
  /// entity as the last of its rows, can name it.
  bool matches(std::string_view record, std::string_view partition_key, std::string_view row_key);
  const std::optional<Error>& failure() const { return failure_; }
  /// Gives the statement this filter as parameter `index`, until it is bound anew.
  void bind(sqlite3_stmt* statement, int index);

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  void read(std::string_view record);

  std::shared_ptr<LocalDatabase> database_;
  odata::Evaluator evaluator_;
  std::vector<edm::ValueView> slots_;
  std::size_t partition_slot_ = kNone;
  std::size_t row_slot_ = kNone;
  std::size_t timestamp_slot_ = kNone;
  RecordReader reader_;
  std::shared_ptr<NameStore> names_;
  std::optional<Error> failure_;
};

/// Reads a record with `reader`, resolving it anew where `names` is not the current store or the record has
/// newer names. Throws Error(corrupt).
void read_record(LocalDatabase& database, RecordReader& reader, std::shared_ptr<NameStore>& names,
                 std::string_view record, std::vector<edm::ValueView>& slots);

}  // namespace table_storage::backend::local
