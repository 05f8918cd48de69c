// Connection strings of storage accounts, as the portal, the SDKs and the emulator write them.
//
//   DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=…==;EndpointSuffix=core.windows.net
//   TableEndpoint=https://acct.table.core.windows.net/;SharedAccessSignature=sv=…&sig=…
//   UseDevelopmentStorage=true
//
// Names fold case; none may come twice; names that mean nothing for tables (BlobEndpoint) are skipped.
// Source: "Configure Azure Storage connection strings", and what the official SDKs accept.
//
// Pure functions: any thread.
#pragma once

#include <string>
#include <string_view>

#include "parser/connection/url.h"

namespace table_storage::connection {

inline constexpr std::string_view kDevelopmentAccount = "devstoreaccount1";
/// Not a secret: the emulator's own, in its documentation ("Use the Azurite emulator").
inline constexpr std::string_view kDevelopmentKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Where a table service is and what opens it. At most one of account_key and sas is there; with neither,
/// requests go without credentials or with a token from elsewhere.
struct ConnectionString {
  Url endpoint;             // of the table service; its query is empty
  std::string account;      // AccountName; empty where only the endpoint tells it
  std::string account_key;  // base64, checked to be that
  std::string sas;          // a query without '?', percent-encoded; '+' is always written %2B
  bool is_development = false;
};

/// Throws Error(invalid) that names the key which is missing, wrong, twice or too much. No value of the
/// string is repeated in it.
ConnectionString parse_connection_string(std::string_view text);

/// A table service by its address alone, perhaps with a SAS:
/// "https://acct.table.core.windows.net/?sv=…&sig=…". Throws Error(invalid), likewise. `what` names the text
/// in errors.
ConnectionString parse_endpoint_url(std::string_view text, std::string_view what = "the endpoint");

/// A SAS of its own, with or without the leading '?', in the form of ConnectionString::sas. Throws
/// Error(invalid) if it is no query with a signature.
std::string parse_sas(std::string_view text, std::string_view what = "the SAS");

}  // namespace table_storage::connection
