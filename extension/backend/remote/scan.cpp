#include "extension/backend/remote/scan.h"

#include <algorithm>
#include <utility>

#include "extension/backend/list_concurrency.h"
#include "extension/backend/remote/service_error.h"
#include "extension/backend/remote/url.h"
#include "extension/backend/sorted_scan.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

bool is_system(const std::string& property) {
  return property == "PartitionKey" || property == "RowKey" || property == "Timestamp";
}

std::size_t most_streams(const TableOptions& options, const ScanRequest& request) {
  const bool list = std::all_of(request.ranges.begin(), request.ranges.end(),
                                [](const KeyRange& range) { return range.partition.is_point(); });
  return list ? list_concurrency(options) : options.concurrency;
}

/// The consumer's projection and behind it what the filter reads, which there is.
Projection with_filter(const ScanRequest& request) {
  Projection projection = request.projection;
  const odata::Evaluator evaluator(*request.filter);
  for (const std::string& name : evaluator.properties()) {
    const auto& known = projection.properties;
    if (name == "Timestamp") projection.timestamp = true;
    if (!is_system(name) && std::find(known.begin(), known.end(), name) == known.end()) {
      projection.properties.push_back(name);
    }
  }
  return projection;
}

}  // namespace

RemoteScan::RemoteScan(std::shared_ptr<Service> service, std::shared_ptr<PagePool> pages,
                       const std::string& table, const TableOptions& options, ScanRequest request)
    : source_{std::move(service), std::move(pages), table, "reading table " + table, options},
      request_(std::move(request)),
      most_streams_(most_streams(source_.options, request_)) {
  // Whether any range has to leave its filter out shows in the addresses; they all are about equally long.
  for (const KeyRange& range : request_.ranges) {
    if (!request_.filter) break;
    const auto query = query_of(source_.service->endpoint(), source_.table, range, request_, projection());
    if (!query || !query->filter_left_out) continue;
    wider_ = with_filter(request_);
    evaluator_.emplace(*request_.filter);
    slots_.resize(evaluator_->properties().size());
    break;
  }
  fill_streams();
}

RemoteScan::~RemoteScan() {
  // Pages that are still ahead may be read into at this moment; they are let go.
  source_.pages->give_back(std::move(current_page_));
}

PageCall RemoteScan::ask(const RangeQuery& query, const std::optional<Continuation>& continuation) {
  // The first page of the only range is waited for at once.
  const bool now = !continuation && request_.ranges.size() == 1 && !request_.ahead;
  return source_.ask(query, projection(), continuation, now);
}

void RemoteScan::go_on(Stream& stream, const HttpResponse& last) const {
  stream.next = continuation_of(last);
  if (stream.next) stream.chain.add(*stream.next, last.rows, source_.asked);
}

void RemoteScan::ask_ahead(Stream& stream) {
  // Under a limit the consumer is likely to stop within the page it has.
  if (!stream.next || request_.limit_hint || stream.ahead.size() >= source_.options.prefetch_pages) return;
  // What comes next is read in parts, from where the pages ahead end.
  if (is_worth_splitting(stream)) return;
  stream.ahead.push_back(ask(stream.query, std::exchange(stream.next, std::nullopt)));
}

void RemoteScan::look_ahead() {
  Stream& stream = streams_.front();
  if (stream.next || stream.ahead.empty()) return;
  if (const HttpResponse* response = stream.ahead.back().call->succeeded()) {
    go_on(stream, *response);
    ask_ahead(stream);
  }
}

void RemoteScan::fill_streams() {
  std::size_t most = most_streams_;
  // Ranges behind the first few are not likely to be reached under a small limit.
  if (request_.limit_hint)
    most = std::min<std::size_t>(most, std::max<std::uint64_t>(*request_.limit_hint, 1));
  while (streams_.size() < most && next_range_ < request_.ranges.size()) {
    const KeyRange& range = request_.ranges[next_range_++];
    auto query = query_of(source_.service->endpoint(), source_.table, range, request_, projection());
    if (!query) continue;
    Stream& stream = streams_.emplace_back();
    stream.range = range;
    stream.query = std::move(*query);
    stream.ahead.push_back(ask(stream.query, std::nullopt));
  }
}

void RemoteScan::turn_to(std::shared_ptr<PooledPage> page, std::size_t rows) {
  source_.pages->give_back(std::exchange(current_page_, std::move(page)));
  row_ = 0;
  rows_ = rows;
}

void RemoteScan::note_page() {
  ++pages_read_;
  if (rows_ == 0) return;
  const auto keys_of = [&](std::size_t row) {
    return Position(page().partition_key(row), page().row_key(row));
  };
  if (rows_read_ == 0) first_key_ = keys_of(0);
  last_key_ = keys_of(rows_ - 1);
  rows_read_ += rows_;
}

bool RemoteScan::is_worth_splitting(const Stream& stream) const {
  // What the first pages hold costs no probes. A consumer that has read so many is likely to go on.
  constexpr std::size_t kSerialPages = 6;
  if (!request_.in_parts || source_.options.concurrency < 2 || pages_read_ < kSerialPages) return false;
  if (streams_.size() != 1 || next_range_ < request_.ranges.size() || rows_read_ == 0) return false;
  if (rows_read_ < request_.rows_before_parts) return false;
  const auto least = std::chrono::microseconds(least_wait_for_parts.load(std::memory_order_relaxed));
  if (waited_ < least * static_cast<std::int64_t>(pages_read_ - 1)) return false;
  if (request_.limit_hint && rows_read_ <= *request_.limit_hint) return false;
  return is_splittable(stream.range, stream.query, source_.service->endpoint().dialect);
}

void RemoteScan::go_parallel() {
  Stream& stream = streams_.front();
  ParallelScan::Begun begun;
  begun.range = stream.range;
  begun.query = stream.query;
  begun.next = *std::exchange(stream.next, std::nullopt);
  begun.chain = stream.chain;
  begun.first = std::move(first_key_);
  begun.last = std::move(last_key_);
  begun.pages = pages_read_;
  parallel_ = std::make_unique<ParallelScan>(source_, request_, projection(), std::move(begun));
}

bool RemoteScan::is_at_end_of_range() const {
  return streams_.empty() || (!parallel_ && streams_.front().is_at_end());
}

bool RemoteScan::read_page() {
  row_ = rows_ = 0;
  while (!streams_.empty()) {
    if (parallel_) {
      auto slice = parallel_->next();
      if (slice) {
        turn_to(std::move(slice->page), slice->rows);
        return true;
      }
      parallel_.reset();
      streams_.pop_front();
      continue;
    }
    Stream& stream = streams_.front();
    if (stream.ahead.empty() && stream.next) {
      stream.ahead.push_back(ask(stream.query, std::exchange(stream.next, std::nullopt)));
    }
    if (stream.ahead.empty()) {
      streams_.pop_front();
      pages_read_ = rows_read_ = 0;
      waited_ = {};
      fill_streams();
      continue;
    }
    PageCall ahead = std::move(stream.ahead.front());
    stream.ahead.erase(stream.ahead.begin());
    const auto asked_at = std::chrono::steady_clock::now();
    const HttpResponse response = ahead.call->get();
    answered_in_ = std::min(answered_in_.value_or(response.answered_in), response.answered_in);
    // The first one may have been waited for while a connection was opened.
    if (pages_read_ > 0) waited_ += std::chrono::steady_clock::now() - asked_at;
    if (response.status != 200) {
      if (stream.query.is_point && response.status == 404) {
        const std::string code = service_code(response);
        if (code == "ResourceNotFound" || code == "EntityNotFound") continue;
      }
      throw source_.service->refusal(response, source_.asked);
    }
    turn_to(ahead.page, ahead.page->page.size());
    if (stream.query.is_point && !contains(stream.range, page().partition_key(0), page().row_key(0))) {
      throw Error(Error::Kind::storage, "",
                  source_.asked + ": the service answered with another entity than the one it was asked for");
    }
    // Where there is another page ahead, this one's continuation led to it.
    if (!stream.query.is_point && stream.ahead.empty() && !stream.next) {
      go_on(stream, response);
    }
    note_page();
    asks_ahead_ = true;
    if (stream.next && stream.ahead.empty() && is_worth_splitting(stream)) go_parallel();
    if (rows_ != 0) return true;  // an empty page with a token is not the end
  }
  return false;
}

bool RemoteScan::passes_filter(const EntityView& entity) {
  const std::vector<std::string>& names = evaluator_->properties();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "PartitionKey") {
      slots_[i] = edm::ValueView::string(entity.partition_key);
    } else if (names[i] == "RowKey") {
      slots_[i] = edm::ValueView::string(entity.row_key);
    } else if (names[i] == "Timestamp") {
      slots_[i] = edm::ValueView::datetime(entity.timestamp);
    } else {
      const auto& known = projection().properties;
      const auto place = std::find(known.begin(), known.end(), names[i]);
      slots_[i] = entity.properties[static_cast<std::size_t>(place - known.begin())];
    }
  }
  return evaluator_->matches(slots_.data());
}

bool RemoteScan::accepts(const EntityView& entity) {
  const Stream& stream = streams_.front();
  if (stream.query.widened && !contains(stream.range, entity.partition_key, entity.row_key)) return false;
  return !stream.query.filter_left_out || passes_filter(entity);
}

namespace {

/// Yields what a function yields; a scan to be sorted.
template <class Next, class Etag>
class FunctionScan : public Scan {
 public:
  FunctionScan(Next next, Etag etag) : next_(std::move(next)), etag_(std::move(etag)) {}
  const EntityView* next() override { return next_(); }
  std::string etag() const override { return etag_(); }

 private:
  Next next_;
  Etag etag_;
};

}  // namespace

void RemoteScan::sort_rest() {
  auto rest_of_stream = [this, pending = true]() mutable -> const EntityView* {
    if (std::exchange(pending, false)) return &entity_;
    for (;;) {
      while (row_ < rows_) {
        page().show(row_++, entity_);
        if (accepts(entity_)) return &entity_;
      }
      // Only this range: the following ones come behind it in any order.
      if (is_at_end_of_range() || !read_page()) return nullptr;
    }
  };
  auto etag_of_row = [this] { return page().etag(row_ - 1); };
  rest_ = sorted(std::make_unique<FunctionScan<decltype(rest_of_stream), decltype(etag_of_row)>>(
                     rest_of_stream, etag_of_row),
                 false);
}

const EntityView* RemoteScan::next() {
  for (;;) {
    if (rest_) {
      if (const EntityView* const entity = rest_->next()) return entity;
      rest_.reset();
    }
    while (row_ < rows_) {
      // Whoever takes one row, as MIN() does, may want no more.
      if (row_ > 0 && std::exchange(asks_ahead_, false) && !parallel_) ask_ahead(streams_.front());
      if (source_.options.prefetch_pages > 1) look_ahead();
      page().show(row_++, entity_);
      if (!accepts(entity_)) continue;
      if (request_.ordered &&
          (is_ordered_otherwise(entity_.partition_key) || is_ordered_otherwise(entity_.row_key))) {
        sort_rest();
        break;
      }
      return &entity_;
    }
    if (!rest_ && !read_page()) return nullptr;
  }
}

bool RemoteScan::peek(std::size_t distance, EntityView& entity) const {
  // Rows that are tested or sorted here may come otherwise than they stand in the page.
  if (rest_ || evaluator_ || streams_.empty() || streams_.front().query.widened) return false;
  if (row_ + distance > rows_) return false;
  page().show(row_ + distance - 1, entity);
  return true;
}

std::string RemoteScan::etag() const { return rest_ ? rest_->etag() : page().etag(row_ - 1); }

}  // namespace table_storage::backend::remote
