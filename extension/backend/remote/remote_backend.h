// The backend that speaks REST: Azure Table Storage, Cosmos DB for Table, Azurite.
//
// The connection's thread only; transfers run in a thread of their own (transport.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/service.h"

namespace table_storage::backend::remote {

class RemoteBackend : public Backend {
 public:
  explicit RemoteBackend(std::shared_ptr<Service> service) : service_(std::move(service)) {}

  std::unique_ptr<Table> open_table(const std::string& name) override;
  void create_table(const std::string& name) override;
  void drop_table(const std::string& name) override;
  std::vector<std::string> list_tables() override;

 private:
  std::shared_ptr<Service> service_;
};

class RemoteTable : public Table {
 public:
  RemoteTable(std::shared_ptr<Service> service, std::string name);

  Capabilities capabilities() const override;
  std::unique_ptr<Scan> open_scan(const ScanRequest& request) override;
  std::vector<std::string> run_batch(const std::vector<Operation>& operations) override;
  void run(const Operation& operation) override;
  void release() override {}
  void forget_uncommitted() override {}

 private:
  std::shared_ptr<Service> service_;
  std::string name_;
};

}  // namespace table_storage::backend::remote
