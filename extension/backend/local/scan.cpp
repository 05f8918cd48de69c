#include "extension/backend/local/scan.h"

#include <algorithm>
#include <utility>

#include "extension/backend/local/etag.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

std::unique_ptr<LocalFilter> make_filter(const TableCore& table, const ScanRequest& request) {
  if (!request.filter) return nullptr;
  return std::make_unique<LocalFilter>(*request.filter, table.database);
}

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

LocalScan::LocalScan(std::shared_ptr<TableCore> table, const ScanRequest& request)
    : table_(std::move(table)),
      filter_(make_filter(*table_, request)),
      cursor_(table_, request.ranges, filter_.get()),
      reader_(wanted_properties(request.projection.properties)),
      first_of_(first_positions(request.projection.properties)),
      all_properties_(request.projection.all_properties) {
  view_.properties.resize(first_of_.size());
  for (std::size_t i = 0; i < first_of_.size(); ++i) has_twins_ |= first_of_[i] != i;
  table_->database->enter(this);
}

LocalScan::~LocalScan() {
  if (listed_) table_->database->leave(this);
}

void LocalScan::finish() {
  if (listed_) table_->database->leave(this);
  listed_ = false;
}

const EntityView* LocalScan::next() {
  try {
    if (cursor_.step()) [[likely]]
      return show(cursor_.row());
  } catch (...) {
    finish();
    throw;
  }
  finish();
  return nullptr;
}

std::string LocalScan::etag() const { return etag_of(view_.timestamp); }

void LocalScan::detach() noexcept {
  finish();
  cursor_.read_ahead();
}

const EntityView* LocalScan::show(const StoredEntity& row) {
  view_.partition_key = row.partition_key;
  view_.row_key = row.row_key;
  try {
    view_.timestamp = record_timestamp(row.record);
    if (reader_.wants_anything()) {
      std::fill(view_.properties.begin(), view_.properties.end(), edm::ValueView::missing());
      read_record(*table_->database, reader_, names_, row.record, view_.properties);
      if (has_twins_) {
        for (std::size_t i = 0; i < first_of_.size(); ++i)
          view_.properties[i] = view_.properties[first_of_[i]];
      }
    }
    if (all_properties_) read_all(row.record);
  } catch (Error& e) {
    e.prefix(describe_entity(table_->name, row.partition_key, row.row_key));
    throw;
  }
  return &view_;
}

void LocalScan::read_all(std::string_view record) {
  view_.all.clear();
  all_names_ = table_->database->names().store();
  RecordCursor properties(record);
  while (properties.next()) {
    if (properties.name() > all_names_->size()) {
      table_->database->names().refresh();
      if (properties.name() > all_names_->size()) unknown_name_in_record();
    }
    view_.all.push_back({all_names_->name(properties.name()), properties.value()});
  }
}

}  // namespace table_storage::backend::local
