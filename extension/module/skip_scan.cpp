#include "extension/module/skip_scan.h"

#include <utility>

namespace table_storage::module {

namespace {

/// Pages without a partition to skip, after which there are unlikely to be many.
constexpr std::size_t kPagesInVain = 6;

}  // namespace

SkipScan::SkipScan(backend::Table& table, backend::ScanRequest request, std::size_t page)
    : table_(table), request_(std::move(request)), page_(page) {
  request_.in_parts = false;
  // Whole pages, and none ahead.
  request_.limit_hint = page_;
  scan_ = table_.open_scan(request_);
}

void SkipScan::open_behind(const std::string& partition_key) {
  backend::TextRange& range = request_.ranges.front().partition;
  range.lower = partition_key;
  range.lower_inclusive = false;
  scan_.reset();
  scan_ = table_.open_scan(request_);
  rows_ = 0;
}

void SkipScan::stop_skipping() { plain_ = true; }

const backend::EntityView* SkipScan::next() {
  if (!plain_ && rows_ >= page_) {
    rows_in_vain_ = 0;
    open_behind(partition_);
  }
  const backend::EntityView* row = scan_->next();
  if (row == nullptr || plain_) return row;
  if (rows_ == 0 || row->partition_key != partition_) {
    if (rows_in_vain_ >= kPagesInVain * page_) {
      // This row's partition has not been shown yet; it comes again, with the others.
      plain_ = true;
      request_.in_parts = true;
      request_.limit_hint.reset();
      open_behind(partition_);
      return scan_->next();
    }
    partition_ = row->partition_key;
    rows_ = 0;
  }
  ++rows_;
  ++rows_in_vain_;
  return row;
}

}  // namespace table_storage::module
