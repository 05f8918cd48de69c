#include "extension/backend/remote/scan.h"

#include <algorithm>
#include <utility>

#include "extension/backend/remote/service_error.h"
#include "extension/backend/remote/url.h"
#include "extension/backend/sorted_scan.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

bool is_system(const std::string& property) {
  return property == "PartitionKey" || property == "RowKey" || property == "Timestamp";
}

/// The consumer's projection and behind it what the filter reads.
Projection with_filter(const ScanRequest& request) {
  Projection projection = request.projection;
  if (!request.filter) return projection;
  const odata::Evaluator evaluator(*request.filter);
  for (const std::string& name : evaluator.properties()) {
    const auto& known = projection.properties;
    if (!is_system(name) && std::find(known.begin(), known.end(), name) == known.end()) {
      projection.properties.push_back(name);
    }
  }
  return projection;
}

}  // namespace

RemoteScan::RemoteScan(std::shared_ptr<Service> service, std::string table, ScanRequest request)
    : service_(std::move(service)),
      table_(std::move(table)),
      request_(std::move(request)),
      projection_(request_.projection),
      reader_(projection_) {
  // Whether any range has to leave its filter out shows in the addresses; they all are about equally long.
  for (const KeyRange& range : request_.ranges) {
    if (!request_.filter) break;
    const auto query = query_of(service_->endpoint(), table_, range, request_, projection_);
    if (!query || !query->filter_left_out) continue;
    projection_ = with_filter(request_);
    reader_ = PageReader(projection_);
    evaluator_.emplace(*request_.filter);
    slots_.resize(evaluator_->properties().size());
    break;
  }
  fill_streams();
}

std::unique_ptr<Call> RemoteScan::ask(const RangeQuery& query,
                                      const std::optional<Continuation>& continuation) {
  HttpRequest request = query.request;
  if (continuation) {
    add_continuation(request.query, *continuation);
  } else if (query.first_page) {
    add_parameter(request.query, "$top", std::to_string(*query.first_page));
  }
  const std::string asked = "reading table " + table_;
  // The first page of the only range is waited for at once.
  if (!continuation && request_.ranges.size() == 1) return service_->prepare(std::move(request), asked, true);
  return service_->start(std::move(request), asked, true);
}

void RemoteScan::fill_streams() {
  std::size_t most = service_->options().concurrency;
  // Ranges behind the first few are not likely to be reached under a small limit.
  if (request_.limit_hint)
    most = std::min<std::size_t>(most, std::max<std::uint64_t>(*request_.limit_hint, 1));
  while (streams_.size() < most && next_range_ < request_.ranges.size()) {
    const KeyRange& range = request_.ranges[next_range_++];
    auto query = query_of(service_->endpoint(), table_, range, request_, projection_);
    if (!query) continue;
    auto call = ask(*query, std::nullopt);
    streams_.push_back({range, std::move(*query), std::move(call), std::nullopt});
  }
}

template <class Body>
void RemoteScan::parse(Body&& body) const {
  try {
    body();
  } catch (Error& error) {
    error.prefix("reading table " + table_);
    throw;
  }
}

bool RemoteScan::read_page() {
  row_ = 0;
  while (!streams_.empty()) {
    Stream& stream = streams_.front();
    if (!stream.call && stream.next) {
      stream.call = ask(stream.query, std::exchange(stream.next, std::nullopt));
    }
    if (!stream.call) {
      streams_.pop_front();
      fill_streams();
      continue;
    }
    HttpResponse response = stream.call->get();
    stream.call.reset();
    if (stream.query.is_point) {
      if (response.status == 404) {
        const std::string code = service_code(response);
        if (code == "ResourceNotFound" || code == "EntityNotFound") continue;
      }
      if (response.status != 200) throw service_->refusal(response, "reading table " + table_);
      parse([&] { reader_.read_entity(std::move(response.body), page_); });
      return true;
    }
    if (response.status != 200) throw service_->refusal(response, "reading table " + table_);
    stream.next = continuation_of(response);
    // Ahead of the consumer, unless it is likely to stop within this page.
    if (stream.next && !request_.limit_hint) {
      stream.call = ask(stream.query, std::exchange(stream.next, std::nullopt));
    }
    parse([&] { reader_.read_list(std::move(response.body), page_); });
    if (!page_.empty()) return true;  // an empty page with a token is not the end
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
      const auto& known = projection_.properties;
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

void RemoteScan::sort_rest(const EntityView& first) {
  const EntityView* pending = &first;
  auto rest_of_stream = [this, pending]() mutable -> const EntityView* {
    if (pending != nullptr) return std::exchange(pending, nullptr);
    for (;;) {
      while (row_ < page_.size()) {
        const EntityView& entity = page_[row_++];
        if (accepts(entity)) return &entity;
      }
      // Only this range: the following ones come behind it in any order.
      if (streams_.empty() || !(streams_.front().call || streams_.front().next) || !read_page())
        return nullptr;
    }
  };
  auto etag_of_row = [this] { return page_.etag(row_ - 1); };
  rest_ = sorted(std::make_unique<FunctionScan<decltype(rest_of_stream), decltype(etag_of_row)>>(
                     rest_of_stream, etag_of_row),
                 false);
}

const EntityView* RemoteScan::next() {
  for (;;) {
    if (rest_) {
      current_ = rest_->next();
      if (current_ != nullptr) return current_;
      rest_.reset();
    }
    while (row_ < page_.size()) {
      const EntityView& entity = page_[row_++];
      if (!accepts(entity)) continue;
      if (request_.ordered &&
          (is_ordered_otherwise(entity.partition_key) || is_ordered_otherwise(entity.row_key))) {
        sort_rest(entity);
        break;
      }
      return current_ = &entity;
    }
    if (!rest_ && !read_page()) return current_ = nullptr;
  }
}

std::string RemoteScan::etag() const { return rest_ ? rest_->etag() : page_.etag(row_ - 1); }

}  // namespace table_storage::backend::remote
