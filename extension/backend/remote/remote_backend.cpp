#include "extension/backend/remote/remote_backend.h"

#include <algorithm>
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
#include "parser/error.h"
#include "parser/odata/evaluate.h"

namespace table_storage::backend::remote {

std::unique_ptr<Table> RemoteBackend::open_table(const std::string& name) {
  std::string key = name;
  if (session_->service->endpoint().dialect != Dialect::cosmos) {  // where the case of names counts
    for (char& c : key) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::shared_ptr<RemoteTableState>& state = session_->tables[key];
  if (!state) state = std::make_shared<RemoteTableState>();
  return std::make_unique<RemoteTable>(session_->service, name, state);
}

void RemoteBackend::create_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "POST";
  request.path = tables_path(session_->service->endpoint());
  request.body = table_body(name);
  request.headers = {{"Content-Type", std::string(kJson)}, {"Prefer", "return-no-content"}};
  session_->service->perform(std::move(request), "creating table " + name, false);
}

void RemoteBackend::drop_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "DELETE";
  request.path = tables_path(session_->service->endpoint(), name);
  request.headers = {{"Content-Type", std::string(kJson)}};
  session_->service->perform(std::move(request), "dropping table " + name, false);
}

std::vector<std::string> RemoteBackend::list_tables() {
  std::vector<std::string> names;
  std::optional<std::string> token;
  do {
    HttpRequest request;
    request.path = tables_path(session_->service->endpoint());
    if (token) add_table_continuation(request.query, *token);
    const HttpResponse response = session_->service->perform(std::move(request), "listing the tables", true);
    for (std::string& name : read_table_names(response.body)) names.push_back(std::move(name));
    token = table_continuation_of(response);
  } while (token);
  return names;
}

RemoteTable::RemoteTable(std::shared_ptr<Service> service, std::string name,
                         std::shared_ptr<RemoteTableState> state)
    : service_(std::move(service)), name_(std::move(name)), state_(std::move(state)) {}

RemoteTable::~RemoteTable() {
  if (state_->leader == this) state_->leader = nullptr;
}

Capabilities RemoteTable::capabilities() const {
  const Dialect dialect = service_->endpoint().dialect;
  return {dialect != Dialect::cosmos, dialect, false};
}

namespace {

/// Keeps what a scan shows, for the UPDATE that the scan belongs to.
class RecordingScan : public Scan {
 public:
  RecordingScan(std::unique_ptr<Scan> scan, std::shared_ptr<RemoteTableState> state)
      : scan_(std::move(scan)), state_(std::move(state)) {}

  const EntityView* next() override {
    const EntityView* row = scan_->next();
    if (row != nullptr) {
      state_->shown.insert_or_assign(EntityKeys(row->partition_key, row->row_key),
                                     std::make_shared<const OwnedEntity>(*row, scan_->etag()));
    }
    return row;
  }
  std::string etag() const override { return scan_->etag(); }

 private:
  std::unique_ptr<Scan> scan_;
  std::shared_ptr<RemoteTableState> state_;
};

/// One entity that is already known.
class OneEntityScan : public Scan {
 public:
  explicit OneEntityScan(std::shared_ptr<const OwnedEntity> entity) : entity_(std::move(entity)) {}
  const EntityView* next() override { return std::exchange(given_, true) ? nullptr : &entity_->view; }
  std::string etag() const override { return entity_->etag; }

 private:
  std::shared_ptr<const OwnedEntity> entity_;
  bool given_ = false;
};

bool is_wanted(const ScanRequest& request, const EntityKeys& keys) {
  return std::any_of(request.ranges.begin(), request.ranges.end(),
                     [&](const KeyRange& range) { return contains(range, keys.first, keys.second); });
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

/// The entity as the service has it, whole; null if it does not exist.
std::shared_ptr<const OwnedEntity> RemoteTable::whole_entity(const EntityKeys& keys) {
  ScanRequest request;
  request.ranges.push_back({TextRange::exactly(keys.first), TextRange::exactly(keys.second)});
  request.projection.all_properties = true;
  RemoteScan scan(service_, name_, std::move(request));
  const EntityView* row = scan.next();
  return row == nullptr ? nullptr : std::make_shared<const OwnedEntity>(*row, scan.etag());
}

/// The transaction's own rows of a scan, as they will be; all keys that it changes go into `hidden`.
std::deque<OwnedEntity> RemoteTable::changed_entities(const ScanRequest& request,
                                                      std::set<EntityKeys>& hidden) {
  std::deque<OwnedEntity> rows;
  std::optional<odata::Evaluator> filter;
  if (request.filter) filter.emplace(*request.filter);
  for (const auto& [keys, pending] : state_->buffer.operations()) {
    if (!is_wanted(request, keys)) continue;
    hidden.insert(keys);
    if (pending.kind == OperationKind::remove) continue;
    std::shared_ptr<const OwnedEntity> base = pending.base;
    const bool merges =
        pending.kind == OperationKind::merge || pending.kind == OperationKind::insert_or_merge;
    if (merges && !base) base = whole_entity(keys);
    if (!base && pending.kind == OperationKind::merge) continue;  // gone meanwhile; COMMIT will say so
    EntityView row;
    row.partition_key = keys.first;
    row.row_key = keys.second;
    row.timestamp = base ? base->view.timestamp : 0;
    row.all = properties_after(pending, base ? &base->view : nullptr);
    if (!passes(filter, row)) continue;
    for (const std::string& property : request.projection.properties)
      row.properties.push_back(value_of(row, property));
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
    return std::make_unique<OverlayScan>(std::make_unique<RemoteScan>(service_, name_, nothing),
                                         std::move(hidden), std::move(changed), true);
  }
  if (state_->writing && is_point && request.projection.all_properties &&
      request.projection.properties.empty() && !request.filter) {
    const KeyRange& range = request.ranges.front();
    const auto known = state_->shown.find({*range.partition.lower, *range.row.lower});
    if (known != state_->shown.end()) return std::make_unique<OneEntityScan>(known->second);
  }
  std::unique_ptr<Scan> scan = std::make_unique<RemoteScan>(service_, name_, request);
  if (!hidden.empty()) {
    scan = std::make_unique<OverlayScan>(std::move(scan), std::move(hidden), std::move(changed),
                                         capabilities().key_order);
  }
  if (state_->writing && request.projection.all_properties) {
    scan = std::make_unique<RecordingScan>(std::move(scan), state_);
  }
  return scan;
}

std::vector<std::string> RemoteTable::run_batch(const std::vector<Operation>& operations) {
  check_batch(operations);
  WriteBuffer batch;
  for (const Operation& operation : operations) {
    check_operation(operation);
    batch.add(name_, operation, nullptr);
  }
  return send_all(*service_, name_, batch);
}

void RemoteTable::run(const Operation& operation) {
  try {
    check_operation(operation);
  } catch (Error& error) {
    error.prefix("table " + name_);
    throw;
  }
  std::shared_ptr<const OwnedEntity> base;
  const auto known = state_->shown.find(EntityKeys(operation.partition_key, operation.row_key));
  if (known != state_->shown.end()) base = known->second;
  state_->buffer.add(name_, operation, std::move(base));
}

void RemoteTable::begin() {
  state_->writing = true;
  if (state_->leader == nullptr) state_->leader = this;
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

void RemoteTable::sync() {
  if (state_->buffer.empty()) return;
  send_all(*service_, name_, state_->buffer);
  // Another foreign table of the same name must not send it again.
  state_->buffer.clear();
}

void RemoteTable::commit() { end(); }
void RemoteTable::rollback() { end(); }

void RemoteTable::end() {
  state_->buffer.clear();
  state_->shown.clear();
  state_->writing = false;
  state_->leader = nullptr;
}

}  // namespace table_storage::backend::remote
