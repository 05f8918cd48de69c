// Requests for pages of one table and projection: sent, and decoded where their answers are received.
// The connection's thread only; decoding runs in the transport's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "extension/backend/backend.h"
#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/page_pool.h"
#include "extension/backend/remote/query.h"
#include "extension/backend/remote/service.h"

namespace table_storage::backend::remote {

/// What the service gives where nothing is asked for, and the most that it gives.
inline constexpr std::size_t kMaxPage = 1000;

/// A page on its way.
struct PageCall {
  std::unique_ptr<Call> call;
  std::shared_ptr<PooledPage> page;  // what the answer is read into; not to be touched before get()
};

/// What all requests of a scan have in common.
struct PageSource {
  std::shared_ptr<Service> service;
  std::shared_ptr<PagePool> pages;
  std::string table;
  std::string asked;  // "reading table Devices", for messages
  TableOptions options;

  /// How many entities a page may have.
  std::size_t page_size() const;
  /// `now`: it will be waited for at once. `projection` is that of the query.
  PageCall ask(const RangeQuery& query, const Projection& projection,
               const std::optional<Continuation>& continuation, bool now) const;
};

}  // namespace table_storage::backend::remote
