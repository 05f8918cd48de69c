// Whether a request may come in: SharedKey, SharedKeyLite, SAS or a bearer token, computed from the
// documentation and not from the client's code. Source: "Authorize with Shared Key (REST API)", "Create a
// service SAS", "Create an account SAS". Pure function: any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tests/service/http_server.h"

namespace table_storage::fake {

struct Account {
  std::string name;
  std::string key;                         // base64
  std::vector<std::string> bearer_tokens;  // those that are good
};

/// What the request wants to do, as SAS permissions see it.
struct Access {
  std::string table;         // lower case; empty for the service's own resources
  std::string permissions;   // all of these letters: r a u d of entities
  char resource_type = 'o';  // s: list tables, c: a table, o: entities
};

/// Throws Refusal. `now` is the service's clock.
void authorise(const Request& request, const Account& account, const Access& access,
               std::chrono::system_clock::time_point now);

}  // namespace table_storage::fake
