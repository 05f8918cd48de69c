// A table service for tests, in this process: the protocol of Azure Table Storage (or Cosmos DB for Table)
// over loopback, with real Storage's rules, every request recorded, and faults on demand.
//
//   FakeService service;
//   service.create_table("Things");
//   service.put("Things", {"p", "r"}, {{"N", edm::Value::int32(1)}});
//   service.add_fault({.action = Fault::Action::cut_body, .path_contains = "Things", .nth = 2});
//   … a client at service.endpoint() with service.account() …
//   EXPECT_TRUE(service.violations().empty());
//
// Every member may be called from any thread while requests come in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/service/authorization.h"
#include "tests/service/faults.h"
#include "tests/service/http_server.h"
#include "tests/service/protocol.h"
#include "tests/service/store.h"

namespace table_storage::fake {

struct FakeOptions {
  std::uint16_t port = 0;
  Settings settings;
  /// Requests to /__fake/… change and show the fake; for the program, see main.cpp.
  bool administration = false;
  /// 0: none are kept.
  std::size_t recorded_requests = 100'000;
};

struct Recorded {
  Request request;
  int status = 0;  // as sent; 0 where nothing was
  std::optional<Fault::Action> fault;
};

class FakeService {
 public:
  explicit FakeService(FakeOptions options = {});

  std::uint16_t port() const { return server_->port(); }
  /// "http://127.0.0.1:PORT/devstoreaccount1" (without the account where it is not path style)
  std::string endpoint() const;
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port()); }
  std::string connection_string() const;
  const Account& account() const { return account_; }

  // --- Entities, behind the protocol's back
  void create_table(const std::string& name);
  /// Insert or replace; the ETag.
  std::string put(const std::string& table, const Key& key, Properties properties);
  std::optional<Entity> get(const std::string& table, const Key& key) const;
  bool remove(const std::string& table, const Key& key);
  /// A new Timestamp and ETag, as if someone had written the same again.
  void touch(const std::string& table, const Key& key);
  std::size_t size(const std::string& table) const;
  std::vector<std::string> table_names() const;

  // --- What happens to requests
  void add_fault(Fault fault);
  void clear_faults();
  std::size_t faults_struck() const;
  /// Changes the settings in one go.
  void configure(const std::function<void(Settings&)>& change);
  /// Asked before anything else about each request; an answer ends it. Called in the server's thread, and may
  /// call the members of this class. Null: none.
  using Hook = std::function<std::optional<Answer>(const Request&)>;
  void set_hook(Hook hook);
  void close_idle_connections() { server_->close_idle(); }
  void stop_listening() { server_->stop_listening(); }

  // --- What came in
  std::vector<Recorded> requests() const;
  std::size_t request_count() const;
  void forget_requests();
  std::size_t connections() const { return server_->connections(); }
  std::size_t open_connections() const { return server_->open_connections(); }
  /// Rules of the protocol that requests broke, whether or not they were refused for it.
  std::vector<std::string> violations() const;

 private:
  bool resets_before_reading(const Request& request);
  Answer handle(const Request& request);
  Answer carry_out(const Request& request, const std::optional<Fault>& fault);
  Answer administer(const Request& request);
  static std::string shown_method(const Request& request);

  const FakeOptions options_;
  const Account account_;
  mutable std::mutex mutex_;
  Protocol protocol_;
  FaultScript faults_;
  std::map<std::size_t, Fault> pending_;  // by connection: chosen when the headers came
  Hook hook_;
  std::vector<Recorded> recorded_;
  std::size_t count_ = 0;
  std::unique_ptr<HttpServer> server_;  // last: its thread uses the others
};

}  // namespace table_storage::fake
