#include "extension/module/row_store.h"

#include <algorithm>
#include <new>

namespace table_storage::module {

template <class T>
T* RowStore::allocate(std::size_t count) {
  bytes_ += count * sizeof(T);
  return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
}

std::string_view RowStore::keep(std::string_view text) {
  if (text.empty()) return "";
  char* copy = allocate<char>(text.size());
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

edm::ValueView RowStore::keep(edm::ValueView value) {
  if (!value) return value;
  switch (value.type()) {
    case edm::Type::String:
      return edm::ValueView::string(keep(value.bytes()));
    case edm::Type::Binary:
      return edm::ValueView::binary(keep(value.bytes()));
    case edm::Type::Guid:
      return edm::ValueView::guid(keep(value.bytes()));
    default:
      return value;
  }
}

std::string_view RowStore::keep_name(std::string_view name) {
  const auto known = names_.find(name);
  return known != names_.end() ? *known : *names_.insert(keep(name)).first;
}

void RowStore::add(const backend::EntityView& entity, std::string_view etag) {
  Row row;
  row.partition_key = keep(entity.partition_key);
  row.row_key = keep(entity.row_key);
  row.etag = keep(etag);
  row.timestamp = entity.timestamp;
  if (!entity.properties.empty()) {
    auto* values = allocate<edm::ValueView>(entity.properties.size());
    for (std::size_t i = 0; i < entity.properties.size(); ++i)
      new (values + i) edm::ValueView(keep(entity.properties[i]));
    row.properties = values;
    row.property_count = static_cast<std::uint32_t>(entity.properties.size());
  }
  if (!entity.all.empty()) {
    auto* values = allocate<backend::NamedValue>(entity.all.size());
    for (std::size_t i = 0; i < entity.all.size(); ++i) {
      new (values + i) backend::NamedValue{keep_name(entity.all[i].name), keep(entity.all[i].value)};
    }
    row.all = values;
    row.all_count = static_cast<std::uint32_t>(entity.all.size());
  }
  if (size_ % kBlock == 0) blocks_.push_back(allocate<Row>(kBlock));
  new (blocks_.back() + size_ % kBlock) Row(row);
  ++size_;
}

void RowStore::show(std::size_t number, backend::EntityView& view) const {
  const Row& row = at(number);
  view.partition_key = row.partition_key;
  view.row_key = row.row_key;
  view.timestamp = row.timestamp;
  view.properties.assign(row.properties, row.properties + row.property_count);
  view.all.assign(row.all, row.all + row.all_count);
}

}  // namespace table_storage::module
