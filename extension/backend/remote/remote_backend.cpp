#include "extension/backend/remote/remote_backend.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/remote/commit.h"
#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/entity_body.h"
#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/overlay_scan.h"
#include "extension/backend/remote/page.h"
#include "extension/backend/remote/query.h"
#include "extension/backend/remote/scan.h"
#include "extension/backend/remote/service_error.h"
#include "extension/backend/remote/url.h"
#include "extension/sqlite.h"
#include "parser/error.h"
#include "parser/odata/evaluate.h"

namespace table_storage::backend::remote {

std::unique_ptr<Table> RemoteBackend::open_table(const std::string& name, const TableOptions& options) {
  std::string key = name;
  if (session_->service->endpoint().dialect != Dialect::cosmos) {  // where the case of names counts
    for (char& c : key) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::shared_ptr<RemoteTableState>& state = session_->tables[key];
  if (!state) state = std::make_shared<RemoteTableState>();
  return std::make_unique<RemoteTable>(*session_, name, options, state);
}

namespace {
bool is_success(const HttpResponse& response) { return response.status >= 200 && response.status < 300; }

/// An error about a request of which an attempt may have been carried out.
Error left_open(const Error& error) {
  return Error(error.kind(), error.code(), error.message() + "; whether the service did it is unknown")
      .native(error.native_code() == 0 ? SQLITE_IOERR : error.native_code());
}

/// The answer that stays, whatever it is; none is an Error that says whether the outcome is known.
HttpResponse answer_of(Call& call) {
  try {
    return call.get();
  } catch (const Error& error) {
    if (!call.maybe_applied()) throw;
    throw left_open(error);
  }
}
}  // namespace

void RemoteBackend::create_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "POST";
  request.path = tables_path(session_->service->endpoint());
  request.body = table_body(name);
  request.headers = {{"Content-Type", std::string(kJson)}, {"Prefer", "return-no-content"}};
  const std::string asked = "creating table " + name;
  // A second attempt is refused where the first one did it, and only then is there nothing to tell.
  const auto call = session_->service->prepare(std::move(request), asked, Repeat::harmless);
  const HttpResponse response = answer_of(*call);
  if (is_success(response)) return;
  Error error = session_->service->refusal(response, asked);
  if (!call->maybe_applied()) throw error;
  if (response.status != 409) throw left_open(error);
  throw error.prefix(
      "the answer to an attempt was lost, and now the table is there: whether this call made it "
      "is unknown");
}

void RemoteBackend::drop_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "DELETE";
  request.path = tables_path(session_->service->endpoint(), name);
  request.headers = {{"Content-Type", std::string(kJson)}};
  const std::string asked = "dropping table " + name;
  const auto call = session_->service->prepare(std::move(request), asked, Repeat::harmless);
  const HttpResponse response = answer_of(*call);
  if (is_success(response)) return;
  const Error error = session_->service->refusal(response, asked);
  if (!call->maybe_applied()) throw error;
  if (response.status != 404) throw left_open(error);  // else it is gone, as was asked
}

std::vector<std::string> RemoteBackend::list_tables() {
  std::vector<std::string> names;
  std::optional<std::string> token;
  ContinuationChain chain;
  do {
    HttpRequest request;
    request.path = tables_path(session_->service->endpoint());
    if (token) add_table_continuation(request.query, *token);
    // Read where a damaged answer is asked for again.
    const auto page = std::make_shared<std::vector<std::string>>();
    AnswerReader reader;
    reader.read = [page](HttpResponse& response) { *page = read_table_names(response.body); };
    const HttpResponse response = session_->service->perform(std::move(request), "listing the tables",
                                                             Repeat::harmless, std::move(reader));
    const std::size_t before = names.size();
    std::move(page->begin(), page->end(), std::back_inserter(names));
    token = table_continuation_of(response);
    if (token) chain.add({*token, std::nullopt}, names.size() - before, "listing the tables");
  } while (token);
  return names;
}

RemoteTable::RemoteTable(const RemoteSession& session, std::string name, const TableOptions& options,
                         std::shared_ptr<RemoteTableState> state)
    : service_(session.service),
      pages_(session.pages),
      transaction_(session.transaction),
      name_(std::move(name)),
      options_(options),
      state_(std::move(state)) {}

RemoteTable::~RemoteTable() {
  if (state_->leader == this) state_->leader = nullptr;
}

Capabilities RemoteTable::capabilities() const {
  const Dialect dialect = service_->endpoint().dialect;
  return {dialect != Dialect::cosmos, dialect, false};
}

namespace {

/// Keeps the rows that an UPDATE will change. SQLite's condition may leave most of a scan aside; for the rows
/// that stay it wants the rowid, and with that the module asks for their ETags.
class RecordingScan : public Scan {
 public:
  RecordingScan(std::unique_ptr<Scan> scan, std::shared_ptr<RemoteTableState> state)
      : scan_(std::move(scan)), state_(std::move(state)) {}

  const EntityView* next() override { return row_ = scan_->next(); }
  std::string etag() const override {
    std::string etag = scan_->etag();
    if (row_ != nullptr) {
      state_->shown.insert_or_assign(EntityKeys(row_->partition_key, row_->row_key),
                                     std::make_shared<const KeptEntity>(*row_, etag));
    }
    return etag;
  }

 private:
  std::unique_ptr<Scan> scan_;
  std::shared_ptr<RemoteTableState> state_;
  const EntityView* row_ = nullptr;
};

/// One entity that is already known.
class OneEntityScan : public Scan {
 public:
  explicit OneEntityScan(std::shared_ptr<const KeptEntity> entity)
      : entity_(std::move(entity)), view_(entity_->view()) {}
  const EntityView* next() override { return std::exchange(given_, true) ? nullptr : &view_; }
  std::string etag() const override { return std::string(entity_->etag()); }

 private:
  std::shared_ptr<const KeptEntity> entity_;
  EntityView view_;
  bool given_ = false;
};

/// Calls `body` with each pending operation in the ranges, range by range in key order.
template <class Body>
void for_each_in(const WriteBuffer& buffer, const std::vector<KeyRange>& ranges, Body&& body) {
  const WriteBuffer::Operations& all = buffer.operations();
  for (const KeyRange& range : ranges) {
    auto at = all.begin();
    const bool one_partition = range.partition.is_point();
    if (range.partition.lower) {
      at = all.lower_bound(
          {*range.partition.lower, one_partition && range.row.lower ? *range.row.lower : std::string()});
    }
    for (; at != all.end(); ++at) {
      const auto& [partition_key, row_key] = at->first;
      if (range.partition.upper && partition_key > *range.partition.upper) break;
      if (one_partition && range.row.upper && row_key > *range.row.upper) break;
      if (contains(range, partition_key, row_key)) body(*at);
    }
  }
}

edm::ValueView value_of(const EntityView& entity, const std::string& property) {
  if (property == "PartitionKey") return edm::ValueView::string(entity.partition_key);
  if (property == "RowKey") return edm::ValueView::string(entity.row_key);
  if (property == "Timestamp" && entity.timestamp != 0) return edm::ValueView::datetime(entity.timestamp);
  for (const NamedValue& named : entity.all) {
    if (named.name == property) return named.value;
  }
  return edm::ValueView::missing();
}

bool passes(const std::optional<odata::Evaluator>& filter, const EntityView& entity) {
  if (!filter) return true;
  std::vector<edm::ValueView> slots;
  for (const std::string& property : filter->properties()) slots.push_back(value_of(entity, property));
  return filter->matches(slots.data());
}

}  // namespace

/// The entities as the service has them, whole, by position; null for those that do not exist.
std::vector<std::shared_ptr<const KeptEntity>> RemoteTable::whole_entities(
    const std::vector<const EntityKeys*>& keys) {
  std::vector<std::shared_ptr<const KeptEntity>> found(keys.size());
  ScanRequest request;
  for (const EntityKeys* key : keys) {
    request.ranges.push_back({TextRange::exactly(key->first), TextRange::exactly(key->second)});
  }
  request.projection.all_properties = true;
  RemoteScan scan(service_, pages_, name_, options_, std::move(request));
  std::size_t at = 0;
  while (const EntityView* row = scan.next()) {
    while (keys[at]->first != row->partition_key || keys[at]->second != row->row_key) ++at;
    found[at] = std::make_shared<const KeptEntity>(*row, scan.etag());
  }
  return found;
}

/// The transaction's own rows of a scan, as they will be; all keys that it changes go into `hidden`.
std::deque<OwnedEntity> RemoteTable::changed_entities(const ScanRequest& request,
                                                      std::set<EntityKeys>& hidden) {
  std::vector<const WriteBuffer::Operations::value_type*> wanted;
  std::vector<const EntityKeys*> unknown;  // to be merged with what nobody has read
  for_each_in(state_->buffer, request.ranges, [&](const auto& entry) {
    hidden.insert(entry.first);
    if (entry.second.kind == OperationKind::remove) return;
    wanted.push_back(&entry);
    if (entry.second.merges() && !entry.second.base) unknown.push_back(&entry.first);
  });
  std::vector<std::shared_ptr<const KeptEntity>> read;
  if (!unknown.empty()) read = whole_entities(unknown);
  std::size_t next_read = 0;
  std::deque<OwnedEntity> rows;
  std::optional<odata::Evaluator> filter;
  if (request.filter) filter.emplace(*request.filter);
  for (const auto* entry : wanted) {
    const auto& [keys, pending] = *entry;
    std::shared_ptr<const KeptEntity> base = pending.base;
    if (pending.merges() && !base) base = read[next_read++];
    if (!base && pending.kind == OperationKind::merge) continue;  // gone meanwhile; COMMIT will say so
    const EntityView before = base ? base->view() : EntityView();
    EntityView row;
    row.partition_key = keys.first;
    row.row_key = keys.second;
    row.timestamp = before.timestamp;
    row.all = properties_after(pending, base ? &before : nullptr);
    if (!passes(filter, row)) continue;
    for (const std::string& property : request.projection.properties)
      row.properties.push_back(value_of(row, property));
    if (!request.projection.all_properties) row.all.clear();
    rows.emplace_back(row, "*");
  }
  return rows;
}

std::unique_ptr<Scan> RemoteTable::open_scan(const ScanRequest& request) {
  const bool is_point = request.ranges.size() == 1 && request.ranges.front().partition.is_point() &&
                        request.ranges.front().row.is_point();
  std::set<EntityKeys> hidden;
  std::deque<OwnedEntity> changed;
  if (!state_->buffer.empty()) changed = changed_entities(request, hidden);
  if (is_point && !hidden.empty()) {
    ScanRequest nothing;
    return std::make_unique<OverlayScan>(
        std::make_unique<RemoteScan>(service_, pages_, name_, options_, nothing), std::move(hidden),
        std::move(changed), true);
  }
  if (state_->writing && is_point && request.projection.all_properties &&
      request.projection.properties.empty() && !request.filter) {
    const KeyRange& range = request.ranges.front();
    const auto known = state_->shown.find({*range.partition.lower, *range.row.lower});
    if (known != state_->shown.end()) return std::make_unique<OneEntityScan>(known->second);
  }
  std::unique_ptr<Scan> scan = std::make_unique<RemoteScan>(service_, pages_, name_, options_, request);
  if (!hidden.empty()) {
    scan = std::make_unique<OverlayScan>(std::move(scan), std::move(hidden), std::move(changed),
                                         capabilities().key_order);
  }
  if (state_->writing && request.projection.all_properties) {
    scan = std::make_unique<RecordingScan>(std::move(scan), state_);
  }
  return scan;
}

void RemoteTable::run(const Operation& operation) {
  check_operation(name_, operation);
  std::shared_ptr<const KeptEntity> base;
  const auto known = state_->shown.find(EntityKeys(operation.partition_key, operation.row_key));
  if (known != state_->shown.end()) {
    // From now on reads find the entity among the pending writes.
    base = std::move(known->second);
    state_->shown.erase(known);
  }
  state_->buffer.add(name_, operation, std::move(base), options_.name);
}

void RemoteTable::begin() {
  state_->writing = true;
  if (state_->leader == nullptr) state_->leader = this;
  transaction_->join(*this, service_, name_, options_, {state_, &state_->buffer});
}

void RemoteTable::savepoint(int number) {
  if (state_->leader == nullptr) state_->leader = this;  // the first one has been dropped meanwhile
  if (state_->leader == this) {
    state_->buffer.savepoint(number);
  } else {
    state_->buffer.older_savepoint(number);
  }
}

void RemoteTable::release_savepoint(int number) { state_->buffer.release(number); }
void RemoteTable::rollback_to(int number) {
  state_->buffer.rollback_to(number);
  // Scans have shown what is undone now.
  state_->shown.clear();
}

void RemoteTable::sync() { transaction_->sync(state_->buffer); }

void RemoteTable::commit() { end(); }
void RemoteTable::rollback() { end(); }

void RemoteTable::end() {
  state_->buffer.clear();
  state_->shown.clear();
  state_->writing = false;
  state_->leader = nullptr;
  transaction_->end();
}

}  // namespace table_storage::backend::remote
