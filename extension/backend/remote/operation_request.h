// One write as a request of the Table protocol; alone, or as a part of a batch (batch_body.h). What an
// operation is depends on If-Match as much as on the verb: PUT and MERGE without it are upserts.
//
// Source: "Insert Entity", "Update Entity2", "Merge Entity", "Insert Or Replace Entity", "Insert Or Merge
// Entity", "Delete Entity2". Pure functions: any thread.
#pragma once

#include <string_view>

#include "extension/backend/backend.h"
#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

/// The `Accept` of every request that wants no other: types and ETags come back, and nothing else that costs
/// bytes.
inline constexpr std::string_view kAccept = "application/json;odata=minimalmetadata";
/// Of scans with option metadata 'full': odata.type, odata.id and odata.editLink come with each entity. There
/// is no constant for nometadata: it leaves out ETags and types, and what was a DateTime comes back as a
/// String.
inline constexpr std::string_view kAcceptFull = "application/json;odata=fullmetadata";
inline constexpr std::string_view kJson = "application/json";

/// Method, address, body, and the headers that belong to the operation: Accept, DataServiceVersion, and where
/// they apply Content-Type, If-Match, Prefer and X-HTTP-Method. x-ms-version and credentials are for whoever
/// sends it. Success is 204, with the new ETag in a header but for a delete; nothing is echoed. Throws
/// Error(invalid) for an ETag that no header can hold.
HttpRequest operation_request(const Endpoint& endpoint, std::string_view table, const Operation& operation);

/// The same request as text, for a part of a batch: "PUT https://… HTTP/1.1", headers, an empty line, body.
void append_operation(std::string& out, const Endpoint& endpoint, std::string_view table,
                      const Operation& operation);

/// True if sending it twice is the same as sending it once, answers included: an insert-or-replace, an
/// insert-or-merge. The second answer of the others may be 409, 404 or 412 because of the first.
bool is_idempotent(OperationKind kind);
inline bool is_idempotent(const Operation& operation) { return is_idempotent(operation.kind); }

}  // namespace table_storage::backend::remote
