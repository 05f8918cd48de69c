// A whole entity in one piece of memory, for an UPDATE that has to keep every row it was shown.
//
// Immutable after construction: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

class KeptEntity {
 public:
  /// Keeps the keys, the Timestamp and EntityView::all, not EntityView::properties.
  KeptEntity(const EntityView& from, std::string_view etag);

  std::string_view etag() const {
    return std::string_view(bytes_).substr(etag_at_, properties_at_ - etag_at_);
  }
  /// Its texts are in this object.
  EntityView view() const;

 private:
  // Keys, ETag, then for each property: name size (2 bytes), type (1), value (8) or its size (4) and bytes,
  // name.
  std::string bytes_;
  std::int64_t timestamp_;
  std::uint32_t row_key_at_;
  std::uint32_t etag_at_;
  std::uint32_t properties_at_;
  std::uint32_t count_ = 0;
};

}  // namespace table_storage::backend::remote
