// Whom a credential may be shown to. A database file may come from a stranger, and then its servers, its
// tables and the stored halves of its user mappings are what the stranger wrote. What is secret lies outside
// the file, in the environment, in files and in this connection's memory. The rules:
//
// 1. A connection string says itself where it belongs: its secret goes to the endpoint in it and nowhere
//    else. A server that names another endpoint beside it is refused.
// 2. Any other credential of a user mapping (account_key, sas_token, token, credential) is used
//    - if it was said in this connection (CREATE or ALTER USER MAPPING), for the server as it was then, or
//    - if the environment says whose it is: AZURE_STORAGE_ACCOUNT names the account, the server is that
//      account at Microsoft's own address over https, and the credential is env:AZURE_STORAGE_KEY,
//      env:AZURE_STORAGE_SAS_TOKEN or an identity that no option of the file has bent.
//    So a file: reference that is only stored is never followed by what happens to lie there.
// 3. Nothing secret travels a way that a stranger chose: a ca_file from the file, or its proxy without TLS,
//    needs a user mapping made in this connection; ca_file 'env:NAME' is the environment's word and needs
//    none.
// 4. Bearer tokens go over TLS only, always. Plain http leaves this machine only with allow_http.
//
// Redirects are not followed (transport.h). Pure functions: any thread.
#pragma once

#include "extension/backend/remote/endpoint.h"
#include "extension/catalog/reference.h"
#include "extension/catalog/server.h"

namespace table_storage::catalog {

/// The service of `account` at an address that only Microsoft can answer: https, the usual port, and a host
/// name of Azure Storage or Cosmos DB in one of the clouds. The replica of the account counts too.
bool is_own_address(const backend::remote::Endpoint& endpoint, std::string_view account);

/// Rule 2 for every option of the user mapping. Throws Error(invalid) that names the option, the endpoint and
/// the statement that would confirm it.
void check_credential_trust(const ServerDefinition& definition, const backend::remote::Endpoint& endpoint,
                            const Environment& environment);

/// Rules 3 and 4, for a service that gets something secret. Throws Error(invalid).
void check_route_trust(const ServerDefinition& definition, const backend::remote::Endpoint& endpoint);

}  // namespace table_storage::catalog
