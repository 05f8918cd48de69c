// One table service: where it is, how its paths begin, what kind it is.
//
// A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "extension/backend/backend.h"
#include "parser/connection/url.h"

namespace table_storage::backend::remote {

/// "storage", "cosmos", "azurite".
std::string_view name_of(Dialect dialect);

struct Endpoint {
  std::string origin;     // "https://acct.table.core.windows.net", "http://127.0.0.1:10002"
  std::string base_path;  // "" or "/devstoreaccount1": what every path starts with
  std::string host;       // lower case; IPv6 without brackets
  std::string account;    // what signatures name; empty where nothing tells it
  Dialect dialect = Dialect::storage;

  bool is_secure() const { return origin.starts_with("https:"); }
  /// True only for names and addresses that cannot leave this machine.
  bool is_loopback() const;
};

/// `account` is what a connection string says, and wins. Without it the account is the first label of the
/// host (without the "-secondary" of a read-only replica), or the first segment of the path where the host is
/// an address, this machine, or a name without dots (a container). The dialect is a guess from host and port:
/// Cosmos by its domains or port 8902 of this machine (its emulator); Azurite by the development account or
/// on this machine.
Endpoint make_endpoint(const connection::Url& url, std::string_view account = {});

}  // namespace table_storage::backend::remote
