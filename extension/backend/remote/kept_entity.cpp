#include "extension/backend/remote/kept_entity.h"

#include <cstring>

namespace table_storage::backend::remote {

namespace {

template <class Number>
void put(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

template <class Number>
Number take(std::string_view& in) {
  Number number;
  std::memcpy(&number, in.data(), sizeof number);
  in.remove_prefix(sizeof number);
  return number;
}

std::string_view take_bytes(std::string_view& in, std::size_t size) {
  const std::string_view bytes = in.substr(0, size);
  in.remove_prefix(size);
  return bytes;
}

bool is_text(edm::Type type) {
  return type == edm::Type::String || type == edm::Type::Binary || type == edm::Type::Guid;
}

edm::ValueView number_of(edm::Type type, std::int64_t bits) {
  switch (type) {
    case edm::Type::Boolean:
      return edm::ValueView::boolean(bits != 0);
    case edm::Type::Int32:
      return edm::ValueView::int32(static_cast<std::int32_t>(bits));
    case edm::Type::Int64:
      return edm::ValueView::int64(bits);
    case edm::Type::DateTime:
      return edm::ValueView::datetime(bits);
    case edm::Type::Double: {
      double number;
      std::memcpy(&number, &bits, sizeof number);
      return edm::ValueView::real(number);
    }
    case edm::Type::String:
    case edm::Type::Binary:
    case edm::Type::Guid:
      break;
  }
  return edm::ValueView::missing();
}

edm::ValueView text_of(edm::Type type, std::string_view bytes) {
  if (type == edm::Type::Binary) return edm::ValueView::binary(bytes);
  return type == edm::Type::Guid ? edm::ValueView::guid(bytes) : edm::ValueView::string(bytes);
}

}  // namespace

KeptEntity::KeptEntity(const EntityView& from, std::string_view etag)
    : timestamp_(from.timestamp),
      row_key_at_(static_cast<std::uint32_t>(from.partition_key.size())),
      etag_at_(row_key_at_ + static_cast<std::uint32_t>(from.row_key.size())),
      properties_at_(etag_at_ + static_cast<std::uint32_t>(etag.size())) {
  std::size_t size = properties_at_;
  for (const NamedValue& property : from.all)
    size += 15 + property.name.size() + property.value.bytes().size();
  bytes_.reserve(size);
  bytes_.append(from.partition_key).append(from.row_key).append(etag);
  for (const auto& [name, value] : from.all) {
    if (!value) continue;
    ++count_;
    put(bytes_, static_cast<std::uint16_t>(name.size()));
    put(bytes_, value.type());
    if (is_text(value.type())) {
      put(bytes_, static_cast<std::uint32_t>(value.bytes().size()));
      bytes_ += value.bytes();
    } else if (value.type() == edm::Type::Double) {
      put(bytes_, value.as_double());
    } else {
      put(bytes_, value.as_int64());
    }
    bytes_ += name;
  }
  bytes_.shrink_to_fit();
}

EntityView KeptEntity::view() const {
  EntityView entity;
  const std::string_view bytes = bytes_;
  entity.partition_key = bytes.substr(0, row_key_at_);
  entity.row_key = bytes.substr(row_key_at_, etag_at_ - row_key_at_);
  entity.timestamp = timestamp_;
  entity.all.reserve(count_);
  for (std::string_view rest = bytes.substr(properties_at_); !rest.empty();) {
    const auto name_size = take<std::uint16_t>(rest);
    const auto type = take<edm::Type>(rest);
    edm::ValueView value;
    if (is_text(type)) {
      const auto size = take<std::uint32_t>(rest);
      value = text_of(type, take_bytes(rest, size));
    } else {
      value = number_of(type, take<std::int64_t>(rest));
    }
    entity.all.push_back({take_bytes(rest, name_size), value});
  }
  return entity;
}

}  // namespace table_storage::backend::remote
