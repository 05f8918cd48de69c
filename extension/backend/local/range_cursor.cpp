#include "extension/backend/local/range_cursor.h"

#include <algorithm>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

// The SQL of a run depends only on which bounds there are, so that the statements of a table are few and are
// prepared once. A bound is a digit: lower (none, >=, >) * 3 + upper (none, <=, <), or a point.
constexpr unsigned kPoint = 9;
constexpr unsigned kBounds = 10;
constexpr unsigned kKeyShapes = kBounds * kBounds;
constexpr unsigned kOneEntity = kPoint * kBounds + kPoint;
enum FilterShape : unsigned { no_filter, filter_on_record, filter_on_keys };

unsigned shape_of(const TextRange& range) {
  if (range.is_point()) return kPoint;
  const unsigned lower = !range.lower ? 0 : range.lower_inclusive ? 1 : 2;
  const unsigned upper = !range.upper ? 0 : range.upper_inclusive ? 1 : 2;
  return lower * 3 + upper;
}

void append_bounds(std::string& sql, const char* column, unsigned shape) {
  constexpr const char* lower[] = {"", " >= ?", " > ?"};
  constexpr const char* upper[] = {"", " <= ?", " < ?"};
  const auto add = [&](const char* comparison) {
    if (*comparison != '\0') sql.append(" AND ").append(column).append(comparison);
  };
  if (shape == kPoint) {
    add(" = ?");
  } else {
    add(lower[shape / 3]);
    add(upper[shape % 3]);
  }
}

// INDEXED BY: rows must come in key order, since ts_local_take() keeps them in the order in which it sees
// them. An index that somebody added to the table could make SQLite sort, which happens after the WHERE
// clause. (Not for a single entity, where SQLite would sort all the same.) CASE: the one form in which SQL
// promises not to call the second function where the first is false.
std::string sql_of(const LocalDatabase& database, const std::string& table, unsigned shape) {
  const bool one_entity = shape % kKeyShapes == kOneEntity;
  std::string sql = "SELECT 1 FROM " + database.qualified_entity_table(table);
  if (!one_entity) {
    sql +=
        " INDEXED BY " + quoted_identifier("sqlite_autoindex_" + LocalDatabase::entity_table(table) + "_1");
  }
  sql += " WHERE 1";
  append_bounds(sql, "PartitionKey", shape / kBounds % kBounds);
  append_bounds(sql, "RowKey", shape % kBounds);
  const std::string take = "ts_local_take(?, PartitionKey, RowKey, Entity)";
  switch (shape / kKeyShapes) {
    case filter_on_record:
      sql += " AND CASE WHEN ts_local_match(?, Entity) THEN " + take + " END";
      break;
    case filter_on_keys:
      sql += " AND CASE WHEN ts_local_match(?, Entity, PartitionKey, RowKey) THEN " + take + " END";
      break;
    default:
      sql += " AND " + take;
      break;
  }
  return one_entity ? sql : sql + " ORDER BY PartitionKey, RowKey";
}

// The bytes stay where they are until the run ends: the cursor owns its ranges.
int bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  return sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace

RangeCursor::RangeCursor(std::shared_ptr<TableCore> table, std::vector<KeyRange> ranges, LocalFilter* filter,
                         RowBatch& batch)
    : table_(std::move(table)), ranges_(std::move(ranges)), filter_(filter), sink_(filter), batch_(batch) {}

bool RangeCursor::step() {
  if (batch_.next(row_)) [[likely]]
    return true;
  if (ahead_.rows() != 0) {
    std::swap(batch_, ahead_);
    ahead_.clear();
    return batch_.next(row_);
  }
  batch_.clear();
  while (refill(batch_, batch_rows_)) {
    constexpr std::size_t kMostRows = 64;
    if (batch_.rows() != 0) {
      batch_rows_ = std::min(2 * batch_rows_, kMostRows);
      break;
    }
  }
  if (batch_.next(row_)) return true;
  if (failure_) std::rethrow_exception(failure_);
  return false;
}

void RangeCursor::read_ahead() noexcept {
  while (refill(ahead_, RowSink::kEndless)) {
  }
}

// False if nothing more will come; then the statement has been given back.
bool RangeCursor::refill(RowBatch& batch, std::size_t rows) noexcept {
  if (range_ == ranges_.size()) return false;
  try {
    if (run(batch, rows)) return true;
  } catch (...) {
    failure_ = std::current_exception();
  }
  range_ = ranges_.size();
  end_statement();
  return false;
}

// Runs the statement until `batch` is full or the range ends. False at the end of the last range.
bool RangeCursor::run(RowBatch& batch, std::size_t rows) {
  const bool first = !running_;
  if (first && !start()) return false;
  sink_.fill(batch, rows);
  const int rc = sqlite3_step(statement_.get());
  if (rc != SQLITE_ROW && rc != SQLITE_DONE) [[unlikely]] {
    const Error error = storage_error(table_->database->handle(), rc, "reading table " + table_->name);
    if (first && !table_->database->has_entity_table(table_->name)) {
      statement_.finalize();  // another connection dropped the table since it was prepared
      return false;
    }
    throw error;
  }
  if (filter_ != nullptr && filter_->failure()) {
    const StoredEntity row = batch.take_last();
    Error error = *filter_->failure();
    throw error.prefix(describe_entity(table_->name, row.partition_key, row.row_key));
  }
  if (rc == SQLITE_DONE || shape_ % kKeyShapes == kOneEntity) {
    sqlite3_reset(statement_.get());
    running_ = false;
    ++range_;
  }
  return range_ != ranges_.size();
}

bool RangeCursor::start() {
  const KeyRange& range = ranges_[range_];
  const unsigned filter = filter_ == nullptr     ? no_filter
                          : filter_->uses_keys() ? filter_on_keys
                                                 : filter_on_record;
  const unsigned shape = (filter * kBounds + shape_of(range.partition)) * kBounds + shape_of(range.row);
  if (!statement_ || shape != shape_) {
    end_statement();
    shape_ = shape;
    generation_ = table_->statements.generation();
    statement_ = table_->statements.take(shape);
    if (!statement_) {
      const LocalDatabase& database = *table_->database;
      const int rc = statement_.prepare(database.handle(), sql_of(database, table_->name, shape), true);
      if (rc != SQLITE_OK) {
        const Error error = storage_error(database.handle(), rc, "reading table " + table_->name);
        if (!database.has_entity_table(table_->name)) return false;
        throw error;
      }
    }
  }
  bind(range);
  running_ = true;
  return true;
}

void RangeCursor::bind(const KeyRange& range) {
  int index = 0;
  int rc = SQLITE_OK;
  for (const TextRange* keys : {&range.partition, &range.row}) {
    if (keys->lower && rc == SQLITE_OK) rc = bind_text(statement_.get(), ++index, *keys->lower);
    if (keys->upper && !keys->is_point() && rc == SQLITE_OK) {
      rc = bind_text(statement_.get(), ++index, *keys->upper);
    }
  }
  if (rc != SQLITE_OK) throw_storage_error(table_->database->handle(), rc, "reading table " + table_->name);
  if (filter_ != nullptr) filter_->bind(statement_.get(), ++index);
  sink_.bind(statement_.get(), ++index);
}

void RangeCursor::end_statement() {
  running_ = false;
  if (!statement_) return;
  statement_.reset();
  table_->statements.give_back(shape_, std::move(statement_), generation_);
  statement_ = {};
}

}  // namespace table_storage::backend::local
