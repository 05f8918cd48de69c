// Pages of entities: from the JSON of one answer to rows of the columns that are wanted.
//
// A page is decoded as a whole before its first row is shown, so that a damaged one can be asked for again
// without a row coming twice, and so that the thread that fetches can decode. Text stays where it is in the
// body unless it has escapes.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

/// The rows of one answer. Movable; rows and their views stay where they are until the page is read into
/// again or destroyed. One thread at a time.
class Page {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const EntityView& operator[](std::size_t row) const { return rows_[row]; }
  /// The memory of the body, for another answer; the page is empty then.
  std::string take_buffer();
  std::size_t buffer_size() const { return body_.capacity(); }
  /// "odata.etag" of the row, byte for byte what If-Match takes; empty if the answer had none.
  std::string etag(std::size_t row) const;

 private:
  friend class PageReader;
  friend class PageDecoder;

  EntityView& append(std::size_t properties);
  void clear();

  std::string body_;  // with the padding that simdjson reads
  // Bytes that are not in the body as they are: unescaped text, GUIDs, Binary. On the heap, as it cannot
  // move.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_;
  std::vector<EntityView> rows_;  // more than count_ of them once a page had more: their vectors are reused
  std::vector<std::string_view> etags_;  // JSON strings with their quotes
  std::size_t count_ = 0;
};

class PageDecoder;

/// Reads pages for one projection. Learns the order of the members on the way, which makes later pages
/// cheaper: keep it for a scan. One thread at a time; not the one of the pages it has filled.
class PageReader {
 public:
  explicit PageReader(const Projection& projection);
  ~PageReader();
  PageReader(PageReader&&) noexcept;
  PageReader& operator=(PageReader&&) noexcept;

  /// An answer of minimal (or full) metadata: `{"value":[{…},…],"odata.metadata":…}`, members in any order,
  /// annotations before or after their values. EntityView::properties go by position of the projection;
  /// missing() stands for an absent property and for null. EntityView::all holds every property but keys and
  /// Timestamp, in order, if the projection asks for it. An absent Timestamp (not selected) is 0 ticks.
  ///
  /// Throws Error(storage), and leaves the page empty, if the JSON is damaged, a key is missing, or a value
  /// is not of its annotated type. Values that nobody wants are only checked for the place where they end.
  /// `body` with 64 bytes of capacity beyond its size is not copied.
  void read_list(std::string body, Page& page);
  /// One entity by its keys: `{"odata.metadata":…,"PartitionKey":…}`.
  void read_entity(std::string body, Page& page);

 private:
  std::unique_ptr<PageDecoder> decoder_;
};

/// The names in an answer to GET /Tables. Throws Error(storage) for damaged JSON. Any thread.
std::vector<std::string> read_table_names(std::string_view body);

}  // namespace table_storage::backend::remote
