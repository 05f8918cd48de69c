#include "extension/backend/local/writer.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/local/etag.h"
#include "extension/sqlite.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

std::int64_t now_in_ticks() {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, edm::kTicksPerSecond>>;
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return edm::kUnixEpochTicks + std::chrono::duration_cast<Ticks>(since_epoch).count();
}

// Strictly later than the Timestamp the entity had: two writes within one tick have different ETags.
std::int64_t timestamp_after(std::int64_t old) {
  return std::min(std::max(now_in_ticks(), old + 1), edm::kMaxServiceTicks);
}

// Worst case of one value; false says only that check_property_value() has to look.
bool is_plain_value(edm::ValueView value) {
  switch (value.type()) {
    case edm::Type::String:
      return value.bytes().size() <= kMaxStringUnits && edm::is_valid_utf8(value.bytes());
    case edm::Type::Binary:
      return value.bytes().size() <= kMaxBinaryBytes;
    case edm::Type::Guid:
      return value.bytes().size() == std::tuple_size_v<edm::GuidBytes>;
    case edm::Type::DateTime:
      return edm::in_service_range(value.as_ticks());
    case edm::Type::Boolean:
    case edm::Type::Int32:
    case edm::Type::Int64:
    case edm::Type::Double:
      return true;
  }
  return false;
}

bool is_conditional(OperationKind kind) {
  return kind == OperationKind::replace || kind == OperationKind::merge || kind == OperationKind::remove;
}

bool is_merge(OperationKind kind) {
  return kind == OperationKind::merge || kind == OperationKind::insert_or_merge;
}

// Ends the run of a statement however its user is left: nothing may stay bound, since the bytes belong to the
// caller, and a statement that is not at its beginning takes no values.
class ResetOnExit {
 public:
  explicit ResetOnExit(Statement& statement) : statement_(statement) {}
  ~ResetOnExit() { statement_.reset(); }
  ResetOnExit(const ResetOnExit&) = delete;
  ResetOnExit& operator=(const ResetOnExit&) = delete;

 private:
  Statement& statement_;
};

}  // namespace

// --- Checks before anything is touched -------------------------------------------------------------------

void EntityWriter::check(const Operation& operation) {
  looked_up_ = nullptr;
  if (!is_plain(operation)) [[unlikely]]
    check_operation(table_->name, operation);
  if (is_conditional(operation.kind) && operation.if_match != "*" &&
      !is_well_formed_etag(operation.if_match)) {
    throw Error(
        Error::Kind::invalid, "InvalidInput",
        describe_entity(table_->name, operation.partition_key, operation.row_key) + ": '" +
            std::string(operation.if_match) +
            "' is no ETag; an ETag looks like W/\"datetime'2017-10-02T20%3A21%3A52.4195114Z'\", and * "
            "stands for any");
  }
}

// The common case in one pass and without counting characters: known names, each once, and sizes that fit
// even if every byte were a character.
bool EntityWriter::is_plain(const Operation& operation) {
  if (!is_plain_key(operation.partition_key) || !is_plain_key(operation.row_key)) return false;
  if (operation.kind == OperationKind::remove) return true;
  if (operation.properties.size() > kMaxProperties || !look_up_names(operation)) return false;
  std::size_t bound = 4 + 2 * (operation.partition_key.size() + operation.row_key.size());
  for (const NamedValue& p : operation.properties) {
    if (!p.value.present()) continue;
    if (!is_plain_value(p.value)) return false;
    constexpr std::size_t kOverhead = 8 + 16;  // the formula's own, and the largest fixed-size type
    bound += kOverhead + 2 * (p.name.size() + p.value.bytes().size());
  }
  return bound <= kMaxEntityBytes;
}

// False if a name is not in the dictionary or comes twice.
bool EntityWriter::look_up_names(const Operation& operation) {
  const NameStore& store = *table_->database->names().store();
  const std::size_t count = operation.properties.size();
  ids_.resize(count);
  if (marks_.size() <= store.size()) marks_.resize(std::size_t{store.size()} + 1);
  if (++stamp_ == 0) {
    std::fill(marks_.begin(), marks_.end(), Mark{});
    stamp_ = 1;
  }
  bool plain = true;
  for (std::size_t i = 0; i < count; ++i) {
    const NameId id = cache_.find(store, operation.properties[i].name);
    ids_[i] = id;
    if (id == 0 || marks_[id].stamp == stamp_) {
      plain = false;
    } else {
      marks_[id] = {stamp_, static_cast<std::uint32_t>(i)};
    }
  }
  looked_up_ = plain ? &operation : nullptr;
  return plain;
}

// --- Encoding --------------------------------------------------------------------------------------------

void EntityWriter::resolve_names(const Operation& operation) {
  if (looked_up_ == &operation || look_up_names(operation)) {
    looked_up_ = nullptr;
    return;
  }
  for (const NamedValue& p : operation.properties) {
    if (p.value.present()) table_->database->names().add(p.name);
  }
  look_up_names(operation);  // a name that is missing() may stay unknown
  looked_up_ = nullptr;
}

void EntityWriter::encode(const Operation& operation, std::int64_t timestamp) {
  resolve_names(operation);
  record_.begin(timestamp);
  for (std::size_t i = 0; i < operation.properties.size(); ++i) {
    const edm::ValueView value = operation.properties[i].value;
    if (value.present()) record_.append(ids_[i], value);
  }
}

// The old properties in their order, each with its new value if it has one, then the new ones.
void EntityWriter::encode_merged(const Operation& operation, std::int64_t timestamp) {
  resolve_names(operation);
  record_.begin(timestamp);
  std::size_t count = 0;
  RecordCursor old(old_);
  while (old.next()) {
    ++count;
    const bool given = old.name() < marks_.size() && marks_[old.name()].stamp == stamp_;
    const edm::ValueView value =
        given ? operation.properties[marks_[old.name()].position].value : edm::ValueView::missing();
    if (value.present()) {
      record_.append(old.name(), value);
      marks_[old.name()].stamp = 0;  // done
    } else {
      record_.append_raw(old.raw());
    }
  }
  for (std::size_t i = 0; i < operation.properties.size(); ++i) {
    if (!operation.properties[i].value.present() || marks_[ids_[i]].stamp != stamp_) continue;
    record_.append(ids_[i], operation.properties[i].value);
    ++count;
  }
  check_merged(operation, count);
}

// Limits that bind the entity as a whole: each part of a merge may be small enough and their sum not.
void EntityWriter::check_merged(const Operation& operation, std::size_t count) {
  constexpr std::size_t kWorstOverhead = 8 + 2 * kMaxPropertyNameUnits + 16;
  const std::size_t bound = 4 + 2 * (operation.partition_key.size() + operation.row_key.size()) +
                            count * kWorstOverhead + 2 * record_.record().size();
  if (count <= kMaxProperties && bound <= kMaxEntityBytes) return;
  PropertyNames& names = table_->database->names();
  std::vector<NamedValue> all;
  all.reserve(count);
  RecordCursor merged(record_.record());
  while (merged.next()) {
    if (merged.name() > names.store()->size()) names.refresh();
    if (merged.name() > names.store()->size()) unknown_name_in_record();
    all.push_back({names.store()->name(merged.name()), merged.value()});
  }
  check_entity(operation.partition_key, operation.row_key, all);
}

// --- Operations ------------------------------------------------------------------------------------------

void EntityWriter::execute(const Operation& operation) {
  const Keys keys{operation.partition_key, operation.row_key};
  const bool unconditional_removal = operation.kind == OperationKind::remove && operation.if_match == "*";
  bool found = false;
  if (operation.kind == OperationKind::insert) {
    encode(operation, timestamp_after(0));
    run(insert_verb, keys, record_.record());
  } else if (unconditional_removal) {
    found = run(delete_verb, keys) != 0;  // without a look at it: a damaged entity can be removed
  } else {
    found = read_old(keys);
  }
  if (is_conditional(operation.kind) && !found) {
    throw Error(Error::Kind::missing, "ResourceNotFound",
                "table " + table_->name + " has no entity with PartitionKey '" +
                    std::string(keys.partition_key) + "', RowKey '" + std::string(keys.row_key) + "'");
  }
  if (operation.kind != OperationKind::insert && !unconditional_removal) {
    try {
      put(operation, found);
    } catch (Error& e) {
      if (e.kind() == Error::Kind::corrupt || e.kind() == Error::Kind::invalid) {
        e.prefix(describe_entity(table_->name, keys.partition_key, keys.row_key));
      }
      throw;
    }
  }
}

// Everything that looks at the entity as it was, in old_ if `found`.
void EntityWriter::put(const Operation& operation, bool found) {
  const Keys keys{operation.partition_key, operation.row_key};
  const bool any = !is_conditional(operation.kind) || operation.if_match == "*";
  if (found && !any) check_etag(operation);
  if (operation.kind == OperationKind::remove) {
    run(delete_verb, keys);
    return;
  }
  const std::int64_t timestamp = timestamp_after(found ? record_timestamp(old_) : 0);
  if (found && is_merge(operation.kind)) {
    encode_merged(operation, timestamp);
  } else {
    encode(operation, timestamp);
  }
  run(found ? update_verb : insert_verb, keys, record_.record());
}

void EntityWriter::check_etag(const Operation& operation) const {
  const std::string etag = etag_of(record_timestamp(old_));
  if (etag == operation.if_match) return;
  throw Error(Error::Kind::precondition, "UpdateConditionNotSatisfied",
              "table " + table_->name + ": the entity with PartitionKey '" +
                  std::string(operation.partition_key) + "', RowKey '" + std::string(operation.row_key) +
                  "' has been changed: its ETag is " + etag + ", not " + std::string(operation.if_match));
}

void EntityWriter::release() {
  for (Statement& statement : statements_) statement.finalize();
}

// --- Inner statements ------------------------------------------------------------------------------------

bool EntityWriter::prepare(Verb verb) {
  Statement& statement = statements_[verb];
  if (statement) return true;
  constexpr const char* kRest[] = {
      " WHERE PartitionKey = ?1 AND RowKey = ?2", "(PartitionKey, RowKey, Entity) VALUES (?1, ?2, ?3)",
      " SET Entity = ?3 WHERE PartitionKey = ?1 AND RowKey = ?2", " WHERE PartitionKey = ?1 AND RowKey = ?2"};
  constexpr const char* kBegin[] = {"SELECT Entity FROM ", "INSERT INTO ", "UPDATE ", "DELETE FROM "};
  LocalDatabase& database = *table_->database;
  const std::string sql = kBegin[verb] + database.qualified_entity_table(table_->name) + kRest[verb];
  int rc = statement.prepare(database.handle(), sql, true);
  if (rc == SQLITE_OK) return true;
  const Error error = storage_error(database.handle(), rc, "preparing to use table " + table_->name);
  if (database.has_entity_table(table_->name)) throw error;
  if (verb != insert_verb) return false;
  database.create_entity_table(table_->name);
  rc = statement.prepare(database.handle(), sql, true);
  if (rc != SQLITE_OK) throw_storage_error(database.handle(), rc, "preparing to use table " + table_->name);
  return true;
}

int EntityWriter::bind_and_step(Verb verb, Keys keys, std::string_view record) {
  sqlite3_stmt* const statement = statements_[verb].get();
  const auto size = [](std::string_view v) { return static_cast<int>(v.size()); };
  // An empty view may have no address, and SQLite reads that as NULL.
  const auto data = [](std::string_view v) { return v.data() == nullptr ? "" : v.data(); };
  int rc = sqlite3_bind_text(statement, 1, data(keys.partition_key), size(keys.partition_key), SQLITE_STATIC);
  if (rc == SQLITE_OK) {
    rc = sqlite3_bind_text(statement, 2, data(keys.row_key), size(keys.row_key), SQLITE_STATIC);
  }
  if (rc == SQLITE_OK && !record.empty()) {
    rc = sqlite3_bind_blob(statement, 3, record.data(), size(record), SQLITE_STATIC);
  }
  return rc == SQLITE_OK ? sqlite3_step(statement) : rc;
}

// After a failed step: another connection may have dropped the table since the statement was prepared.
bool EntityWriter::table_is_gone(Verb verb) {
  if (table_->database->has_entity_table(table_->name)) return false;
  statements_[verb].finalize();
  return true;
}

bool EntityWriter::read_old(Keys keys) {
  if (!prepare(read_verb)) return false;
  std::optional<Error> error;
  {
    const ResetOnExit reset(statements_[read_verb]);
    const int rc = bind_and_step(read_verb, keys, {});
    if (rc == SQLITE_DONE) return false;
    if (rc == SQLITE_ROW) {
      sqlite3_stmt* const statement = statements_[read_verb].get();
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      const int size = sqlite3_column_bytes(statement, 0);
      if (data == nullptr && size != 0) throw std::bad_alloc();
      old_.assign(data == nullptr ? "" : data, static_cast<std::size_t>(size));
      return true;
    }
    error = failure(read_verb, keys, rc);
  }
  if (table_is_gone(read_verb)) return false;
  throw *error;
}

int EntityWriter::run(Verb verb, Keys keys, std::string_view record) {
  LocalDatabase& database = *table_->database;
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    if (!prepare(verb)) return 0;
    std::optional<Error> error;
    {
      const ResetOnExit reset(statements_[verb]);
      const int rc = bind_and_step(verb, keys, record);
      if (rc == SQLITE_DONE) [[likely]]
        return verb == insert_verb ? 1 : sqlite3_changes(database.handle());
      error = failure(verb, keys, rc);
    }
    if (error->kind() == Error::Kind::conflict || attempt == kAttempts || !table_is_gone(verb)) throw *error;
  }
}

Error EntityWriter::failure(Verb verb, Keys keys, int rc) const {
  sqlite3* const db = table_->database->handle();
  if ((rc & 0xFF) == SQLITE_CONSTRAINT && sqlite3_extended_errcode(db) == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return Error(Error::Kind::conflict, "EntityAlreadyExists",
                 "table " + table_->name + " already has an entity with PartitionKey '" +
                     std::string(keys.partition_key) + "', RowKey '" + std::string(keys.row_key) + "'");
  }
  constexpr const char* kDoing[] = {"reading", "inserting", "updating", "removing"};
  return storage_error(
      db, rc,
      std::string(kDoing[verb]) + " in " + describe_entity(table_->name, keys.partition_key, keys.row_key));
}

}  // namespace table_storage::backend::local
