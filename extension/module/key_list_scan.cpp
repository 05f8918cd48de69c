#include "extension/module/key_list_scan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace table_storage::module {

namespace {

using backend::EntityView;
using backend::KeyRange;
using backend::ScanRequest;

/// So many points are read at once, or nearly, whatever the table is like.
constexpr std::size_t kFewPoints = 16;

bool is_point(const KeyRange& range) { return range.partition.is_point() && range.row.is_point(); }

/// The end of the run of points in one partition that begins at `first`; `first` itself if that is no point.
std::size_t end_of_run(const std::vector<KeyRange>& ranges, std::size_t first) {
  std::size_t end = first;
  while (end < ranges.size() && is_point(ranges[end]) &&
         *ranges[end].partition.lower == *ranges[first].partition.lower) {
    ++end;
  }
  return end;
}

/// The same request for other ranges.
ScanRequest part_of(const ScanRequest& request, std::vector<KeyRange> ranges) {
  ScanRequest part = request;
  part.ranges = std::move(ranges);
  part.ordered = true;
  part.in_parts = false;
  return part;
}

class KeyListScan : public backend::Scan {
 public:
  KeyListScan(backend::Table& table, const ScanRequest& request, std::size_t page, std::size_t concurrency)
      : table_(table), request_(request), page_(page), concurrency_(concurrency) {}

  const EntityView* next() override {
    for (;;) {
      if (stop_) {
        stop_ = false;
        dense_ = false;
        one_by_one_ = true;
        scan_.reset();
      }
      if (!scan_ && !open_part()) return nullptr;
      const EntityView* row = scan_->next();
      if (row == nullptr) {
        scan_.reset();
        if (dense_) at_ = run_end_;
        dense_ = false;
        continue;
      }
      if (!dense_) return row;
      ++rows_of_page_;
      const bool wanted = pass(row->row_key);
      if (rows_of_page_ >= page_) turn_page();
      if (wanted) return row;
    }
  }

  std::string etag() const override { return scan_->etag(); }

 private:
  /// The next part: a dense run as a range, or everything up to the next dense run.
  bool open_part() {
    const std::vector<KeyRange>& ranges = request_.ranges;
    if (at_ == ranges.size()) return false;
    run_end_ = end_of_run(ranges, at_);
    if (!one_by_one_ && run_end_ - at_ > kFewPoints) {
      KeyRange hull{ranges[at_].partition,
                    {ranges[at_].row.lower, ranges[run_end_ - 1].row.lower, true, true}};
      scan_ = table_.open_scan(part_of(request_, {std::move(hull)}));
      dense_ = true;
      page_begin_ = at_;
      rows_of_page_ = 0;
      return true;
    }
    std::size_t end = std::max(run_end_, at_ + 1);
    while (end < ranges.size() && end_of_run(ranges, end) - end <= kFewPoints) {
      end = std::max(end_of_run(ranges, end), end + 1);
    }
    one_by_one_ = false;
    scan_ = table_.open_scan(part_of(request_, {ranges.begin() + static_cast<std::ptrdiff_t>(at_),
                                                ranges.begin() + static_cast<std::ptrdiff_t>(end)}));
    at_ = end;
    return true;
  }

  /// Moves on past the wanted keys before this one and the key itself. True if it is wanted.
  bool pass(std::string_view row_key) {
    const std::vector<KeyRange>& ranges = request_.ranges;
    while (at_ < run_end_ && *ranges[at_].row.lower < row_key) ++at_;
    if (at_ == run_end_ || *ranges[at_].row.lower != row_key) return false;
    ++at_;
    return true;
  }

  /// Called with the last row of a page: was it worth its while?
  void turn_page() {
    const bool worth = at_ - page_begin_ >= concurrency_;
    page_begin_ = at_;
    rows_of_page_ = 0;
    stop_ = !worth && at_ < run_end_;
  }

  backend::Table& table_;
  const ScanRequest request_;
  const std::size_t page_;
  const std::size_t concurrency_;
  std::unique_ptr<backend::Scan> scan_;  // of the current part
  std::size_t at_ = 0;                   // the next range that is wanted
  std::size_t run_end_ = 0;
  bool dense_ = false;          // the current part is a range
  bool stop_ = false;           // and it is not worth going on with
  bool one_by_one_ = false;     // so what is left of its keys is read by points
  std::size_t page_begin_ = 0;  // at_ when the current page began
  std::size_t rows_of_page_ = 0;
};

}  // namespace

bool has_dense_keys(const ScanRequest& request) {
  for (std::size_t at = 0; at < request.ranges.size();) {
    const std::size_t end = end_of_run(request.ranges, at);
    if (end - at > kFewPoints) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

std::unique_ptr<backend::Scan> open_key_list(backend::Table& table, const ScanRequest& request,
                                             std::size_t page, std::size_t concurrency) {
  return std::make_unique<KeyListScan>(table, request, page, concurrency);
}

}  // namespace table_storage::module
