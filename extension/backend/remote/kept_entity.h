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
  std::string bytes_;  // keys, ETag, packed properties
  std::int64_t timestamp_;
  std::uint32_t row_key_at_;
  std::uint32_t etag_at_;
  std::uint32_t properties_at_;
};

}  // namespace table_storage::backend::remote
