// ts_requests: what was really sent to services by this connection.
//
//   SELECT asked, status, rows, ms, request FROM ts_requests ORDER BY id DESC LIMIT 10;
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "extension/backend/remote/service.h"
#include "extension/functions/functions.h"
#include "extension/functions/list_module.h"
#include "parser/edm/text.h"

namespace table_storage::functions {

namespace {

using backend::remote::LoggedRequest;

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
  char text[edm::kFixedDateTimeSize];
  edm::format_datetime_fixed(edm::kUnixEpochTicks + since.count() * 10, text);
  return {text, sizeof text};
}

ListRow row_of(const std::string& server, const LoggedRequest& request) {
  const auto number = [](auto value) { return ListValue{static_cast<std::int64_t>(value)}; };
  return {number(request.number),
          time_text(request.completed),
          server,
          request.asked,
          request.method,
          backend::remote::readable_target(request),
          request.status == 0 ? ListValue{} : number(request.status),
          text_or_null(request.failure),
          number(request.attempts),
          number(request.rows),
          number(request.sent),
          number(request.received),
          static_cast<double>(request.took.count()) / 1000.0};
}

std::vector<ListRow> rows(catalog::Connection& connection) {
  std::vector<std::pair<std::uint64_t, ListRow>> numbered;
  for (const catalog::Connection::OpenService& open : connection.open_services()) {
    for (const LoggedRequest& request : open.service->log().requests())
      numbered.emplace_back(request.number, row_of(open.name, request));
  }
  std::sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ListRow> all;
  all.reserve(numbered.size());
  for (auto& [number, row] : numbered) all.push_back(std::move(row));
  return all;
}

}  // namespace

int register_requests_module(sqlite3* db, const std::shared_ptr<catalog::Connection>& connection) {
  return register_list(
      db, {.name = "ts_requests",
           .columns =
               "id INTEGER, time TEXT, server TEXT, asked TEXT, method TEXT, request TEXT, status INTEGER, "
               "failure TEXT, attempts INTEGER, rows INTEGER, sent_bytes INTEGER, received_bytes INTEGER, "
               "ms REAL",
           .arguments = {},
           .usage = "",
           .rows = [connection](const std::vector<std::string>&) { return rows(*connection); }});
}

}  // namespace table_storage::functions
