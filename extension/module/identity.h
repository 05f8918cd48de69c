// Which entity a rowid means.
//
// A foreign table is a rowid virtual table, because SQLite refuses a writable WITHOUT ROWID virtual table
// with a two-column key. The rowid is a 63-bit hash of both keys, so that every scan gives an entity the same
// one: OR plans and RIGHT or FULL JOIN remove duplicates by it. A hash cannot be turned back into keys, so
// during a write the map below keeps the keys and the ETag of each row that was shown, until the transaction
// ends. There a collision is resolved too: the second entity gets the next free number.
//
// One thread, the connection's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace table_storage::module {

/// Never negative. Length and content of both keys enter: ("ab","c") differs from ("a","bc").
std::int64_t hash_of_keys(std::string_view partition_key, std::string_view row_key);

/// For tests that need collisions: keeps only these bits of every hash. All bits by default.
void set_hash_mask_for_testing(std::int64_t mask);

/// What is known of one row that was shown.
struct ShownRow {
  std::string partition_key;
  std::string row_key;
  std::string etag;       // "*" after a write of ours: nobody else can have changed the entity since
  bool replaced = false;  // another row took its keys by OR REPLACE: there is nothing left to write
};

class RowMap {
 public:
  /// Remembers the row under its rowid and returns that. Called again for the same keys it returns the same
  /// rowid and takes over the newer ETag.
  std::int64_t remember(std::string_view partition_key, std::string_view row_key, std::string_view etag);
  /// The rowid of these keys: the remembered one, else their hash.
  std::int64_t rowid_of(std::string_view partition_key, std::string_view row_key) const;
  /// Nothing for a rowid that was not shown in this transaction.
  std::optional<ShownRow> find(std::int64_t rowid) const;
  /// A row of the map was written by this transaction. SQLite may hand in the same row once more before it is
  /// scanned anew: UPDATE … FROM does for every match.
  void mark_written(std::string_view partition_key, std::string_view row_key);
  void mark_replaced(std::string_view partition_key, std::string_view row_key);
  void clear() { rows_.clear(); }
  bool empty() const { return rows_.empty(); }

 private:
  /// A statement may show every row of a table, so a row is kept in one piece of memory.
  struct Row {
    std::string text;  // partition key, row key, ETag
    std::uint32_t partition_size = 0;
    std::uint32_t row_size = 0;
    bool replaced = false;

    std::string_view partition_key() const { return std::string_view(text).substr(0, partition_size); }
    std::string_view row_key() const { return std::string_view(text).substr(partition_size, row_size); }
    bool is(std::string_view partition, std::string_view row) const {
      return partition_key() == partition && row_key() == row;
    }
    void set_etag(std::string_view etag) { text.replace(partition_size + row_size, std::string::npos, etag); }
  };
  Row* find(std::string_view partition_key, std::string_view row_key);

  std::unordered_map<std::int64_t, Row> rows_;
};

}  // namespace table_storage::module
