#include "extension/backend/local/entity_reader.h"

#include <algorithm>
#include <utility>

#include "extension/backend/local/filter.h"

namespace table_storage::backend::local {
namespace {

std::vector<std::size_t> first_positions(const std::vector<std::string>& names) {
  std::vector<std::size_t> first(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    first[i] = static_cast<std::size_t>(std::find(names.begin(), names.end(), names[i]) - names.begin());
  }
  return first;
}

std::vector<RecordReader::Wanted> wanted_properties(const std::vector<std::string>& names) {
  std::vector<RecordReader::Wanted> wanted;
  wanted.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(names.begin(), here, names[i]) == here) {
      wanted.push_back({names[i], static_cast<std::uint32_t>(i)});
    }
  }
  return wanted;
}

}  // namespace

EntityReader::EntityReader(const Projection& projection)
    : projection_(projection),
      reader_(wanted_properties(projection_.properties)),
      first_of_(first_positions(projection_.properties)) {
  view_.properties.resize(first_of_.size());
  for (std::size_t i = 0; i < first_of_.size(); ++i) has_twins_ |= first_of_[i] != i;
}

bool EntityReader::reads(const Projection& projection) const {
  return projection.all_properties == projection_.all_properties &&
         projection.properties == projection_.properties;
}

const EntityView& EntityReader::read(LocalDatabase& database, const StoredEntity& row) {
  view_.partition_key = row.partition_key;
  view_.row_key = row.row_key;
  view_.timestamp = record_timestamp(row.record);
  if (reader_.wants_anything()) {
    std::fill(view_.properties.begin(), view_.properties.end(), edm::ValueView::missing());
    read_record(database, reader_, names_, row.record, view_.properties);
    if (has_twins_) {
      for (std::size_t i = 0; i < first_of_.size(); ++i) view_.properties[i] = view_.properties[first_of_[i]];
    }
  }
  if (projection_.all_properties) read_all(database, row.record);
  return view_;
}

void EntityReader::read_all(LocalDatabase& database, std::string_view record) {
  view_.all.clear();
  all_names_ = database.names().store();
  RecordCursor properties(record);
  while (properties.next()) {
    if (properties.name() > all_names_->size()) {
      database.names().refresh();
      if (properties.name() > all_names_->size()) unknown_name_in_record();
    }
    view_.all.push_back({all_names_->name(properties.name()), properties.value()});
  }
}

void EntityReader::clear() {
  view_.partition_key = view_.row_key = {};
  view_.all.clear();
  all_names_.reset();
}

}  // namespace table_storage::backend::local
