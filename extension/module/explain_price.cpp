#include "extension/module/explain_price.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace table_storage::module {

using plan::Operator;
using plan::Plan;

namespace {

enum class Shape : unsigned char { none, fixed, list, range };

/// How the conditions bound one key.
Shape shape_of(const Plan& plan, const char* key) {
  Shape shape = Shape::none;
  if (plan.access == Plan::Access::row) return shape;
  for (const plan::Condition& condition : plan.keys) {
    if (condition.column != key) continue;
    const bool equality = condition.op == Operator::eq || condition.op == Operator::is;
    const Shape made = equality ? Shape::fixed : condition.op == Operator::in ? Shape::list : Shape::range;
    if (shape == Shape::none || made == Shape::fixed) shape = made;
  }
  return shape;
}

/// What an entity takes in an answer, roughly: as minimal metadata is written.
std::int64_t entity_bytes(const Plan& plan) {
  constexpr std::int64_t kKeys = 120;  // both keys and the ETag
  constexpr std::int64_t kProperty = 30;
  const auto fetched = static_cast<std::int64_t>(plan.fetch.size());
  const bool all = std::find(plan.fetch.begin(), plan.fetch.end(), "_properties") != plan.fetch.end();
  return kKeys + kProperty * (all ? std::max<std::int64_t>(fetched, 8) : fetched);
}

/// What the table's options make of the scan.
void add_limits(const ForeignTableDefinition& definition, ExplainedScan& scan) {
  if (scan.price == "table scan" && definition.require_key == RequireKey::error)
    scan.remark += "; require_key 'error' refuses it";
  if (scan.price == "table scan" && definition.require_key == RequireKey::warn)
    scan.remark += "; require_key 'warn' logs it";
  if (definition.max_requests && scan.requests &&
      static_cast<std::uint64_t>(*scan.requests) > *definition.max_requests) {
    scan.remark += "; max_requests stops it after " + std::to_string(*definition.max_requests);
  }
}

}  // namespace

void price(ForeignTable& table, const Plan& plan, ExplainedScan& scan) {
  const Shape partition = shape_of(plan, "PartitionKey");
  const Shape row = shape_of(plan, "RowKey");
  const ForeignTableDefinition& definition = table.definition();
  const auto page = static_cast<double>(std::max<std::size_t>(definition.backend_options.page_size, 1));
  const auto expect = [&](double entities) {
    if (!plan.filter.empty() || !plan.odata.empty()) return;  // how many pass is not known
    scan.entities = static_cast<std::int64_t>(std::llround(entities));
    scan.requests = static_cast<std::int64_t>(std::max(1.0, std::ceil(entities / page)));
  };
  if (partition == Shape::fixed && row == Shape::fixed) {
    scan.price = "point";
    scan.remark = "one entity by both keys: the cheapest request there is";
    scan.requests = 1;
    scan.entities = 1;
  } else if ((partition == Shape::fixed || partition == Shape::list) &&
             (row == Shape::fixed || row == Shape::list)) {
    scan.price = "points";
    scan.remark = "entities by both keys, several requests at once";
  } else if (partition == Shape::fixed) {
    scan.price = "partition";
    scan.remark = row == Shape::range ? "a range of row keys in one partition" : "one partition";
    if (table.state().partition_rows && row == Shape::none) expect(*table.state().partition_rows);
  } else if (partition == Shape::list) {
    scan.price = "partitions";
    scan.remark = "one request or more for each partition of the list, several at once";
  } else if (partition == Shape::range) {
    scan.price = "range";
    scan.remark = "the partitions between two bounds";
  } else {
    scan.price = "table scan";
    scan.remark = "the service reads every entity; a condition on PartitionKey would narrow that";
    if (row != Shape::none) scan.remark += " (RowKey alone does not)";
    if (const auto size = table.likely_rows(); size && row == Shape::none) expect(static_cast<double>(*size));
  }
  if (table.backend_capabilities().dialect == backend::Dialect::local) {
    if (scan.price == "table scan") {
      scan.remark = "every entity of the table is read; a condition on PartitionKey would narrow that";
      if (row != Shape::none) scan.remark += " (RowKey alone does not)";
    }
    scan.remark += "; the local backend needs no requests";
    scan.requests = 0;
  } else if (scan.in_loop) {
    scan.remark +=
        "; asked for each row of what stands outside, until the join cache holds what those have in common";
  }
  add_limits(definition, scan);
  if (scan.entities) scan.bytes = *scan.entities * entity_bytes(plan);
}

}  // namespace table_storage::module
