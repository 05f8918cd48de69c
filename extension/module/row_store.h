// Entities kept in memory for the length of a statement: the inner side of a join.
//
// Rows lie packed in blocks and are never moved or removed one by one; the store goes as a whole. One thread,
// the connection's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::module {

class RowStore {
 public:
  RowStore() = default;
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  /// Copies the entity; its number is the size() before.
  void add(const backend::EntityView& entity, std::string_view etag);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Memory in use, to within the slack of its blocks.
  std::size_t bytes() const { return bytes_; }

  /// Points `view` to the row; its vectors are used again. Valid as long as the store.
  void show(std::size_t row, backend::EntityView& view) const;
  std::string_view etag(std::size_t row) const { return at(row).etag; }
  std::string_view partition_key(std::size_t row) const { return at(row).partition_key; }
  std::string_view row_key(std::size_t row) const { return at(row).row_key; }
  std::int64_t timestamp(std::size_t row) const { return at(row).timestamp; }
  /// A projected property, by its position in the projection.
  edm::ValueView property(std::size_t row, std::size_t slot) const { return at(row).properties[slot]; }

 private:
  struct Row {
    std::string_view partition_key;
    std::string_view row_key;
    std::string_view etag;
    std::int64_t timestamp = 0;
    const edm::ValueView* properties = nullptr;
    const backend::NamedValue* all = nullptr;
    std::uint32_t property_count = 0;
    std::uint32_t all_count = 0;
  };

  const Row& at(std::size_t row) const { return blocks_[row / kBlock][row % kBlock]; }
  std::string_view keep(std::string_view text);
  edm::ValueView keep(edm::ValueView value);
  /// Names of properties come again in every row.
  std::string_view keep_name(std::string_view name);
  template <class T>
  T* allocate(std::size_t count);

  std::pmr::monotonic_buffer_resource memory_;
  std::size_t bytes_ = 0;
  // Not one piece: where that has to grow, it leaves as much behind as it had. Small: a partition has its own
  // store.
  static constexpr std::size_t kBlock = 16;
  std::vector<Row*> blocks_;
  std::size_t size_ = 0;
  std::unordered_set<std::string_view> names_;
};

}  // namespace table_storage::module
