#include "extension/module/planner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "parser/error.h"
#include "parser/odata/filter.h"

namespace table_storage::module {

using plan::Operator;
using plan::Plan;

namespace {

constexpr std::uint64_t kDefaultRows = 100'000;
constexpr double kScanOverhead = 10;
constexpr double kListLength = 25;
constexpr double kRequest = 1000;  // in rows, for a page of a service
constexpr double kPage = 1000;
constexpr double kRowsALookUp = 32;  // rows of a partition that cost one unit

std::optional<Operator> operator_of(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return Operator::eq;
    case SQLITE_INDEX_CONSTRAINT_IS:
      return Operator::is;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return Operator::lt;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return Operator::le;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return Operator::gt;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return Operator::ge;
    case SQLITE_INDEX_CONSTRAINT_NE:
      return Operator::ne;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return Operator::like;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return Operator::glob;
    default:
      return std::nullopt;
  }
}

bool is_text_operator(Operator op) { return op == Operator::like || op == Operator::glob; }

/// Whether the condition can narrow a scan at all; what is left goes to SQLite alone.
bool can_narrow(const Column& column, Operator op) {
  switch (column.role) {
    case Column::Role::partition_key:
    case Column::Role::row_key:
      return op != Operator::ne;
    case Column::Role::timestamp:
    case Column::Role::property:
      break;
    case Column::Role::etag:
    case Column::Role::properties:
    case Column::Role::filter:
      return false;
  }
  if (!column.type || !odata::can_name_everywhere(column.property)) return false;
  if (is_text_operator(op)) return column.type == edm::Type::String;
  const bool equality = op == Operator::eq || op == Operator::is || op == Operator::in;
  switch (*column.type) {
    case edm::Type::Boolean:
    case edm::Type::Binary:
      return equality;
    case edm::Type::Guid:
      return equality || op == Operator::ne;
    case edm::Type::String:
    case edm::Type::Int32:
    case edm::Type::Int64:
    case edm::Type::Double:
    case edm::Type::DateTime:
      break;
  }
  return true;
}

/// The literal on the right of the condition; null if there is something else.
sqlite3_value* literal_of(sqlite3_index_info* info, int constraint) {
  sqlite3_value* value = nullptr;
  return sqlite3_vtab_rhs_value(info, constraint, &value) == SQLITE_OK ? value : nullptr;
}

/// A literal text: no column's affinity belongs to it.
bool is_text_literal(sqlite3_index_info* info, int constraint) {
  sqlite3_value* value = literal_of(info, constraint);
  return value != nullptr && sqlite3_value_type(value) == SQLITE_TEXT;
}

/// Whether the condition may find rows in the join cache although no backend can be asked for it: equality on
/// a column that can be read, with what may be another table's value.
bool can_match(const Column& column, Operator op) {
  if (op != Operator::eq && op != Operator::is) return false;
  return column.role == Column::Role::timestamp || column.role == Column::Role::property;
}

/// How the conditions on one key bound it, for the cost.
struct KeyShape {
  bool fixed = false;          // =
  bool fixed_literal = false;  // = 'text'
  bool list = false;           // in
  bool low = false;
  bool high = false;

  void add(Operator op, bool literal) {
    switch (op) {
      case Operator::eq:
      case Operator::is:
        fixed = true;
        fixed_literal = fixed_literal || literal;
        break;
      case Operator::in:
        list = true;
        break;
      case Operator::lt:
      case Operator::le:
        high = true;
        break;
      case Operator::gt:
      case Operator::ge:
        low = true;
        break;
      case Operator::like:
      case Operator::glob:
        low = high = true;
        break;
      case Operator::ne:
        break;
    }
  }
  double share() const { return low && high ? 16 : low || high ? 4 : 1; }
};

class Planner {
 public:
  Planner(ForeignTable& table, sqlite3_index_info* info)
      : table_(table), definition_(table.definition()), info_(info) {}

  int run() {
    if (!place_filter_column()) return SQLITE_CONSTRAINT;
    place_conditions();
    place_order();
    place_limit();
    place_columns();
    place_distinct();
    estimate();
    info_->idxStr = sqlite3_mprintf("%s", plan::print(plan_).c_str());
    if (info_->idxStr == nullptr) throw std::bad_alloc();
    info_->needToFreeIdxStr = 1;
    return SQLITE_OK;
  }

 private:
  plan::Argument use(int constraint, bool literal = false) {
    info_->aConstraintUsage[constraint].argvIndex = ++arguments_;
    return {arguments_, literal};
  }

  /// `_filter` shows nothing that SQLite could test, so each of its conditions has to be taken here.
  bool place_filter_column() {
    for (int i = 0; i < info_->nConstraint; ++i) {
      const auto& constraint = info_->aConstraint[i];
      if (constraint.iColumn != kFilter) continue;
      if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT || constraint.op == SQLITE_INDEX_CONSTRAINT_OFFSET)
        continue;
      if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || sqlite3_vtab_in(info_, i, -1) != 0) {
        throw Error(Error::Kind::invalid, "",
                    "_filter of " + definition_.name +
                        " can only be compared with one text, as in WHERE _filter = 'Priority gt 5'");
      }
      if (!constraint.usable) return false;
      plan_.odata.push_back(use(i));
      info_->aConstraintUsage[i].omit = 1;
    }
    // A column that is used and not constrained here would be read, as under OR, NOT or in a function; there
    // is nothing to read, so rows would go missing. UPDATE claims to use every column; Cursor::column() looks
    // there.
    const auto used = static_cast<sqlite3_uint64>(info_->colUsed);
    if (plan_.odata.empty() && (used & (sqlite3_uint64{1} << kFilter)) != 0 && used != ~sqlite3_uint64{0}) {
      throw Error(
          Error::Kind::invalid, "",
          "_filter of " + definition_.name +
              " can only stand in WHERE as _filter = '…', joined by AND; alternatives belong into the filter "
              "itself, as in 'Priority gt 5 or Status eq ''open'''");
    }
    return true;
  }

  void place_conditions() {
    for (int i = 0; i < info_->nConstraint; ++i) {
      const auto& constraint = info_->aConstraint[i];
      if (!constraint.usable || info_->aConstraintUsage[i].argvIndex != 0) continue;
      auto op = operator_of(constraint.op);
      if (!op) continue;
      if (constraint.iColumn < 0) {
        place_rowid(i, *op);
        continue;
      }
      const Column& column = definition_.columns[static_cast<std::size_t>(constraint.iColumn)];
      if (!is_text_operator(*op) && std::strcmp(sqlite3_vtab_collation(info_, i), column.collation()) != 0)
        continue;
      const bool list = *op == Operator::eq && sqlite3_vtab_in(info_, i, -1) != 0;
      if (list) op = Operator::in;
      if (!can_narrow(column, *op)) {
        if (!list && can_match(column, *op) && literal_of(info_, i) == nullptr) {
          plan_.match.push_back({column.name, *op, use(i)});
          selectivity_ /= 10;
        }
        continue;
      }
      if (list) sqlite3_vtab_in(info_, i, 1);
      const bool literal = !list && is_text_literal(info_, i);
      plan::Condition condition{column.name, *op, use(i, literal)};
      if (constraint.iColumn == kPartitionKey || constraint.iColumn == kRowKey) {
        (constraint.iColumn == kPartitionKey ? partition_ : row_).add(*op, literal);
        plan_.keys.push_back(std::move(condition));
      } else {
        if (*op == Operator::eq || *op == Operator::is) {
          selectivity_ /= 10;
        } else {
          selectivity_ /= 3;
        }
        plan_.filter.push_back(std::move(condition));
      }
    }
    if (by_rowid_) {
      // Conditions on keys next to one on rowid cannot narrow a look-up further; SQLite tests them.
      for (const plan::Condition& key : plan_.keys) release(key.argument.position);
      plan_.access = Plan::Access::row;
      plan_.keys = {*by_rowid_};
      renumber();
    } else if (!plan_.keys.empty()) {
      plan_.access = Plan::Access::keys;
    }
  }

  void place_rowid(int constraint, Operator op) {
    if (by_rowid_ || (op != Operator::eq && op != Operator::is)) return;
    const bool list = op == Operator::eq && sqlite3_vtab_in(info_, constraint, -1) != 0;
    if (list) sqlite3_vtab_in(info_, constraint, 1);
    by_rowid_ = plan::Condition{"rowid", list ? Operator::in : op, use(constraint)};
  }

  void release(int position) {
    for (int i = 0; i < info_->nConstraint; ++i) {
      if (info_->aConstraintUsage[i].argvIndex == position) info_->aConstraintUsage[i].argvIndex = 0;
    }
  }

  /// argvIndex must run from 1 without gaps.
  void renumber() {
    std::vector<plan::Argument*> used;
    for (plan::Argument& argument : plan_.odata) used.push_back(&argument);
    for (plan::Condition& condition : plan_.keys) used.push_back(&condition.argument);
    for (plan::Condition& condition : plan_.filter) used.push_back(&condition.argument);
    for (plan::Condition& condition : plan_.match) used.push_back(&condition.argument);
    std::sort(used.begin(), used.end(),
              [](const plan::Argument* a, const plan::Argument* b) { return a->position < b->position; });
    arguments_ = 0;
    for (plan::Argument* argument : used) {
      ++arguments_;
      for (int i = 0; i < info_->nConstraint; ++i) {
        if (info_->aConstraintUsage[i].argvIndex == argument->position) {
          info_->aConstraintUsage[i].argvIndex = arguments_;
          break;
        }
      }
      argument->position = arguments_;
    }
  }

  /// Whether rows come in the order that SQLite asks for. A key fixed by `=` is left out of account; a text
  /// that turns out to fix nothing (a number on its right side) is put right at run time, see Cursor.
  void place_order() {
    if (info_->nOrderBy == 0 || plan_.access == Plan::Access::row) return;
    if (!table_.backend_capabilities().key_order) return;
    const bool utf8 = table_.connection().is_utf8();
    // A service's order is not that of a UTF-16 database, which compares the bytes of its own encoding.
    if (!utf8 && table_.backend_capabilities().dialect != backend::Dialect::local) return;
    std::vector<int> expected;
    bool skipped = false;
    if (partition_.fixed && utf8) {
      skipped = true;
    } else {
      expected.push_back(kPartitionKey);
    }
    if (row_.fixed && utf8) {
      skipped = true;
    } else {
      expected.push_back(kRowKey);
    }
    if (!utf8 && (partition_.list || row_.list)) return;
    std::vector<std::string> order;
    std::size_t next = 0;
    for (int i = 0; i < info_->nOrderBy; ++i) {
      const auto& term = info_->aOrderBy[i];
      const bool fixed = (term.iColumn == kPartitionKey && partition_.fixed && utf8) ||
                         (term.iColumn == kRowKey && row_.fixed && utf8);
      if (!fixed) {
        if (next == expected.size()) {
          if (skipped) return;  // see above: the keys met so far may not be unique
          break;                // both keys are unique together, so later terms decide nothing
        }
        if (term.desc || term.iColumn != expected[next]) return;
        ++next;
      } else if (term.desc) {
        return;
      }
      order.push_back(definition_.columns[static_cast<std::size_t>(term.iColumn)].name);
    }
    plan_.order = std::move(order);
    info_->orderByConsumed = 1;
  }

  /// LIMIT and OFFSET tell how much is likely to be read. They never cut anything: SQLite counts.
  void place_limit() {
    if (info_->nOrderBy > 0 && !info_->orderByConsumed) return;
    for (int i = 0; i < info_->nConstraint; ++i) {
      const auto& constraint = info_->aConstraint[i];
      if (!constraint.usable) continue;
      if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT && !plan_.limit) plan_.limit = use(i);
    }
    if (!plan_.limit) return;
    for (int i = 0; i < info_->nConstraint; ++i) {
      const auto& constraint = info_->aConstraint[i];
      if (constraint.usable && constraint.op == SQLITE_INDEX_CONSTRAINT_OFFSET && !plan_.offset) {
        plan_.offset = use(i);
      }
    }
  }

  /// Whether one row of each partition is enough. What sqlite3_vtab_distinct() means has changed: duplicates
  /// were those in the columns of ORDER BY, and are those in the columns that are used. Here both are the
  /// PartitionKey alone, so that the rows of a partition are all alike to SQLite, its conditions included.
  void place_distinct() {
    constexpr int kDistinctSince = 3'038'000;
    if (sqlite3_libversion_number() < kDistinctSince || sqlite3_vtab_distinct(info_) < 2) return;
    if (info_->nOrderBy != 1 || plan_.order.size() != 1) return;
    if (info_->aOrderBy[0].iColumn != kPartitionKey || info_->aOrderBy[0].desc != 0) return;
    if (info_->colUsed != sqlite3_uint64{1} << kPartitionKey || plan_.limit) return;
    if (table_.backend_capabilities().dialect == backend::Dialect::local) return;
    for (int i = 0; i < info_->nConstraint; ++i) {
      if (info_->aConstraint[i].iColumn != kPartitionKey) return;
    }
    // A list is asked for partition by partition anyway.
    if (partition_.fixed || partition_.list) return;
    plan_.distinct_partitions = true;
  }

  void place_columns() {
    const auto used = static_cast<sqlite3_uint64>(info_->colUsed);
    for (std::size_t i = kTimestamp; i < definition_.columns.size(); ++i) {
      const Column& column = definition_.columns[i];
      const sqlite3_uint64 bit = i < 63 ? sqlite3_uint64{1} << i : sqlite3_uint64{1} << 63;
      if ((used & bit) == 0) continue;
      if (column.role != Column::Role::filter) plan_.fetch.push_back(column.name);
    }
    std::vector<bool> rechecked(definition_.columns.size(), false);
    for (int i = 0; i < info_->nConstraint; ++i) {
      const auto& constraint = info_->aConstraint[i];
      const bool real =
          constraint.op != SQLITE_INDEX_CONSTRAINT_LIMIT && constraint.op != SQLITE_INDEX_CONSTRAINT_OFFSET;
      if (!real || !constraint.usable || constraint.iColumn < 0) continue;
      if (info_->aConstraintUsage[i].argvIndex == 0)
        rechecked[static_cast<std::size_t>(constraint.iColumn)] = true;
    }
    for (std::size_t i = 0; i < rechecked.size(); ++i) {
      if (rechecked[i]) plan_.rechecked.push_back(definition_.columns[i].name);
    }
  }

  void estimate() {
    const double size = std::max(static_cast<double>(table_.likely_rows().value_or(kDefaultRows)), 1.0);
    const bool remote = table_.backend_capabilities().dialect != backend::Dialect::local;
    if (plan_.access == Plan::Access::row) {
      finish(1, std::max(kScanOverhead, size / 100));
      return;
    }
    const bool in_partition = partition_.fixed || partition_.list;
    double read = size;
    if (in_partition) {
      double one = std::max(table_.state().partition_rows.value_or(std::sqrt(size)), 1.0);
      if (row_.fixed) {
        one = 1;
      } else if (row_.list) {
        one = std::min(one, kListLength);
      } else {
        one = std::max(one / row_.share(), 1.0);
      }
      read = std::min(size, partition_.fixed ? one : one * kListLength);
    } else {
      read = std::max(size / partition_.share(), 1.0);
    }
    double rows = std::max(read * selectivity_, 1.0);
    // Row keys without a partition narrow what comes back, not what is read.
    if (!in_partition && (row_.fixed || row_.list)) rows = std::max(rows / 10, 1.0);
    if (partition_.fixed && row_.fixed) rows = 1;
    if (!plan_.odata.empty()) rows = std::max(rows / 10, 1.0);
    if (partition_.fixed_literal && row_.fixed_literal) info_->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    double cost = kScanOverhead + read + rows;
    if (remote) {
      cost = in_partition ? kScanOverhead * (partition_.list ? kListLength : 1) + read / kRowsALookUp + 1
                          : kScanOverhead + std::ceil(read / kPage) * kRequest + read + rows;
    }
    finish(rows, cost);
  }

  void finish(double rows, double cost) {
    info_->estimatedRows = static_cast<sqlite3_int64>(std::llround(rows));
    info_->estimatedCost = cost;
  }

  ForeignTable& table_;
  const ForeignTableDefinition& definition_;
  sqlite3_index_info* info_;
  Plan plan_;
  int arguments_ = 0;
  KeyShape partition_;
  KeyShape row_;
  double selectivity_ = 1;
  std::optional<plan::Condition> by_rowid_;
};

}  // namespace

int best_index(ForeignTable& table, sqlite3_index_info* info) { return Planner(table, info).run(); }

}  // namespace table_storage::module
