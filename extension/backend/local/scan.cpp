#include "extension/backend/local/scan.h"

#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/local/etag.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

std::unique_ptr<LocalFilter> make_filter(const TableCore& table, const ScanRequest& request) {
  if (!request.filter) return nullptr;
  return std::make_unique<LocalFilter>(*request.filter, table.database);
}

}  // namespace

LocalScan::LocalScan(std::shared_ptr<TableCore> table, const ScanRequest& request)
    : table_(std::move(table)),
      filter_(make_filter(*table_, request)),
      parts_(table_->parts.take(request.projection)),
      cursor_(table_, request.ranges, filter_.get(), parts_->batch) {
  table_->database->enter(this);
}

LocalScan::~LocalScan() {
  finish();
  table_->parts.give_back(std::move(parts_));
}

void LocalScan::finish() {
  if (listed_) table_->database->leave(this);
  listed_ = false;
}

const EntityView* LocalScan::next() {
  bool found = false;
  try {
    found = cursor_.step();
  } catch (...) {
    finish();
    throw;
  }
  if (!found) {
    finish();
    return nullptr;
  }
  const StoredEntity& row = cursor_.row();
  try {
    return &parts_->reader.read(*table_->database, row);
  } catch (Error& e) {
    e.prefix(describe_entity(table_->name, row.partition_key, row.row_key));
    throw;
  }
}

std::string LocalScan::etag() const { return etag_of(parts_->reader.last().timestamp); }

void LocalScan::detach() noexcept {
  finish();
  cursor_.read_ahead();
}

}  // namespace table_storage::backend::local
