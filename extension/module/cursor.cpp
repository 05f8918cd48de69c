#include "extension/module/cursor.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "extension/backend/sorted_scan.h"
#include "extension/module/column_value.h"
#include "extension/module/dialect.h"
#include "extension/module/sql_number.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

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

}  // namespace

void Cursor::filter(const char* plan_text, sqlite3_value** argv) {
  row_ = nullptr;
  scan_.reset();
  wanted_.clear();
  odata_text_.reset();
  sort_ = false;
  seen_ = 0;
  if (!plan_ || plan_text_ != plan_text) {
    plan_ = table_.resolve(plan_text);
    plan_text_ = plan_text;
  }
  backend::ScanRequest request;
  if (!request_rows(argv, request)) return;
  scan_ = table_.backend_table().open_scan(request);
  if (sort_) scan_ = backend::sorted(std::move(scan_), sort_by_row_key_);
  next();
}

bool Cursor::request_rows(sqlite3_value** argv, backend::ScanRequest& request) {
  bool possible = true;
  switch (plan_->access) {
    case Plan::Access::row:
      possible = request_rowids(argv, request);
      break;
    case Plan::Access::keys:
      possible = request_keys(argv, request);
      break;
    case Plan::Access::whole_table:
      request.ranges.emplace_back();
      break;
  }
  // Errors in a filter are told even where no row could come.
  if (!request_filter(argv, request) || !possible) return false;
  request.projection = plan_->projection;
  request.ordered = !plan_->order.empty();
  request_limit(argv, request);
  counts_table_ = plan_->access == Plan::Access::whole_table && !request.filter;
  return true;
}

bool Cursor::request_keys(sqlite3_value** argv, backend::ScanRequest& request) {
  const bool utf8 = table_.connection().is_utf8();
  // The local backend compares in the database's own order, whatever that is.
  const bool local = table_.backend_capabilities().dialect == backend::Dialect::local;
  const TextOrder order{utf8, utf8 || local};
  KeyDomain partition(order);
  KeyDomain row(order);
  for (const ResolvedCondition& key : plan_->keys) {
    (key.column == kPartitionKey ? partition : row).narrow(key.op, {argv[key.argument], key.literal});
  }
  request.ranges = combine(partition, row);
  if (request.ranges.empty()) return false;

  // The order that was claimed, against the order in which these ranges come.
  std::vector<int> natural;
  if (!partition.is_point()) natural.push_back(kPartitionKey);
  if (!row.is_point()) natural.push_back(kRowKey);
  std::vector<int> claimed;
  for (int column : plan_->order) {
    if (!(column == kPartitionKey ? partition : row).is_point()) claimed.push_back(column);
  }
  if (!std::equal(claimed.begin(), claimed.end(), natural.begin(),
                  natural.begin() + static_cast<std::ptrdiff_t>(std::min(claimed.size(), natural.size())))) {
    sort_ = true;
    sort_by_row_key_ = claimed.front() == kRowKey;
  }
  return true;
}

bool Cursor::request_rowids(sqlite3_value** argv, backend::ScanRequest& request) {
  const ResolvedCondition& condition = plan_->keys.front();
  bool known = true;
  if (condition.op == Operator::in) {
    sqlite3_value* element = nullptr;
    int rc = sqlite3_vtab_in_first(argv[condition.argument], &element);
    for (; rc == SQLITE_OK && element != nullptr;
         rc = sqlite3_vtab_in_next(argv[condition.argument], &element)) {
      known = collect_rowid(element, wanted_) && known;
    }
  } else {
    known = collect_rowid(argv[condition.argument], wanted_);
  }
  if (!known) {  // SQLite will test every row
    wanted_.clear();
    request.ranges.emplace_back();
    return true;
  }
  if (wanted_.empty()) return false;
  for (std::int64_t rowid : wanted_) {
    const std::optional<ShownRow> shown = table_.state().rows.find(rowid);
    if (!shown) {
      request.ranges.assign(1, backend::KeyRange{});
      return true;
    }
    request.ranges.push_back(
        {backend::TextRange::exactly(shown->partition_key), backend::TextRange::exactly(shown->row_key)});
  }
  return true;
}

bool Cursor::request_filter(sqlite3_value** argv, backend::ScanRequest& request) {
  const TextOrder order{table_.connection().is_utf8(), true};
  const backend::Dialect dialect = table_.backend_capabilities().dialect;
  std::vector<odata::Filter> all;
  for (int argument : plan_->odata) {
    sqlite3_value* value = argv[argument];
    if (sqlite3_value_type(value) == SQLITE_NULL) return false;
    if (sqlite3_value_type(value) != SQLITE_TEXT) {
      throw Error(Error::Kind::invalid, "InvalidInput",
                  "_filter of " + table_.definition().name + " takes an OData filter as text, not " +
                      describe(value));
    }
    odata_text_ = std::string(text_of(value));
    all.push_back(odata::parse_filter(*odata_text_));
  }
  bool possible = true;
  for (const ResolvedCondition& condition : plan_->filter) {
    const Column& column = table_.definition().columns[static_cast<std::size_t>(condition.column)];
    Narrowing narrowing =
        narrow_property(column, condition.op, {argv[condition.argument], condition.literal}, order);
    if (narrowing.kind == Narrowing::Kind::never) possible = false;
    if (narrowing.kind != Narrowing::Kind::filter) continue;
    if (auto translated = in_dialect(*narrowing.filter, dialect)) all.push_back(std::move(*translated));
  }
  if (!all.empty()) request.filter = odata::Filter::all_of(std::move(all));
  return possible;
}

void Cursor::request_limit(sqlite3_value** argv, backend::ScanRequest& request) {
  if (!plan_->limit || sort_) return;
  std::int64_t limit = sqlite3_value_int64(argv[*plan_->limit]);
  const std::int64_t offset = plan_->offset ? sqlite3_value_int64(argv[*plan_->offset]) : 0;
  if (limit < 0) return;
  constexpr std::int64_t kNoHint = std::int64_t{1} << 62;
  if (limit > kNoHint || offset > kNoHint) return;
  request.limit_hint = static_cast<std::uint64_t>(limit + std::max<std::int64_t>(offset, 0));
}

void Cursor::next() {
  do {
    row_ = scan_->next();
    if (row_ == nullptr) {
      if (counts_table_) table_.state().known_rows = seen_;
      return;
    }
    ++seen_;
  } while (!wanted_.empty() &&
           wanted_.count(table_.state().rows.rowid_of(row_->partition_key, row_->row_key)) == 0);
}

std::int64_t Cursor::rowid() {
  TableState& state = table_.state();
  if (state.writing) return state.rows.remember(row_->partition_key, row_->row_key, scan_->etag());
  return state.rows.rowid_of(row_->partition_key, row_->row_key);
}

void Cursor::column(sqlite3_context* context, int index) {
  // In an UPDATE the columns that are not assigned need no value, and xUpdate then knows that they did not
  // change.
  if (table_.state().writing && sqlite3_vtab_nochange(context) != 0) return;
  const Column& column = table_.definition().columns[static_cast<std::size_t>(index)];
  switch (column.role) {
    case Column::Role::partition_key:
      show(context, column.type, edm::ValueView::string(row_->partition_key));
      break;
    case Column::Role::row_key:
      show(context, column.type, edm::ValueView::string(row_->row_key));
      break;
    case Column::Role::timestamp:
      // An entity that is not committed yet has none.
      if (row_->timestamp != 0) show(context, column.type, edm::ValueView::datetime(row_->timestamp));
      break;
    case Column::Role::etag: {
      const std::string etag = scan_->etag();
      if (etag != "*") show(context, column.type, edm::ValueView::string(etag));
      break;
    }
    case Column::Role::properties:
      show_json(context);
      break;
    case Column::Role::filter:
      if (odata_text_) {
        show(context, column.type, edm::ValueView::string(*odata_text_));
      } else if (last_column_ != kProperties) {
        // A condition that the planner could not see wants a value, and there is none. Only UPDATE … FROM
        // before SQLite 3.43 reads the column for no purpose: there all columns are read one after another.
        throw Error(Error::Kind::invalid, "",
                    "_filter of " + table_.definition().name +
                        " can only stand in WHERE as _filter = '…', joined by AND");
      }
      break;
    case Column::Role::property:
      show_property(context, column, plan_->slots[static_cast<std::size_t>(index)]);
      break;
  }
  last_column_ = index;
}

void Cursor::show_property(sqlite3_context* context, const Column& column, int slot) {
  if (slot < 0) {
    throw Error(Error::Kind::storage, "",
                "column " + column.name + " of " + table_.definition().name +
                    " was asked for but is not in the plan: " + plan_text_);
  }
  const edm::ValueView value = row_->properties[static_cast<std::size_t>(slot)];
  if (!value) return;
  if (!shows(column.type, value)) {
    if (table_.definition().on_type_mismatch == OnTypeMismatch::error) mismatch(column, value);
    return;
  }
  show(context, column.type, value);
}

void Cursor::show_json(sqlite3_context* context) {
  std::string json = "{";
  for (const backend::NamedValue& property : row_->all)
    json::append_property(json, property.name, property.value);
  json += '}';
  show(context, edm::Type::String, edm::ValueView::string(json));
}

void Cursor::mismatch(const Column& column, edm::ValueView value) const {
  throw Error(Error::Kind::invalid, "",
              "entity with PartitionKey '" + std::string(row_->partition_key) + "', RowKey '" +
                  std::string(row_->row_key) + "' of " + table_.definition().name + ": property " +
                  column.property + " holds " + std::string(edm::name_of(value.type())) + ", which column " +
                  column.name + " (" + column.type_name() +
                  ") does not show; declare the column ANY, or set on_type_mismatch to 'null' to read NULL")
      .native(SQLITE_MISMATCH);
}

}  // namespace table_storage::module
