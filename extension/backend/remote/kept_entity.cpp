#include "extension/backend/remote/kept_entity.h"

#include "extension/backend/remote/packed_properties.h"

namespace table_storage::backend::remote {

KeptEntity::KeptEntity(const EntityView& from, std::string_view etag)
    : timestamp_(from.timestamp),
      row_key_at_(static_cast<std::uint32_t>(from.partition_key.size())),
      etag_at_(row_key_at_ + static_cast<std::uint32_t>(from.row_key.size())),
      properties_at_(etag_at_ + static_cast<std::uint32_t>(etag.size())) {
  bytes_.reserve(properties_at_ + packed_size(from.all));
  bytes_.append(from.partition_key).append(from.row_key).append(etag);
  append_packed(bytes_, from.all);
}

EntityView KeptEntity::view() const {
  EntityView entity;
  const std::string_view bytes = bytes_;
  entity.partition_key = bytes.substr(0, row_key_at_);
  entity.row_key = bytes.substr(row_key_at_, etag_at_ - row_key_at_);
  entity.timestamp = timestamp_;
  append_unpacked(entity.all, bytes.substr(properties_at_));
  return entity;
}

}  // namespace table_storage::backend::remote
