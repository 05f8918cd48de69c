#include "extension/backend/local/filter.h"

#include <algorithm>
#include <new>
#include <utility>

#include "extension/backend/local/internal_function.h"
#include "extension/backend/local/statement.h"
#include "extension/sql_values.h"
#include "extension/sqlite.h"

namespace table_storage::backend::local {
namespace {

constexpr const char* kMatchFunction = "ts_local_match";
constexpr const char* kFilterPointer = "table_storage.filter";

void match(sqlite3_context* context, int count, sqlite3_value** arguments) {
  auto* filter = static_cast<LocalFilter*>(sqlite3_value_pointer(arguments[0], kFilterPointer));
  if (filter == nullptr) {
    refuse_internal_function(context, kMatchFunction);
    return;
  }
  try {
    const bool with_keys = count == 4;
    const std::string_view partition_key = with_keys ? text_of(arguments[2]) : std::string_view();
    const std::string_view row_key = with_keys ? text_of(arguments[3]) : std::string_view();
    sqlite3_result_int(context, filter->matches(bytes_of(arguments[1]), partition_key, row_key) ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& e) {
    sqlite3_result_error(context, e.what(), -1);
  }
}

std::vector<RecordReader::Wanted> stored_properties(const odata::Evaluator& evaluator) {
  std::vector<RecordReader::Wanted> wanted;
  for (std::uint32_t i = 0; i < evaluator.properties().size(); ++i) {
    const std::string& name = evaluator.properties()[i];
    if (name != "PartitionKey" && name != "RowKey" && name != "Timestamp") wanted.push_back({name, i});
  }
  return wanted;
}

std::size_t slot_of(const odata::Evaluator& evaluator, const char* name, std::size_t none) {
  const auto& all = evaluator.properties();
  const auto it = std::find(all.begin(), all.end(), name);
  return it == all.end() ? none : static_cast<std::size_t>(it - all.begin());
}

}  // namespace

void register_match_function(sqlite3* db) {
  for (const int arguments : {2, 4}) {
    const int rc = sqlite3_create_function_v2(db, kMatchFunction, arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                              nullptr, match, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) throw_storage_error(db, rc, std::string("registering ") + kMatchFunction);
  }
}

void read_record(LocalDatabase& database, RecordReader& reader, std::shared_ptr<NameStore>& names,
                 std::string_view record, std::vector<edm::ValueView>& slots) {
  const auto& current = database.names().store();
  if (names != current) {
    reader.resolve(*current);
    names = current;
  }
  if (reader.read(record, slots.data()) == RecordReader::Outcome::complete) [[likely]]
    return;
  database.names().refresh();
  reader.resolve(*names);
  std::fill(slots.begin(), slots.end(), edm::ValueView::missing());
  if (reader.read(record, slots.data()) == RecordReader::Outcome::complete) return;
  unknown_name_in_record();
}

LocalFilter::LocalFilter(odata::Filter filter, std::shared_ptr<LocalDatabase> database)
    : database_(std::move(database)),
      evaluator_(std::move(filter)),
      slots_(evaluator_.properties().size()),
      partition_slot_(slot_of(evaluator_, "PartitionKey", kNone)),
      row_slot_(slot_of(evaluator_, "RowKey", kNone)),
      timestamp_slot_(slot_of(evaluator_, "Timestamp", kNone)),
      reader_(stored_properties(evaluator_)) {}

bool LocalFilter::matches(std::string_view record, std::string_view partition_key, std::string_view row_key) {
  if (failure_) return true;
  std::fill(slots_.begin(), slots_.end(), edm::ValueView::missing());
  try {
    read(record);
  } catch (const Error& e) {
    failure_ = e;
    return true;
  }
  if (partition_slot_ != kNone) slots_[partition_slot_] = edm::ValueView::string(partition_key);
  if (row_slot_ != kNone) slots_[row_slot_] = edm::ValueView::string(row_key);
  return evaluator_.matches(slots_.data());
}

void LocalFilter::read(std::string_view record) {
  if (reader_.wants_anything()) read_record(*database_, reader_, names_, record, slots_);
  if (timestamp_slot_ != kNone) slots_[timestamp_slot_] = edm::ValueView::datetime(record_timestamp(record));
}

void LocalFilter::bind(sqlite3_stmt* statement, int index) {
  sqlite3_bind_pointer(statement, index, this, kFilterPointer, nullptr);
}

}  // namespace table_storage::backend::local
