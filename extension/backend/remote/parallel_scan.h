// A long key range read as several parts at once.
//
// It begins with a scan that has read the first pages of the range one after another. Parts are split off
// where a few probes (the first key behind a text, keys only) find that keys lie; whenever fewer requests are
// under way than may be, the part with most of its keys left is split again. The parts have the keys of the
// range exactly, each once, whatever was guessed.
//
// In key order, pages of later parts are read a few ahead and kept until it is their turn, and parts are cut
// into pieces of about that length; else pages come as they arrive. Either way a bounded number of pages is
// in memory.
//
// A part that is split while it is being read goes on with its continuation and leaves out what is no longer
// its own; where its pages are sparse (a filter), it is asked for anew from the last key on, since the
// service would look for matches far beyond.
//
// An answer that says the service has too much to do (429, 503) halves how many requests are under way;
// answers without trouble bring it back, one at a time.
//
// The connection's thread only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/key_space.h"
#include "extension/backend/remote/page_request.h"
#include "extension/backend/remote/range_division.h"
#include "extension/backend/remote/split_search.h"

namespace table_storage::backend::remote {

/// Microseconds that a scan must have waited for a page, on the average of its first ones, to be read in
/// parts: where pages come as fast as they are read (an emulator on the same machine), parts only cost.
/// Tests, whose service answers at once, set it to zero.
inline std::atomic<std::int64_t> least_wait_for_parts{3000};

/// Whether a range may be split at all.
bool is_splittable(const KeyRange& range, const RangeQuery& query, Dialect dialect);

class ParallelScan {
 public:
  /// What the scan so far has come to.
  struct Begun {
    KeyRange range;
    RangeQuery query;
    Continuation next;
    ContinuationChain chain;
    Position first;  // the first key that came, and the last
    Position last;
    std::size_t pages = 0;
  };
  /// A page, as far as its rows are wanted.
  struct Slice {
    std::shared_ptr<PooledPage> page;
    std::size_t rows = 0;
  };

  /// `request` (for its filter) and `source` outlive it.
  ParallelScan(const PageSource& source, const ScanRequest& request, Projection projection, Begun begun);
  ~ParallelScan();
  ParallelScan(const ParallelScan&) = delete;
  ParallelScan& operator=(const ParallelScan&) = delete;

  /// The next page with rows; nullopt at the end. Throws what a request throws.
  std::optional<Slice> next();
  void give_back(std::shared_ptr<PooledPage> page) noexcept;

 private:
  struct Probe {
    PageCall call;
    bool done = false;
  };
  struct Search {
    SplitSearch logic;
    bool by_row;
    std::string partition;  // where by_row
    std::vector<Probe> probes;
  };
  struct Part {
    KeyRange bounds;
    RangeQuery query;
    bool trims = false;  // the query has more keys than the bounds
    std::optional<Continuation> next;
    ContinuationChain chain;
    std::optional<PageCall> call;
    std::deque<Slice> ready;
    std::optional<Position> first;
    std::optional<Position> last;
    std::size_t pages = 0;
    bool started = false;
    bool ended = false;
    bool sparse = false;             // the last page was not full
    bool begin_anew = false;         // behind the last key, when the page under way has come
    std::optional<double> expected;  // pages, when it was split off
    std::optional<std::string> end;  // nothing was found from here on
    bool one_partition = false;      // there is nothing behind the partition of `last`
    std::size_t not_before = 0;      // pages, of the next search
    std::unique_ptr<Search> search;
    std::exception_ptr failure;
  };
  using Parts = std::list<Part>;

  void collect();
  void take_page(Part& part);
  void add_page(Part& part, const HttpResponse& response, std::shared_ptr<PooledPage> page);
  void take_probes(Parts::iterator part);
  void end_search(Parts::iterator part);
  void split(Parts::iterator part, const Search& search);
  void begin_anew(Parts::iterator part);
  bool is_usable(const KeyRange& bounds, RangeQuery& query) const;
  void note_throttling(const Call& call);
  void schedule();
  void start(Part& part);
  bool may_read_ahead(const Part& part, bool front) const;
  void search_somewhere();
  bool may_split(const Part& part) const;
  void begin_search(Part& part, std::vector<double> shares);
  void ask_probes(Part& part);
  /// Pages; large where it is not known.
  double remaining(const Part& part) const;
  std::size_t free_slots() const { return allowed_ > under_way_ ? allowed_ - under_way_ : 0; }
  void wait();

  const PageSource& source_;
  const ScanRequest& request_;
  const Projection projection_;
  const bool filter_left_out_;
  const std::size_t concurrency_;
  std::size_t allowed_;
  std::size_t untroubled_ = 0;  // answers since allowed_ was changed
  std::size_t under_way_ = 0;   // pages and probes
  std::size_t ready_ = 0;       // pages kept
  std::size_t most_ready_;
  std::size_t pages_read_;
  bool splits_ = true;
  KeySpace partitions_;
  KeySpace rows_;
  Parts parts_;  // in key order
};

}  // namespace table_storage::backend::remote
