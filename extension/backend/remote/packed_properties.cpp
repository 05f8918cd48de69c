#include "extension/backend/remote/packed_properties.h"

#include <cstdint>
#include <cstring>

namespace table_storage::backend::remote {

namespace {

// A property: size of the name (2 bytes), type (1), the value (8) or its size (4) and bytes, the name.
constexpr std::size_t kHead = sizeof(std::uint16_t) + sizeof(edm::Type);

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

edm::ValueView take_number(std::string_view& in, edm::Type type) {
  if (type == edm::Type::Double) return edm::ValueView::real(take<double>(in));
  const auto number = take<std::int64_t>(in);
  switch (type) {
    case edm::Type::Boolean:
      return edm::ValueView::boolean(number != 0);
    case edm::Type::Int32:
      return edm::ValueView::int32(static_cast<std::int32_t>(number));
    case edm::Type::DateTime:
      return edm::ValueView::datetime(number);
    default:
      return edm::ValueView::int64(number);
  }
}

edm::ValueView take_text(std::string_view& in, edm::Type type) {
  const auto size = take<std::uint32_t>(in);
  const std::string_view bytes = take_bytes(in, size);
  if (type == edm::Type::Binary) return edm::ValueView::binary(bytes);
  return type == edm::Type::Guid ? edm::ValueView::guid(bytes) : edm::ValueView::string(bytes);
}

}  // namespace

std::size_t packed_size(const std::vector<NamedValue>& properties) {
  std::size_t size = 0;
  for (const auto& [name, value] : properties) {
    if (!value) continue;
    size += kHead + name.size();
    size += is_text(value.type()) ? sizeof(std::uint32_t) + value.bytes().size() : sizeof(std::int64_t);
  }
  return size;
}

void append_packed(std::string& out, const std::vector<NamedValue>& properties) {
  for (const auto& [name, value] : properties) {
    if (!value) continue;
    put(out, static_cast<std::uint16_t>(name.size()));
    put(out, value.type());
    if (is_text(value.type())) {
      put(out, static_cast<std::uint32_t>(value.bytes().size()));
      out += value.bytes();
    } else if (value.type() == edm::Type::Double) {
      put(out, value.as_double());
    } else {
      put(out, value.as_int64());
    }
    out += name;
  }
}

void append_unpacked(std::vector<NamedValue>& out, std::string_view packed) {
  while (!packed.empty()) {
    const auto name_size = take<std::uint16_t>(packed);
    const auto type = take<edm::Type>(packed);
    const edm::ValueView value = is_text(type) ? take_text(packed, type) : take_number(packed, type);
    out.push_back({take_bytes(packed, name_size), value});
  }
}

PackedProperties::PackedProperties(const std::vector<NamedValue>& properties) {
  bytes_.reserve(packed_size(properties));
  append_packed(bytes_, properties);
}

}  // namespace table_storage::backend::remote
