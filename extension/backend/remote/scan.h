// A scan of a remote table: pages of the key ranges, one after another in the order of the ranges.
//
// The next pages of a range, as many as TableOptions says, are asked for before the rows of the last one have
// been handed out, unless a limit makes it likely that nobody wants them, and the first pages of the
// following ranges are under way at the same time. A page is decoded where it is received, so that fetching
// and decoding overlap with what SQLite does. In memory are the page that is read, those ahead of it, and one
// for each range under way.
//
// When a range turns out long it is read in several parts at once (parallel_scan.h), if the request allows
// it: then rows come in key order only where the consumer relies on it. The connection's thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/page_pool.h"
#include "extension/backend/remote/page_request.h"
#include "extension/backend/remote/parallel_scan.h"
#include "extension/backend/remote/query.h"
#include "extension/backend/remote/service.h"
#include "parser/odata/evaluate.h"

namespace table_storage::backend::remote {

class RemoteScan : public Scan {
 public:
  RemoteScan(std::shared_ptr<Service> service, std::shared_ptr<PagePool> pages, const std::string& table,
             const TableOptions& options, ScanRequest request);
  ~RemoteScan() override;
  RemoteScan(const RemoteScan&) = delete;
  RemoteScan& operator=(const RemoteScan&) = delete;

  const EntityView* next() override;
  std::string etag() const override;
  bool peek(std::size_t distance, EntityView& entity) const override;
  std::optional<std::chrono::microseconds> answered_in() const override { return answered_in_; }

 private:
  /// A key range whose first page is asked for.
  struct Stream {
    KeyRange range;
    RangeQuery query;
    std::vector<PageCall> ahead;       // in order; only the last one may still be under way
    std::optional<Continuation> next;  // of the page behind `ahead`, not asked for yet
    ContinuationChain chain;

    bool is_at_end() const { return ahead.empty() && !next; }
  };

  void fill_streams();
  PageCall ask(const RangeQuery& query, const std::optional<Continuation>& continuation);
  /// Notes where the page behind the last one that is ahead begins.
  void go_on(Stream& stream, const HttpResponse& last) const;
  /// Asks for the page behind those that are ahead, where that is known and not too far.
  void ask_ahead(Stream& stream);
  /// Looks whether the last page ahead has come, which tells where the next one begins.
  void look_ahead();
  /// Takes the next page of the first stream. False when there is none left.
  bool read_page();
  /// Shows a page and gives the one before it back.
  void turn_to(std::shared_ptr<PooledPage> page, std::size_t rows);
  void note_page();
  bool is_worth_splitting(const Stream& stream) const;
  /// The rest of the first stream, the last one, is read in several parts.
  void go_parallel();
  bool is_at_end_of_range() const;
  bool accepts(const EntityView& entity);
  bool passes_filter(const EntityView& entity);
  /// Rows come in another order from the current one on: the rest of the stream is read and sorted.
  void sort_rest();

  /// What is asked for.
  const Projection& projection() const { return wider_ ? *wider_ : request_.projection; }
  const Page& page() const { return current_page_->page; }

  PageSource source_;
  ScanRequest request_;
  std::size_t most_streams_;
  std::optional<Projection> wider_;  // the consumer's projection and what a filter tested here needs
  std::size_t next_range_ = 0;
  std::list<Stream> streams_;
  // Of the first stream, while it may still be split:
  std::size_t pages_read_ = 0;
  std::chrono::steady_clock::duration waited_{0};  // for these pages but the first
  std::size_t rows_read_ = 0;
  Position first_key_;
  Position last_key_;
  bool asks_ahead_ = false;                   // when the second row of the page is wanted
  std::unique_ptr<ParallelScan> parallel_;    // the first stream's rest
  std::shared_ptr<PooledPage> current_page_;  // null before the first one
  std::size_t row_ = 0;                       // the next one of it
  std::size_t rows_ = 0;                      // that it has
  EntityView entity_;                         // the current one, while it is not of rest_
  std::optional<odata::Evaluator> evaluator_;
  std::vector<edm::ValueView> slots_;
  std::unique_ptr<Scan> rest_;
  std::optional<std::chrono::microseconds> answered_in_;
};

}  // namespace table_storage::backend::remote
