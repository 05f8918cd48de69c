// A scan of a remote table: pages of the key ranges, one after another in the order of the ranges.
//
// The next page of a range is asked for before the rows of the last one are handed out, unless a limit makes
// it likely that nobody wants it, and the first pages
// of the following ranges are under way at the same time, so that waiting overlaps with work. In memory are
// at most a page of the current range and one answer for each range under way. The connection's thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/page.h"
#include "extension/backend/remote/query.h"
#include "extension/backend/remote/service.h"
#include "parser/odata/evaluate.h"

namespace table_storage::backend::remote {

class RemoteScan : public Scan {
 public:
  RemoteScan(std::shared_ptr<Service> service, std::string table, ScanRequest request);

  const EntityView* next() override;
  std::string etag() const override;

 private:
  /// A key range whose first page is asked for.
  struct Stream {
    KeyRange range;
    RangeQuery query;
    std::unique_ptr<Call> call;
    std::optional<Continuation> next;  // of the page after the last one, not asked for yet
  };

  void fill_streams();
  std::unique_ptr<Call> ask(const RangeQuery& query, const std::optional<Continuation>& continuation);
  /// Reads the next page of the first stream. False when there is none left.
  bool read_page();
  /// Runs `body`; its error says which table was read.
  template <class Body>
  void parse(Body&& body) const;
  bool accepts(const EntityView& entity);
  bool passes_filter(const EntityView& entity);
  /// Rows come in another order from here on: the rest of the stream is read and sorted.
  void sort_rest(const EntityView& first);
  const EntityView* shown(const EntityView& entity);

  std::shared_ptr<Service> service_;
  std::string table_;
  ScanRequest request_;
  Projection projection_;  // what is asked for: the consumer's, and what a filter tested here needs
  std::size_t next_range_ = 0;
  std::deque<Stream> streams_;
  PageReader reader_;
  Page page_;
  std::size_t row_ = 0;  // the next one of page_
  std::optional<odata::Evaluator> evaluator_;
  std::vector<edm::ValueView> slots_;
  std::unique_ptr<Scan> rest_;
  const EntityView* current_ = nullptr;
};

}  // namespace table_storage::backend::remote
