// Pages of entities: from the JSON of one answer to rows of the columns that are wanted.
//
// A page is decoded as a whole before its first row is shown, so that a damaged one can be asked for again
// without a row coming twice, and so that the thread that fetches can decode. Text stays where it is in the
// body unless it has escapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

/// The rows of one answer. Movable; what the views of a row show stays where it is until the page is read
/// into again or destroyed. One thread at a time.
///
/// The thread that decodes is another than the one that reads as a rule, and what they share travels between
/// the caches of two processors: so a row is small and rows lie side by side.
class Page {
 public:
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  std::string_view partition_key(std::size_t row) const { return rows_[row].partition_key; }
  std::string_view row_key(std::size_t row) const { return rows_[row].row_key; }
  /// Makes `entity` a view of the row; its vectors are used again.
  void show(std::size_t row, EntityView& entity) const;
  EntityView operator[](std::size_t row) const;
  /// The memory of the body, for another answer; the page is empty then.
  std::string take_buffer();
  std::size_t buffer_size() const { return body_.capacity(); }
  /// Bytes of the body and the rows.
  std::size_t memory() const {
    return body_.capacity() + rows_.capacity() * sizeof(Row) + values_.capacity() * sizeof(edm::ValueView) +
           all_.capacity() * sizeof(NamedValue);
  }
  /// "odata.etag" of the row, byte for byte what If-Match takes; empty if the answer had none.
  std::string etag(std::size_t row) const;

 private:
  friend class PageReader;
  friend class PageDecoder;

  struct Row {
    std::string_view partition_key;
    std::string_view row_key;
    std::int64_t timestamp = 0;
    // A JSON string with its quotes, in the body. Bytes; answers are smaller than 4 GiB.
    std::uint32_t etag = 0;
    std::uint32_t etag_size = 0;
  };

  /// A new row, the last one; its properties are missing.
  Row& append();
  void clear(std::size_t properties);
  edm::ValueView* properties(std::size_t row) { return values_.data() + row * width_; }

  std::string body_;  // with the padding that simdjson reads
  // Bytes that are not in the body as they are: unescaped text, GUIDs, Binary. On the heap, as it cannot
  // move.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_;
  std::vector<Row> rows_;
  std::size_t width_ = 0;               // properties of the projection
  std::vector<edm::ValueView> values_;  // width_ of each row
  std::vector<NamedValue> all_;         // those of one row after another, if all are asked for
  std::vector<std::size_t> all_ends_;   // behind the last one of each row
};

class PageDecoder;
class ParserPool;

/// Memory to parse in for the readers of a session.
std::shared_ptr<ParserPool> make_parser_pool();

/// Reads pages for one projection. Learns the order of the members on the way, which makes later pages
/// cheaper: keep it for a scan. One thread at a time; not the one of the pages it has filled.
class PageReader {
 public:
  explicit PageReader(const Projection& projection, std::shared_ptr<ParserPool> parsers = make_parser_pool());
  ~PageReader();

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
