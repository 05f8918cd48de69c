#include "extension/backend/remote/remote_backend.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "extension/backend/limits.h"
#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/entity_body.h"
#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/page.h"
#include "extension/backend/remote/scan.h"
#include "extension/backend/remote/service_error.h"
#include "extension/backend/remote/url.h"
#include "extension/sqlite.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

std::unique_ptr<Table> RemoteBackend::open_table(const std::string& name) {
  return std::make_unique<RemoteTable>(service_, name);
}

void RemoteBackend::create_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "POST";
  request.path = tables_path(service_->endpoint());
  request.body = table_body(name);
  request.headers = {{"Content-Type", std::string(kJson)}, {"Prefer", "return-no-content"}};
  service_->perform(std::move(request), "creating table " + name, false);
}

void RemoteBackend::drop_table(const std::string& name) {
  check_table_name(name);
  HttpRequest request;
  request.method = "DELETE";
  request.path = tables_path(service_->endpoint(), name);
  request.headers = {{"Content-Type", std::string(kJson)}};
  service_->perform(std::move(request), "dropping table " + name, false);
}

std::vector<std::string> RemoteBackend::list_tables() {
  std::vector<std::string> names;
  std::optional<std::string> token;
  do {
    HttpRequest request;
    request.path = tables_path(service_->endpoint());
    if (token) add_table_continuation(request.query, *token);
    const HttpResponse response = service_->perform(std::move(request), "listing the tables", true);
    for (std::string& name : read_table_names(response.body)) names.push_back(std::move(name));
    token = table_continuation_of(response);
  } while (token);
  return names;
}

RemoteTable::RemoteTable(std::shared_ptr<Service> service, std::string name)
    : service_(std::move(service)), name_(std::move(name)) {}

Capabilities RemoteTable::capabilities() const {
  return {service_->endpoint().dialect != Dialect::cosmos, service_->endpoint().dialect};
}

std::unique_ptr<Scan> RemoteTable::open_scan(const ScanRequest& request) {
  return std::make_unique<RemoteScan>(service_, name_, request);
}

std::vector<std::string> RemoteTable::run_batch(const std::vector<Operation>&) {
  throw Error(Error::Kind::unsupported, "",
              "table " + name_ + " of server " + service_->options().name +
                  " is read-only: this version reads remote tables")
      .native(SQLITE_READONLY);
}

void RemoteTable::run(const Operation& operation) { run_batch({operation}); }

}  // namespace table_storage::backend::remote
