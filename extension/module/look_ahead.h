// The next look-ups of a join, asked for before SQLite comes to them.
//
// SQLite looks up the inner side of a join for one outer row after another, and each time waits for the
// service. Where the value of a key condition is each time what another cursor of the connection shows in its
// current row, the rows that this cursor has in memory tell what will be looked up next: these scans are
// opened ahead, so that their requests are under way at once.
//
// Nothing depends on the guess. A scan that was opened ahead serves the look-up of its own value and no
// other; one whose value does not come is dropped, and too many of those end the guessing.
//
// The connection's thread only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/module/foreign_table.h"
#include "extension/module/row_source.h"
#include "extension/module/scan_request.h"

namespace table_storage::module {

/// Where the first row of a look-up comes within so many microseconds, one scan is opened ahead and not as
/// many as option concurrency says: on the machine of the service more only cost. Tests, whose service
/// answers at once, set it to zero.
inline std::atomic<std::int64_t> near_service{1000};

/// The look-ups by one key column. All other conditions stay the same as long as it is used.
class LookAhead {
 public:
  /// `column`: kPartitionKey or kRowKey.
  LookAhead(ForeignTable& table, int column) : table_(table), column_(column) {}

  /// Told each look-up's value, before take() and start(). `self`: the cursor that looks up.
  void observe(const RowSource& self, std::string_view value);
  bool is_opened(std::string_view value) const;
  /// The scan that was opened for this value; null if there is none.
  std::unique_ptr<backend::Scan> take(std::string_view value);
  /// Opens the scans of the look-ups that are expected after the one of `value`, which `scan` is; `most` of
  /// them are open at a time.
  void start(const PlannedScan& scan, std::string_view value, std::size_t most);

 private:
  /// What of a row is looked up: a key, or a property by its position in the projection.
  struct Place {
    enum class Kind : unsigned char { partition_key, row_key, property };
    Kind kind = Kind::partition_key;
    std::size_t slot = 0;
  };
  struct Opened {
    std::string value;
    std::unique_ptr<backend::Scan> scan;
  };

  static std::optional<std::string_view> text_at(const Place& place, const backend::EntityView& row);
  static std::optional<Place> find(std::string_view value, const backend::EntityView& row);
  /// Its source, if that is still open.
  const RowSource* source() const;

  ForeignTable& table_;
  int column_;
  const RowSource* source_ = nullptr;  // not to be touched unless it is open: see source()
  Place place_;
  std::size_t agreed_ = 0;  // look-ups in a row whose value the place had
  std::vector<Opened> opened_;
  std::size_t taken_ = 0;
  std::size_t wasted_ = 0;
};

}  // namespace table_storage::module
