#include "extension/backend/local/range_cursor.h"

#include <utility>

#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

// The SQL of a run depends only on which bounds there are, so that the statements of a table are few and are
// prepared once. A bound is a digit: lower (none, >=, >) * 3 + upper (none, <=, <), or a point.
constexpr unsigned kPoint = 9;
constexpr unsigned kBounds = 10;
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

std::string sql_of(const std::string& table, unsigned shape) {
  std::string sql = "SELECT PartitionKey, RowKey, Entity FROM " + table + " WHERE 1";
  append_bounds(sql, "PartitionKey", shape / kBounds % kBounds);
  append_bounds(sql, "RowKey", shape % kBounds);
  switch (shape / (kBounds * kBounds)) {
    case filter_on_record:
      sql += " AND ts_local_match(?, Entity)";
      break;
    case filter_on_keys:
      sql += " AND ts_local_match(?, Entity, PartitionKey, RowKey)";
      break;
    default:
      break;
  }
  return sql + " ORDER BY PartitionKey, RowKey";
}

// The bytes stay where they are until the run ends: the cursor owns its ranges.
int bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  return sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace

std::string describe_entity(const std::string& table, std::string_view partition_key,
                            std::string_view row_key) {
  std::string text = "table ";
  text.append(table).append(", PartitionKey '").append(partition_key).append("', RowKey '").append(row_key);
  return text += '\'';
}

RangeCursor::RangeCursor(std::shared_ptr<TableCore> table, std::vector<KeyRange> ranges, LocalFilter* filter)
    : table_(std::move(table)), ranges_(std::move(ranges)), filter_(filter) {}

bool RangeCursor::step() {
  sqlite3* const db = table_->database->handle();
  on_row_ = false;
  while (range_ != ranges_.size()) {
    const bool first = !running_;
    if (first && !start()) break;
    const int rc = sqlite3_step(statement_.get());
    if (rc == SQLITE_ROW) [[likely]] {
      load();
      return true;
    }
    if (rc == SQLITE_DONE) {
      sqlite3_reset(statement_.get());
      running_ = false;
      ++range_;
      continue;
    }
    const Error error = storage_error(db, rc, "reading table " + table_->name);
    if (first && !table_->database->has_entity_table(table_->name)) {
      statement_.finalize();  // another connection dropped the table since it was prepared
      break;
    }
    end();
    range_ = ranges_.size();
    throw error;
  }
  end();
  range_ = ranges_.size();
  return false;
}

bool RangeCursor::start() {
  const KeyRange& range = ranges_[range_];
  const unsigned filter = filter_ == nullptr     ? no_filter
                          : filter_->uses_keys() ? filter_on_keys
                                                 : filter_on_record;
  const unsigned shape = (filter * kBounds + shape_of(range.partition)) * kBounds + shape_of(range.row);
  if (!statement_ || shape != shape_) {
    end();
    shape_ = shape;
    generation_ = table_->scans.generation();
    statement_ = table_->scans.take(shape);
    if (!statement_) {
      const LocalDatabase& database = *table_->database;
      const int rc = statement_.prepare(database.handle(),
                                        sql_of(database.qualified_entity_table(table_->name), shape), true);
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
}

// sqlite3_column_value() and then sqlite3_value_…(): one turn of the connection's mutex a column, not two.
// The value may be used so because the connection is not used by another thread meanwhile (backend.h).
void RangeCursor::load() {
  const auto text = [this](int column) {
    sqlite3_value* const value = sqlite3_column_value(statement_.get(), column);
    const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(value));
    if (data == nullptr) return std::string_view();
    return std::string_view(data, static_cast<std::size_t>(sqlite3_value_bytes(value)));
  };
  row_.partition_key = text(0);
  row_.row_key = text(1);
  sqlite3_value* const entity = sqlite3_column_value(statement_.get(), 2);
  const auto* data = static_cast<const char*>(sqlite3_value_blob(entity));
  row_.record = data == nullptr
                    ? std::string_view()
                    : std::string_view(data, static_cast<std::size_t>(sqlite3_value_bytes(entity)));
  on_row_ = true;
  if (filter_ != nullptr && filter_->failure()) {
    Error error = *filter_->failure();
    error.prefix(describe_entity(table_->name, row_.partition_key, row_.row_key));
    end();
    range_ = ranges_.size();
    throw error;
  }
}

void RangeCursor::end() {
  on_row_ = false;
  running_ = false;
  if (!statement_) return;
  statement_.reset();
  table_->scans.give_back(shape_, std::move(statement_), generation_);
  statement_ = {};
}

std::vector<KeyRange> RangeCursor::ranges_left() const {
  std::vector<KeyRange> left;
  auto rest = ranges_.begin() + static_cast<std::ptrdiff_t>(range_);
  if (on_row_) {  // the rest of the row's partition, then the partitions after it
    const KeyRange& current = *rest++;
    if (!current.row.is_point()) {
      KeyRange same{TextRange::exactly(row_.partition_key), current.row};
      same.row.lower = std::string(row_.row_key);
      same.row.lower_inclusive = false;
      left.push_back(std::move(same));
    }
    if (!current.partition.is_point()) {
      KeyRange later = current;
      later.partition.lower = std::string(row_.partition_key);
      later.partition.lower_inclusive = false;
      left.push_back(std::move(later));
    }
  }
  left.insert(left.end(), rest, ranges_.end());
  return left;
}

}  // namespace table_storage::backend::local
