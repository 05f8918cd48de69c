// The backend that speaks REST: Azure Table Storage, Cosmos DB for Table, Azurite.
//
// The connection's thread only; transfers run in a thread of their own (transport.h).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/owned_entity.h"
#include "extension/backend/remote/page_pool.h"
#include "extension/backend/remote/service.h"
#include "extension/backend/remote/transaction.h"
#include "extension/backend/remote/write_buffer.h"

namespace table_storage::backend::remote {

/// What the foreign tables of a connection that stand for one remote table share.
struct RemoteTableState {
  WriteBuffer buffer;
  /// While a transaction writes: whole entities whose rows were taken for writing. An UPDATE finds there what
  /// it changes.
  std::map<EntityKeys, std::shared_ptr<const KeptEntity>> shown;
  bool writing = false;
  /// The table that joined the transaction first. It alone hears of every savepoint when it is set; one that
  /// joins later is told of the innermost again.
  const void* leader = nullptr;
};

/// A service and the state of its tables, as one connection uses it.
struct RemoteSession {
  std::shared_ptr<Service> service;
  std::shared_ptr<PagePool> pages = std::make_shared<PagePool>();
  std::map<std::string, std::shared_ptr<RemoteTableState>> tables;  // by name, lower case but on Cosmos
  /// One for all services of the connection, where the owner puts it in.
  std::shared_ptr<WriteTransaction> transaction = std::make_shared<WriteTransaction>();
};

class RemoteBackend : public Backend {
 public:
  explicit RemoteBackend(std::shared_ptr<RemoteSession> session) : session_(std::move(session)) {}

  std::unique_ptr<Table> open_table(const std::string& name, const TableOptions& options = {}) override;
  void create_table(const std::string& name) override;
  void drop_table(const std::string& name) override;
  std::vector<std::string> list_tables() override;

 private:
  std::shared_ptr<RemoteSession> session_;
};

class RemoteTable : public Table {
 public:
  RemoteTable(const RemoteSession& session, std::string name, const TableOptions& options,
              std::shared_ptr<RemoteTableState> state);
  ~RemoteTable() override;
  RemoteTable(const RemoteTable&) = delete;
  RemoteTable& operator=(const RemoteTable&) = delete;

  Capabilities capabilities() const override;
  /// Sees the pending writes of the transaction.
  std::unique_ptr<Scan> open_scan(const ScanRequest& request) override;
  /// Checks the operation and keeps it until sync().
  void run(const Operation& operation) override;
  void release() override {}
  void forget_uncommitted() override {}

  void begin() override;
  void savepoint(int number) override;
  void release_savepoint(int number) override;
  void rollback_to(int number) override;
  void sync() override;
  void commit() override;
  void rollback() override;

 private:
  std::vector<std::shared_ptr<const KeptEntity>> whole_entities(const std::vector<const EntityKeys*>& keys);
  std::deque<OwnedEntity> changed_entities(const ScanRequest& request, std::set<EntityKeys>& hidden);
  void end();

  std::shared_ptr<Service> service_;
  std::shared_ptr<PagePool> pages_;
  std::shared_ptr<WriteTransaction> transaction_;
  std::string name_;
  TableOptions options_;
  std::shared_ptr<RemoteTableState> state_;
};

}  // namespace table_storage::backend::remote
