// A scan as requests: which addresses answer it, and what has to be tested here because an address cannot say
// it.
//
// Source: "Query Entities", "Querying tables and entities". Pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "extension/backend/backend.h"
#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

/// The address of one key range, without continuation.
struct RangeQuery {
  HttpRequest request;
  /// $top of the first request. The following ones go without: where the first few rows were not enough, they
  /// are being tested by SQLite, and pages of a few rows would make a request of each.
  std::optional<std::uint64_t> first_page;
  bool is_point = false;  // GET of one entity: 404 ResourceNotFound means no row
  /// The service was asked for more keys than the range has, because it orders them in another way.
  bool widened = false;
  /// $filter would have made the address too long, or the service does not evaluate it rightly: all or a part
  /// of it is left out, and rows are to be tested here.
  bool filter_left_out = false;
};

/// nullopt where no entity can have such keys.
std::optional<RangeQuery> query_of(const Endpoint& endpoint, std::string_view table, const KeyRange& range,
                                   const ScanRequest& scan, const Projection& projection);

/// Whether the keys lie in the range, in SQLite's order.
bool contains(const KeyRange& range, std::string_view partition_key, std::string_view row_key);

/// True for a key whose place in UTF-16 order, the service's, may not be its place in SQLite's UTF-8 order.
bool is_ordered_otherwise(std::string_view key);

}  // namespace table_storage::backend::remote
