// Requests and answers of the Table REST protocol, as plain values. What they mean stands elsewhere; how they
// travel stands in transport.h.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace table_storage::backend::remote {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";  // as sent: GET, POST, PUT, DELETE, MERGE, PATCH
  /// Scheme, host and port without a trailing slash: "https://acct.table.core.windows.net". Plain http is
  /// allowed or refused by whoever makes the server, not here.
  std::string origin;
  /// Path exactly as transmitted, percent-encoded, with a leading slash; signing uses these bytes.
  std::string path = "/";
  /// Query without '?', percent-encoded; may be empty. Holds a SAS where one is used: never to be shown.
  std::string query;
  Headers headers;
  std::string body;
};

struct HttpResponse {
  long status = 0;
  Headers headers;  // names as received
  std::string body;
  // What the log of requests shows.
  std::size_t received = 0;           // bytes of the body, also where it has been taken away
  std::size_t rows = 0;               // entities, where a reader of the answer counted them
  std::chrono::microseconds took{0};  // from its start to the last byte
  // From when the request was sent, on a connection that was there, to the first byte.
  std::chrono::microseconds answered_in{0};

  /// First header of that name, without case; nullopt if there is none.
  std::optional<std::string_view> header(std::string_view name) const;
};

/// Replaces the header of that name (without case), or adds it.
void set_header(HttpRequest& request, std::string_view name, std::string_view value);

/// A transfer that brought no complete answer.
struct TransferFailure {
  enum class Kind : unsigned char {
    connect,      // nothing was sent: resolving, connecting or the TLS handshake failed
    unreachable,  // likewise, for a reason that rarely goes away: no such host, nobody listens there
    dead_reused,  // a kept-alive connection turned out closed before any byte of the answer came
    lost_answer,  // the request may have arrived, the answer did not come whole (reset, cut body, time limit)
    damaged,      // an answer came and makes no sense
    cancelled     // by the caller
  };
  Kind kind = Kind::connect;
  std::string reason;          // libcurl's words; never the URL's query
  bool out_of_memory = false;  // here: the service is not at fault

  static TransferFailure no_memory(Kind kind) noexcept { return {kind, "out of memory", true}; }
};

/// With these words if there is memory for them.
TransferFailure failure_of(TransferFailure::Kind kind, const char* reason) noexcept;

}  // namespace table_storage::backend::remote
