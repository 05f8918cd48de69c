#include "extension/backend/remote/parallel_scan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "parser/error.h"

namespace table_storage::backend::remote {

namespace {

/// Pages of a part that are read before it is its turn. Parts of an ordered scan are cut to this length.
constexpr std::size_t kAhead = 8;
/// What has fewer pages left is not worth a probe.
constexpr double kWorthSplitting = 6;
constexpr double kUnknown = 1e6;  // pages
/// Memory for pages that are kept and under way.
constexpr std::size_t kPageMemory = std::size_t{36} << 20;
/// Pages after which a part is looked at again in which no boundary was found.
constexpr std::size_t kPatience = 8;

/// Probes of a round, though fewer may be under way at once.
constexpr std::size_t kProbes = 6;

const Projection kKeysOnly{false, false, {}};

/// About what the page takes in memory: by measure, three times what can be counted here.
std::size_t size_of(const PooledPage& page) { return 3 * page.page.memory(); }

/// Behind the upper end of the bounds. Rows below the lower end do not come: bounds shrink from above only,
/// and what came before the scan got there has been handed out.
bool is_behind(const KeyRange& bounds, std::string_view partition_key, std::string_view row_key) {
  const auto above = [](const TextRange& range, std::string_view key) {
    if (!range.upper) return false;
    return range.upper_inclusive ? key > *range.upper : key >= *range.upper;
  };
  if (bounds.partition.is_point()) {
    return partition_key != *bounds.partition.lower || above(bounds.row, row_key);
  }
  return above(bounds.partition, partition_key);
}

std::vector<double> even_shares(std::size_t count) {
  std::vector<double> shares;
  for (std::size_t i = 1; i <= count; ++i) {
    shares.push_back(static_cast<double>(i) / static_cast<double>(count + 1));
  }
  return shares;
}

}  // namespace

bool is_splittable(const KeyRange& range, const RangeQuery& query, Dialect dialect) {
  if (dialect == Dialect::cosmos || query.is_point || query.widened) return false;
  return !(range.partition.is_point() && range.row.is_point());
}

ParallelScan::ParallelScan(const PageSource& source, const ScanRequest& request, Projection projection,
                           Begun begun)
    : source_(source),
      request_(request),
      projection_(std::move(projection)),
      filter_left_out_(begun.query.filter_left_out),
      concurrency_(std::max<std::size_t>(source.options.concurrency, 1)),
      allowed_(concurrency_),
      most_ready_(concurrency_),
      pages_read_(begun.pages) {
  Part& part = parts_.emplace_back();
  part.bounds = std::move(begun.range);
  part.query = std::move(begun.query);
  part.next = std::move(begun.next);
  part.chain = begun.chain;
  part.pages = begun.pages;
  part.started = true;
  partitions_.note(begun.first.first);
  partitions_.note(begun.last.first);
  rows_.note(begun.first.second);
  rows_.note(begun.last.second);
  part.first = std::move(begun.first);
  part.last = std::move(begun.last);
  schedule();
}

ParallelScan::~ParallelScan() = default;

std::optional<ParallelScan::Slice> ParallelScan::next() {
  for (;;) {
    collect();
    schedule();
    for (auto part = parts_.begin(); part != parts_.end();) {
      if (!part->ready.empty()) {
        Slice slice = std::move(part->ready.front());
        part->ready.pop_front();
        --ready_;
        return slice;
      }
      if (part->failure) std::rethrow_exception(part->failure);
      if (part->ended && !part->search) {
        part = parts_.erase(part);
        continue;
      }
      // Where order counts, the first part that has not ended is the one to wait for.
      if (request_.ordered && !part->ended) break;
      ++part;
    }
    if (parts_.empty()) return std::nullopt;
    if (under_way_ > 0) wait();
  }
}

void ParallelScan::give_back(std::shared_ptr<PooledPage> page) noexcept {
  source_.pages->give_back(std::move(page));
}

void ParallelScan::wait() {
  std::vector<Call*> calls;
  for (Part& part : parts_) {
    if (part.call) calls.push_back(part.call->call.get());
    if (!part.search) continue;
    for (Probe& probe : part.search->probes) {
      if (!probe.done && probe.call.call) calls.push_back(probe.call.call.get());
    }
  }
  source_.service->wait_any(calls, source_.asked);
}

// --- Answers ---------------------------------------------------------------------------------------------

void ParallelScan::collect() {
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    if (part->call && part->call->call->settle()) {
      try {
        take_page(*part);
      } catch (...) {
        // Where order counts, rows come before the error that lies behind them.
        if (!request_.ordered) throw;
        part->failure = std::current_exception();
        part->ended = true;
        part->next.reset();
      }
    }
    if (part->begin_anew && !part->call && !part->ended) begin_anew(part);
    if (part->search) take_probes(part);
  }
}

void ParallelScan::note_throttling(const Call& call) {
  if (call.throttled() > 0) {
    allowed_ = std::max<std::size_t>(allowed_ / 2, 1);
    untroubled_ = 0;
  } else if (allowed_ < concurrency_ && ++untroubled_ >= allowed_) {
    ++allowed_;
    untroubled_ = 0;
  }
}

void ParallelScan::take_page(Part& part) {
  PageCall call = std::move(*part.call);
  part.call.reset();
  --under_way_;
  const HttpResponse response = call.call->get();
  note_throttling(*call.call);
  call.call.reset();  // it holds the page too
  constexpr long kOk = 200;
  if (response.status != kOk) throw source_.service->refusal(response, source_.asked);
  add_page(part, response, std::move(call.page));
}

void ParallelScan::add_page(Part& part, const HttpResponse& response, std::shared_ptr<PooledPage> pooled) {
  part.next = continuation_of(response);
  if (part.next) part.chain.add(*part.next, response.rows, source_.asked);
  const Page& page = pooled->page;
  std::size_t rows = page.size();
  ++part.pages;
  ++pages_read_;
  part.sparse = rows < source_.page_size();
  if (part.trims) {
    while (rows > 0 && is_behind(part.bounds, page.partition_key(rows - 1), page.row_key(rows - 1))) --rows;
    if (rows < page.size()) part.next.reset();
  }
  part.ended = !part.next;
  if (rows == 0) {
    if (part.trims && !part.ended) part.begin_anew = true;
    give_back(std::move(pooled));
    return;
  }
  const std::size_t last = rows - 1;
  for (const std::size_t row : {std::size_t{0}, rows / 2, last}) {
    partitions_.note(page.partition_key(row));
    rows_.note(page.row_key(row));
  }
  if (!part.first) part.first = Position(page.partition_key(0), page.row_key(0));
  part.last = Position(page.partition_key(last), page.row_key(last));
  const std::size_t fit = kPageMemory / std::max<std::size_t>(size_of(*pooled), 1);
  const std::size_t wanted = request_.ordered ? kAhead * concurrency_ : 2 * concurrency_;
  most_ready_ = std::min(wanted, std::max(fit, concurrency_ + 2));
  part.ready.push_back({std::move(pooled), rows});
  ++ready_;
}

void ParallelScan::take_probes(Parts::iterator part) {
  Search& search = *part->search;
  for (std::size_t i = 0; i < search.probes.size(); ++i) {
    Probe& probe = search.probes[i];
    if (probe.done || !probe.call.call || !probe.call.call->settle()) continue;
    probe.done = true;
    --under_way_;
    PageCall call = std::move(probe.call);
    const HttpResponse response = call.call->get();
    note_throttling(*call.call);
    call.call.reset();
    const Page& page = call.page->page;
    constexpr long kOk = 200;
    if (response.status != kOk) {
      search.logic.failed(i);
      splits_ = false;  // a service that does not answer such questions; the pages will tell what is wrong
    } else if (!page.empty()) {
      search.logic.found(i, std::string(search.by_row ? page.row_key(0) : page.partition_key(0)));
    } else if (continuation_of(response)) {
      search.logic.failed(i);
    } else {
      search.logic.found_nothing(i);
    }
    give_back(std::move(call.page));
  }
  if (part->ended || !splits_) {
    for (const Probe& probe : search.probes) {
      if (!probe.done && probe.call.call) --under_way_;  // nobody waits for it
    }
    part->search.reset();
    return;
  }
  if (!search.logic.round_is_over()) return;
  if (search.logic.next_round(std::max(free_slots(), kProbes))) {
    search.probes.clear();
    search.probes.resize(search.logic.probes().size());
    ask_probes(*part);
  } else {
    end_search(part);
  }
}

// --- Splitting -------------------------------------------------------------------------------------------

bool ParallelScan::is_usable(const KeyRange& bounds, RangeQuery& query) const {
  auto made = query_of(source_.service->endpoint(), source_.table, bounds, request_, projection_);
  if (!made || made->widened || made->filter_left_out != filter_left_out_) return false;
  query = std::move(*made);
  query.first_page.reset();
  return true;
}

void ParallelScan::end_search(Parts::iterator part) {
  const std::unique_ptr<Search> search = std::move(part->search);
  const SplitSearch& logic = search->logic;
  part->end = logic.end();
  if (!logic.boundaries().empty()) {
    split(part, *search);
  } else if (logic.is_exhausted() && !search->by_row && part->last) {
    part->one_partition = true;
    part->end.reset();
  } else {
    part->not_before = std::max(2 * part->pages, part->pages + kPatience);
  }
}

void ParallelScan::split(Parts::iterator part, const Search& search) {
  // Pages have come meanwhile.
  std::vector<std::string> boundaries = search.logic.boundaries();
  if (part->last) {
    const auto& [partition_key, row_key] = *part->last;
    if (search.by_row && search.partition != partition_key) return;
    const std::string& passed = search.by_row ? row_key : partition_key;
    std::erase_if(boundaries, [&](const std::string& boundary) { return boundary <= passed; });
  }
  if (boundaries.empty()) return;
  std::vector<KeyRange> pieces;
  if (!search.by_row) {
    pieces = divide_by_partition(part->bounds, boundaries);
  } else if (part->last) {
    pieces = divide_by_row(part->bounds, *part->last, boundaries);
  } else {
    pieces = divide_by_row(part->bounds, boundaries);
  }
  std::vector<RangeQuery> queries(pieces.size());
  for (std::size_t i = part->started ? 1 : 0; i < pieces.size(); ++i) {
    if (!is_usable(pieces[i], queries[i])) {
      part->not_before = part->pages + 16 * kPatience;
      return;
    }
  }
  const double rest = remaining(*part);
  const double share = rest / static_cast<double>(boundaries.size() + 1);
  auto behind = std::next(part);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    Part& piece = *parts_.emplace(behind);
    piece.bounds = std::move(pieces[i]);
    piece.query = std::move(queries[i]);
    if (rest < kUnknown) piece.expected = i <= boundaries.size() ? share : 0;
    if (i == boundaries.size()) piece.end = part->end;
  }
  part->bounds = std::move(pieces.front());
  part->end.reset();
  if (rest < kUnknown) part->expected = static_cast<double>(part->pages) + share;
  if (part->started) {
    part->trims = true;
    part->begin_anew = part->sparse;
  } else {
    part->query = std::move(queries.front());
  }
}

void ParallelScan::begin_anew(Parts::iterator part) {
  part->begin_anew = false;
  std::vector<KeyRange> pieces;
  if (part->last) {
    pieces = rest_of(part->bounds, *part->last);
  } else {
    pieces.push_back(part->bounds);
  }
  std::vector<RangeQuery> queries(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!is_usable(pieces[i], queries[i])) return;  // then it goes on as it is
  }
  auto behind = std::next(part);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Part& piece = *parts_.emplace(behind);
    piece.bounds = std::move(pieces[i]);
    piece.query = std::move(queries[i]);
    piece.expected =
        i == 0 ? 1 : std::max(part->expected.value_or(1) - static_cast<double>(part->pages), 1.0);
  }
  part->ended = true;
  part->next.reset();
}

double ParallelScan::remaining(const Part& part) const {
  if (part.ended) return 0;
  const double expected =
      part.expected ? std::max(*part.expected - static_cast<double>(part.pages), 1.0) : kUnknown;
  if (!part.first || !part.last) return expected;
  const bool by_row = part.one_partition || part.bounds.partition.is_point();
  const auto& upper = by_row ? part.bounds.row.upper : part.bounds.partition.upper;
  const std::optional<std::string>& end = part.end ? part.end : upper;
  if (!end) return expected;
  const double done = by_row ? rows_.share(part.first->second, *end, part.last->second)
                             : partitions_.share(part.first->first, *end, part.last->first);
  if (done <= 0) return expected;
  return static_cast<double>(part.pages) * (1 - done) / done;
}

bool ParallelScan::may_split(const Part& part) const {
  if (!splits_ || part.ended || part.search || part.begin_anew || part.pages < part.not_before) return false;
  return !part.bounds.partition.is_point() || !part.bounds.row.is_point();
}

void ParallelScan::begin_search(Part& part, std::vector<double> shares) {
  const bool by_row = part.bounds.partition.is_point() || part.one_partition;
  std::string partition;
  if (by_row) partition = part.last ? part.last->first : *part.bounds.partition.lower;
  const TextRange& range = by_row ? part.bounds.row : part.bounds.partition;
  std::string low = range.lower.value_or("");
  if (part.last) low = by_row ? part.last->second : part.last->first;
  SplitSearch logic(by_row ? rows_ : partitions_, std::move(low), range.upper, part.end, std::move(shares));
  if (!logic.next_round(std::max(free_slots(), kProbes))) {
    part.not_before = part.pages + kPatience;
    return;
  }
  const std::size_t probes = logic.probes().size();
  part.search = std::make_unique<Search>(
      Search{std::move(logic), by_row, std::move(partition), std::vector<Probe>(probes)});
  ask_probes(part);
}

void ParallelScan::ask_probes(Part& part) {
  Search& search = *part.search;
  ScanRequest nothing_but_keys;
  nothing_but_keys.limit_hint = 1;
  for (std::size_t i = 0; i < search.probes.size() && free_slots() > 0; ++i) {
    Probe& probe = search.probes[i];
    if (probe.done || probe.call.call) continue;
    TextRange behind;
    behind.lower = search.logic.probes()[i];
    const TextRange& range = search.by_row ? part.bounds.row : part.bounds.partition;
    behind.upper = range.upper;
    behind.upper_inclusive = range.upper_inclusive;
    KeyRange keys;
    if (search.by_row) {
      keys = {TextRange::exactly(search.partition), std::move(behind)};
    } else {
      keys.partition = std::move(behind);
    }
    const auto query =
        query_of(source_.service->endpoint(), source_.table, keys, nothing_but_keys, kKeysOnly);
    if (!query || query->widened) {
      probe.done = true;
      search.logic.failed(i);
      continue;
    }
    probe.call = source_.ask(*query, kKeysOnly, std::nullopt, false);
    ++under_way_;
  }
}

// --- Requests --------------------------------------------------------------------------------------------

void ParallelScan::start(Part& part) {
  part.call = source_.ask(part.query, projection_, std::exchange(part.next, std::nullopt), false);
  part.started = true;
  ++under_way_;
}

bool ParallelScan::may_read_ahead(const Part& part, bool front) const {
  if (part.ended || part.call || part.begin_anew) return false;
  if (front) return part.ready.size() < kAhead;
  if (ready_ + under_way_ >= most_ready_) return false;
  if (!request_.ordered) return part.ready.empty();
  if (part.ready.size() >= kAhead) return false;
  // A long part is cut first, while nothing of it is under way.
  const bool cut_first = part.search != nullptr || may_split(part);
  return part.started || !cut_first || remaining(part) <= 2.0 * kAhead;
}

void ParallelScan::schedule() {
  bool front = request_.ordered;
  for (Part& part : parts_) {
    if (free_slots() == 0) return;
    if (may_read_ahead(part, front)) start(part);
    if (!part.ended) front = false;
  }
  for (Part& part : parts_) {
    if (part.search) ask_probes(part);
  }
  while (free_slots() > 0) {
    const std::size_t before = under_way_;
    search_somewhere();
    if (under_way_ == before) break;
  }
}

void ParallelScan::search_somewhere() {
  // A budget is for what has to be read.
  if (const auto& budget = source_.options.budget) {
    if (budget->limit - budget->used < 4 * concurrency_) return;
  }
  const double least = request_.ordered ? 1.5 * kAhead : kWorthSplitting;
  Part* best = nullptr;
  double most = least;
  for (Part& part : parts_) {
    if (!may_split(part)) continue;
    const double rest = remaining(part);
    if (rest < most || (best != nullptr && rest <= most)) continue;
    best = &part;
    most = rest;
    if (request_.ordered) break;  // what comes first is needed first
  }
  if (best == nullptr) return;
  // Of a table that has not given many pages yet, not many more are to be expected.
  std::size_t slots = std::min(free_slots(), pages_read_);
  // A part has pages enough to be worth its probe, and what is read in vain where it ends.
  slots = std::min(slots, static_cast<std::size_t>(most / 3) + 1);
  if (!request_.ordered || most >= kUnknown) {
    begin_search(*best, even_shares(slots));
    return;
  }
  std::vector<double> shares;
  for (std::size_t i = 1; i <= slots; ++i) {
    const double share = static_cast<double>(i * kAhead) / most;
    if (share >= 1) break;
    shares.push_back(share);
  }
  begin_search(*best, std::move(shares));
}

}  // namespace table_storage::backend::remote
