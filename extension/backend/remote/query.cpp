#include "extension/backend/remote/query.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "extension/backend/limits.h"
#include "extension/backend/remote/url.h"
#include "parser/edm/prefix.h"
#include "parser/error.h"
#include "parser/odata/filter.h"

namespace table_storage::backend::remote {

namespace {

using odata::Filter;
using FilterOperator = odata::Operator;

// Services are reported to take 16 KiB and more, some proxies no more than 8.
constexpr std::size_t kMaxAddress = 7'500;
constexpr std::size_t kMaxSelected = 255;
// Bounds of a range are texts of any length. So many bytes fit an address however they have to be written
// there: a quotation mark, the worst, takes six characters.
constexpr std::size_t kAlwaysFit = 1'000;
constexpr std::size_t kCutBound = kAlwaysFit / 4;  // of each of the four
constexpr std::size_t kWholeBound = std::string_view::npos;

std::size_t bound_bytes(const TextRange& range) {
  return (range.lower ? range.lower->size() : 0) + (range.upper ? range.upper->size() : 0);
}

/// What the service is asked about a bound: up to the first character whose order differs, and to `most`
/// bytes.
std::string_view sent_part(std::string_view bound, std::size_t most) {
  const std::string_view part = edm::comparable_prefix(bound);
  if (part.size() <= most) return part;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(part[end]) & 0xC0) == 0x80) --end;
  return part.substr(0, end);
}

/// Adds the conditions of one key range. Cutting a bound only widens the range. True if that happened.
bool add_key_conditions(const char* key, const TextRange& range, std::size_t most, std::vector<Filter>& all) {
  if (range.is_point()) {
    all.push_back(Filter::compare(key, FilterOperator::eq, edm::Value::string(*range.lower)));
    return false;
  }
  bool widened = false;
  if (range.lower) {
    const std::string_view bound = sent_part(*range.lower, most);
    const bool whole = bound.size() == range.lower->size();
    widened = !whole;
    const auto op = whole && !range.lower_inclusive ? FilterOperator::gt : FilterOperator::ge;
    if (!bound.empty() || op == FilterOperator::gt)
      all.push_back(Filter::compare(key, op, edm::Value::string(bound)));
  }
  if (range.upper) {
    const std::string_view bound = sent_part(*range.upper, most);
    if (bound.size() == range.upper->size()) {
      const auto op = range.upper_inclusive ? FilterOperator::le : FilterOperator::lt;
      all.push_back(Filter::compare(key, op, edm::Value::string(bound)));
    } else {
      widened = true;
      if (auto above = edm::prefix_successor(bound)) {
        all.push_back(Filter::compare(key, FilterOperator::lt, edm::Value::string(*above)));
      }
    }
  }
  return widened;
}

bool is_legal(const TextRange& range, const char* which) {
  if (!range.is_point()) return true;
  try {
    check_key(which, *range.lower);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void add_select(HttpRequest& request, const Projection& projection) {
  if (projection.all_properties || projection.properties.size() + 3 > kMaxSelected) return;
  std::string names = "PartitionKey,RowKey";
  if (projection.timestamp) names += ",Timestamp";
  for (const std::string& name : projection.properties) names += ',' + name;
  add_parameter(request.query, "$select", names);
}

bool is_too_long(const Endpoint& endpoint, const HttpRequest& request) {
  return address_size(request) + endpoint.origin.size() > kMaxAddress;
}

bool in_range(const TextRange& range, std::string_view key) {
  if (range.lower) {
    const int order = key.compare(*range.lower);
    if (order < 0 || (order == 0 && !range.lower_inclusive)) return false;
  }
  if (range.upper) {
    const int order = key.compare(*range.upper);
    if (order > 0 || (order == 0 && !range.upper_inclusive)) return false;
  }
  return true;
}

}  // namespace

std::optional<RangeQuery> query_of(const Endpoint& endpoint, std::string_view table, const KeyRange& range,
                                   const ScanRequest& scan, const Projection& projection) {
  if (!is_legal(range.partition, "PartitionKey") || !is_legal(range.row, "RowKey")) return std::nullopt;
  RangeQuery query;
  if (range.partition.is_point() && range.row.is_point() && !scan.filter) {
    query.is_point = true;
    query.request.path = entity_path(endpoint, table, *range.partition.lower, *range.row.lower);
    const HttpRequest whole = query.request;
    add_select(query.request, projection);
    if (is_too_long(endpoint, query.request)) query.request = whole;
    return query;
  }
  query.request.path = query_path(endpoint, table);
  const HttpRequest bare = query.request;
  const auto build = [&](std::vector<Filter> filters, bool select = true) {
    query.request = bare;
    if (!filters.empty()) {
      add_parameter(query.request.query, "$filter", odata::print(Filter::all_of(std::move(filters))));
    }
    if (select) add_select(query.request, projection);
  };
  std::vector<Filter> keys;
  const auto add_keys = [&](std::size_t most) {
    keys.clear();
    query.widened = add_key_conditions("PartitionKey", range.partition, most, keys);
    query.widened = add_key_conditions("RowKey", range.row, most, keys) || query.widened;
  };
  add_keys(kWholeBound);
  if (bound_bytes(range.partition) + bound_bytes(range.row) > kAlwaysFit) {
    build(keys, false);
    if (is_too_long(endpoint, query.request)) add_keys(kCutBound);
  }
  std::vector<Filter> all = keys;
  const std::optional<Filter>& sent = scan.test_entities ? scan.superset : scan.filter;
  query.filter_left_out = scan.test_entities;
  if (sent) all.push_back(*sent);
  build(all);
  // Without $select all properties come, which costs less than entities that the filter would have kept back.
  if (is_too_long(endpoint, query.request)) build(all, false);
  if (sent && is_too_long(endpoint, query.request)) {
    query.filter_left_out = true;
    build(keys);
    if (is_too_long(endpoint, query.request)) build(keys, false);
  }
  constexpr std::uint64_t kPage = 1000;
  if (scan.limit_hint && *scan.limit_hint < kPage && !query.filter_left_out) {
    query.first_page = std::max<std::uint64_t>(*scan.limit_hint, 1);
  }
  return query;
}

bool contains(const KeyRange& range, std::string_view partition_key, std::string_view row_key) {
  return in_range(range.partition, partition_key) && in_range(range.row, row_key);
}

bool is_ordered_otherwise(std::string_view key) {
  // Lead bytes of U+E000 and up.
  return std::any_of(key.begin(), key.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xEE; });
}

}  // namespace table_storage::backend::remote
