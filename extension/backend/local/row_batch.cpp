#include "extension/backend/local/row_batch.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "extension/backend/local/filter.h"
#include "extension/backend/local/internal_function.h"
#include "extension/backend/local/statement.h"
#include "extension/sql_values.h"
#include "extension/sqlite.h"

namespace table_storage::backend::local {
namespace {

constexpr const char* kTakeFunction = "ts_local_take";
constexpr const char* kRowsPointer = "table_storage.rows";
constexpr std::size_t kManyBytes = 64 * 1024;

void take(sqlite3_context* context, int, sqlite3_value** arguments) {
  auto* const sink = static_cast<RowSink*>(sqlite3_value_pointer(arguments[0], kRowsPointer));
  if (sink == nullptr) {
    refuse_internal_function(context, kTakeFunction);
    return;
  }
  try {
    const bool full = sink->take({text_of(arguments[1]), text_of(arguments[2]), bytes_of(arguments[3])});
    sqlite3_result_int(context, full ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

char* put(char* out, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

}  // namespace

void register_take_function(sqlite3* db) {
  const int rc = sqlite3_create_function_v2(db, kTakeFunction, 4, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr,
                                            take, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) throw_storage_error(db, rc, std::string("registering ") + kTakeFunction);
}

void RowBatch::append(const StoredEntity& row) {
  const std::size_t added = row.partition_key.size() + row.row_key.size() + row.record.size();
  if (capacity_ - size_ < added) {
    constexpr std::size_t kFirst = 512;
    const std::size_t capacity = std::max(2 * (size_ + added), kFirst);
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (size_ != 0) std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  // A value of SQLite is at most 2^31 - 1 bytes.
  rows_.push_back({static_cast<std::uint32_t>(row.partition_key.size()),
                   static_cast<std::uint32_t>(row.row_key.size()),
                   static_cast<std::uint32_t>(row.record.size())});
  put(put(put(buffer_.get() + size_, row.partition_key), row.row_key), row.record);
  size_ += added;
}

bool RowBatch::next(StoredEntity& row) {
  if (at_ == rows_.size()) return false;
  const Sizes& sizes = rows_[at_++];
  const char* at = buffer_.get() + offset_;
  row.partition_key = {at, sizes.partition_key};
  at += sizes.partition_key;
  row.row_key = {at, sizes.row_key};
  at += sizes.row_key;
  row.record = {at, sizes.record};
  offset_ = static_cast<std::size_t>(at + sizes.record - buffer_.get());
  return true;
}

StoredEntity RowBatch::take_last() {
  const Sizes sizes = rows_.back();
  rows_.pop_back();
  size_ -= std::size_t{sizes.partition_key} + sizes.row_key + sizes.record;
  const char* const at = buffer_.get() + size_;
  return {{at, sizes.partition_key},
          {at + sizes.partition_key, sizes.row_key},
          {at + sizes.partition_key + sizes.row_key, sizes.record}};
}

void RowBatch::clear() {
  rows_.clear();
  size_ = at_ = offset_ = 0;
}

void RowBatch::shrink() {
  if (capacity_ <= 4 * kManyBytes) return;
  buffer_.reset();
  capacity_ = 0;
}

bool RowSink::take(const StoredEntity& row) {
  batch_->append(row);
  if (filter_ != nullptr && filter_->failure()) return true;
  if (wanted_ == kEndless) return false;
  return batch_->rows() >= wanted_ || batch_->bytes() >= kManyBytes;
}

void RowSink::bind(sqlite3_stmt* statement, int index) {
  sqlite3_bind_pointer(statement, index, this, kRowsPointer, nullptr);
}

}  // namespace table_storage::backend::local
