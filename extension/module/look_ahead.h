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

#include <array>
#include <cstddef>
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

/// The look-ups of one plan by its keys. All conditions but those that `varying` names stay the same as long
/// as it is used.
class LookAhead {
 public:
  explicit LookAhead(ForeignTable& table) : table_(table) {}

  /// A key column, and the text that it is compared with.
  struct Key {
    int column;  // kPartitionKey or kRowKey
    std::string_view value;
    bool varies;  // it was another one in an earlier look-up
  };
  using Keys = std::vector<Key>;

  /// Told each look-up's keys, before take() and start(). `self`: the cursor that looks up.
  void observe(const RowSource& self, const Keys& keys);
  bool is_opened(const Keys& keys) const { return find_opened(keys) < opened_.size(); }
  /// The scan that was opened for these values; null if there is none.
  std::unique_ptr<backend::Scan> take(const Keys& keys);
  /// Opens the scans of the look-ups that are expected after the one of `keys`, which `scan` is; `most` of
  /// them are open at a time.
  void start(const PlannedScan& scan, const Keys& keys, std::size_t most);

 private:
  /// What of a row is looked up: a key, or a property by its position in the projection.
  struct Place {
    enum class Kind : unsigned char { partition_key, row_key, property };
    Kind kind = Kind::partition_key;
    std::size_t slot = 0;
  };
  /// Where the values of a column come from.
  struct Origin {
    const RowSource* source = nullptr;  // not to be touched unless it is open: see open_source()
    Place place;
    std::size_t agreed = 0;  // look-ups in a row whose value the place had
  };
  struct Opened {
    std::vector<std::string> values;  // of the keys
    std::unique_ptr<backend::Scan> scan;
  };

  static std::optional<std::string_view> text_at(const Place& place, const backend::EntityView& row);
  static std::optional<Place> find(std::string_view value, const backend::EntityView& row);
  static Origin find_origin(const RowSource& self, std::string_view value,
                            const std::vector<const RowSource*>& open);
  const RowSource* open_source(const Origin& origin) const;
  std::size_t find_opened(const Keys& keys) const;  // its place; opened_.size() if there is none
  void drop_opened();
  bool is_over() const;

  ForeignTable& table_;
  std::array<Origin, 2> origins_;  // of kPartitionKey and kRowKey
  std::vector<Opened> opened_;
  std::size_t taken_ = 0;
  std::size_t wasted_ = 0;
};

}  // namespace table_storage::module
