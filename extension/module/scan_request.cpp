#include "extension/module/scan_request.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/list_concurrency.h"
#include "extension/backend/sorted_scan.h"
#include "extension/module/column_value.h"
#include "extension/module/dialect.h"
#include "extension/module/key_list_scan.h"
#include "extension/module/pushdown.h"
#include "extension/module/sql_number.h"
#include "parser/error.h"
#include "parser/odata/filter.h"

namespace table_storage::module {

using plan::Operator;
using plan::Plan;

namespace {

/// Collects the rowid that a right side means under INTEGER affinity. False if that cannot be told here: a
/// text that is no plain whole number may still equal one.
bool collect_rowid(sqlite3_value* value, std::unordered_set<std::int64_t>& wanted) {
  const SqlNumber number = number_in_condition(value);
  if (number.kind == SqlNumber::Kind::integer) wanted.insert(number.integer);
  return number.kind != SqlNumber::Kind::text;
}

class ScanPlanner {
 public:
  ScanPlanner(ForeignTable& table, const ResolvedPlan& plan, sqlite3_value** argv, ArgumentSet used)
      : table_(table), plan_(plan), argv_(argv), used_(used) {}

  PlannedScan run() {
    bool possible = true;
    switch (plan_.access) {
      case Plan::Access::row:
        possible = add_rowids();
        break;
      case Plan::Access::keys:
        possible = add_keys();
        break;
      case Plan::Access::whole_table:
        scan_.request.ranges.emplace_back();
        break;
    }
    // Errors in a filter are told even where no row could come.
    scan_.possible = add_filter() && possible;
    scan_.request.projection = plan_.projection;
    scan_.request.ordered = !plan_.order.empty();
    scan_.request.in_parts = true;
    constexpr std::uint64_t kFewPages = 16;
    const std::uint64_t few = kFewPages * table_.definition().backend_options.page_size;
    const std::uint64_t known = table_.likely_rows().value_or(few);
    if (known < few) scan_.request.rows_before_parts = known + known / 2;
    if (used_ == ArgumentSet::all()) {
      add_limit();
      scan_.distinct_partitions = plan_.distinct_partitions;
    }
    if (!scan_.request.filter && scan_.wanted.empty() && scan_.request.ranges.size() == 1) {
      const backend::KeyRange& range = scan_.request.ranges.front();
      const bool all_rows = !range.row.lower && !range.row.upper;
      scan_.whole_table = all_rows && !range.partition.lower && !range.partition.upper;
      scan_.whole_partition = all_rows && range.partition.is_point();
    }
    return std::move(scan_);
  }

 private:
  bool add_keys() {
    const bool utf8 = table_.connection().is_utf8();
    // The local backend compares in the database's own order, whatever that is.
    const bool local = table_.backend_capabilities().dialect == backend::Dialect::local;
    const TextOrder order{utf8, utf8 || local};
    KeyDomain partition(order);
    KeyDomain row(order);
    for (const ResolvedCondition& key : plan_.keys) {
      if (!used_.has(key.argument)) continue;
      (key.column == kPartitionKey ? partition : row).narrow(key.op, {argv_[key.argument], key.literal});
    }
    scan_.request.ranges = combine(partition, row);
    if (scan_.request.ranges.empty()) return false;

    // The order that was claimed, against the order in which these ranges come.
    std::vector<int> natural;
    if (!partition.is_point()) natural.push_back(kPartitionKey);
    if (!row.is_point()) natural.push_back(kRowKey);
    std::vector<int> claimed;
    for (int column : plan_.order) {
      if (!(column == kPartitionKey ? partition : row).is_point()) claimed.push_back(column);
    }
    const auto common = static_cast<std::ptrdiff_t>(std::min(claimed.size(), natural.size()));
    if (!std::equal(claimed.begin(), claimed.end(), natural.begin(), natural.begin() + common)) {
      scan_.sort = true;
      scan_.sort_by_row_key = claimed.front() == kRowKey;
    }
    return true;
  }

  bool add_rowids() {
    const ResolvedCondition& condition = plan_.keys.front();
    bool known = true;
    if (condition.op == Operator::in) {
      for_each_in_list(argv_[condition.argument], [&](sqlite3_value* element) {
        known = collect_rowid(element, scan_.wanted) && known;
        return true;
      });
    } else {
      known = collect_rowid(argv_[condition.argument], scan_.wanted);
    }
    if (!known) {  // SQLite will test every row
      scan_.wanted.clear();
      scan_.request.ranges.emplace_back();
      return true;
    }
    if (scan_.wanted.empty()) return false;
    std::vector<std::pair<std::string, std::string>> keys;
    for (std::int64_t rowid : scan_.wanted) {
      const std::optional<ShownRow> shown = table_.state().rows.find(rowid);
      if (!shown) {
        scan_.request.ranges.emplace_back();
        return true;
      }
      keys.emplace_back(shown->partition_key, shown->row_key);
    }
    // Ranges come in key order, whoever reads them (key_list_scan.h).
    std::sort(keys.begin(), keys.end());
    for (const auto& [partition, row] : keys)
      scan_.request.ranges.push_back(
          {backend::TextRange::exactly(partition), backend::TextRange::exactly(row)});
    return true;
  }

  bool add_filter() {
    const TextOrder order{table_.connection().is_utf8(), true};
    const backend::Dialect dialect = table_.backend_capabilities().dialect;
    std::vector<odata::Filter> all;
    std::vector<odata::Filter> sent;
    bool trusted = true;
    for (int argument : plan_.odata) {
      if (!used_.has(argument)) continue;
      sqlite3_value* value = argv_[argument];
      if (sqlite3_value_type(value) == SQLITE_NULL) return false;
      if (sqlite3_value_type(value) != SQLITE_TEXT) {
        throw Error(Error::Kind::invalid, "InvalidInput",
                    "_filter of " + table_.definition().name + " takes an OData filter as text, not " +
                        describe(value));
      }
      scan_.odata_text = std::string(text_of(value));
      all.push_back(odata::parse_filter(*scan_.odata_text));
      OwnFilter own = own_filter_in_dialect(all.back(), dialect);
      trusted = trusted && own.exact;
      if (own.superset) sent.push_back(std::move(*own.superset));
    }
    bool possible = true;
    for (const ResolvedCondition& condition : plan_.filter) {
      if (!used_.has(condition.argument)) continue;
      const Column& column = table_.definition().columns[static_cast<std::size_t>(condition.column)];
      Narrowing narrowing =
          narrow_property(column, condition.op, {argv_[condition.argument], condition.literal}, order);
      if (narrowing.kind == Narrowing::Kind::never) possible = false;
      if (narrowing.kind != Narrowing::Kind::filter) continue;
      auto translated = in_dialect(*narrowing.filter, dialect);
      if (!translated) continue;
      if (!trusted) sent.push_back(*translated);
      all.push_back(std::move(*translated));
    }
    if (!all.empty()) scan_.request.filter = odata::Filter::all_of(std::move(all));
    scan_.request.test_entities = !trusted;
    if (!trusted && !sent.empty()) scan_.request.superset = odata::Filter::all_of(std::move(sent));
    return possible;
  }

  void add_limit() {
    if (!plan_.limit || scan_.sort) return;
    const std::int64_t limit = sqlite3_value_int64(argv_[*plan_.limit]);
    const std::int64_t offset = plan_.offset ? sqlite3_value_int64(argv_[*plan_.offset]) : 0;
    if (limit < 0) return;
    constexpr std::int64_t kNoHint = std::int64_t{1} << 62;
    if (limit > kNoHint || offset > kNoHint) return;
    scan_.request.limit_hint = static_cast<std::uint64_t>(limit + std::max<std::int64_t>(offset, 0));
  }

  ForeignTable& table_;
  const ResolvedPlan& plan_;
  sqlite3_value** argv_;
  ArgumentSet used_;
  PlannedScan scan_;
};

/// Whether any partition may have to be read.
bool is_unbounded(const backend::ScanRequest& request) {
  return std::any_of(request.ranges.begin(), request.ranges.end(), [](const backend::KeyRange& range) {
    return !range.partition.lower && !range.partition.upper;
  });
}

void require_key(const ForeignTable& table, const backend::ScanRequest& request) {
  const ForeignTableDefinition& definition = table.definition();
  if (definition.require_key == RequireKey::off || !is_unbounded(request)) return;
  const bool refused = definition.require_key == RequireKey::error;
  std::string message = definition.name + ": no condition bounds PartitionKey, so the whole table ";
  message += refused ? "would have to be read" : "is read";
  const bool by_row =
      std::any_of(request.ranges.begin(), request.ranges.end(),
                  [](const backend::KeyRange& range) { return range.row.lower || range.row.upper; });
  if (by_row) {
    message += " (RowKey alone does not help)";
  } else if (request.filter) {
    message += " (conditions on other columns do not help)";
  }
  message += "; add PartitionKey = '…', PartitionKey IN (…)";
  if (!refused) {
    // SQLite cuts what it logs after about 200 bytes.
    sqlite3_log(SQLITE_WARNING, "%s, a range, or a join that gives it", message.c_str());
    return;
  }
  throw Error(
      Error::Kind::invalid, "",
      message +
          ", a range such as PartitionKey >= '…' AND PartitionKey < '…', or a join that gives it, or set "
          "require_key to 'off'");
}

}  // namespace

PlannedScan plan_scan(ForeignTable& table, const ResolvedPlan& plan, sqlite3_value** argv, ArgumentSet used) {
  return ScanPlanner(table, plan, argv, used).run();
}

std::unique_ptr<backend::Scan> open_scan(ForeignTable& table, const PlannedScan& scan) {
  require_key(table, scan.request);
  backend::Table& opener = table.backend_table();
  const backend::Capabilities abilities = opener.capabilities();
  std::unique_ptr<backend::Scan> opened;
  if (abilities.dialect != backend::Dialect::local && abilities.key_order && table.connection().is_utf8() &&
      !scan.request.limit_hint && has_dense_keys(scan.request)) {
    const backend::TableOptions& options = table.definition().backend_options;
    opened = open_key_list(opener, scan.request, options.page_size, backend::list_concurrency(options));
  } else {
    opened = opener.open_scan(scan.request);
  }
  return scan.sort ? backend::sorted(std::move(opened), scan.sort_by_row_key) : std::move(opened);
}

std::unique_ptr<SkipScan> open_skip_scan(ForeignTable& table, const PlannedScan& scan) {
  if (!scan.distinct_partitions || scan.sort || scan.request.ranges.size() != 1) return nullptr;
  // In a UTF-16 database `PartitionKey > …` is no range of the service's.
  if (!table.connection().is_utf8() || !table.backend_capabilities().key_order) return nullptr;
  require_key(table, scan.request);
  return std::make_unique<SkipScan>(table.backend_table(), scan.request,
                                    table.definition().backend_options.page_size);
}

}  // namespace table_storage::module
