// Shared access signatures: putting one on a request, and making them.
//
// Source: "Create a service SAS", "Create an account SAS". Pure functions: any thread. What they return is a
// secret.
#pragma once

#include <string>
#include <string_view>

#include "extension/backend/remote/http.h"
#include "extension/backend/remote/signing.h"

namespace table_storage::backend::remote {

/// Appends a SAS (as connection::parse_sas() leaves it) to the query. Such a request carries no
/// Authorization.
void append_sas(HttpRequest& request, std::string_view sas);

/// A SAS for one table. Empty fields are left out; times are ISO 8601 in UTC.
struct TableSas {
  std::string table;
  std::string permissions;  // of "raud": query, add, update, delete; upserts need a and u
  std::string start;
  std::string expiry;
  std::string policy;    // name of a stored access policy (si)
  std::string ip;        // address or range
  std::string protocol;  // "https" or "https,http"
  std::string version = "2019-02-02";
  // Bounds of the keys, inclusive. A row key needs its partition key.
  std::string first_partition_key;
  std::string first_row_key;
  std::string last_partition_key;
  std::string last_row_key;
};
std::string make_sas(const SharedKey& key, const TableSas& sas);

/// A SAS for the tables of an account.
struct AccountSas {
  std::string permissions = "rwdlacu";
  std::string services = "t";
  std::string resource_types = "sco";  // service, container (tables), object (entities)
  std::string start;
  std::string expiry;
  std::string ip;
  std::string protocol;
  std::string version = "2019-02-02";
  std::string encryption_scope;  // signed from version 2020-12-06 on
};
std::string make_sas(const SharedKey& key, const AccountSas& sas);

}  // namespace table_storage::backend::remote
