#include "extension/backend/remote/operation_request.h"

#include "extension/backend/remote/entity_body.h"
#include "extension/backend/remote/url.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

void set_merge(HttpRequest& request, const Endpoint& endpoint) {
  if (endpoint.dialect == Dialect::cosmos) {  // which knows no verb of its own for it
    request.method = "POST";
    request.headers.emplace_back("X-HTTP-Method", "MERGE");
  } else {
    request.method = "MERGE";
  }
}

/// An ETag comes from a service and goes into a header, and in a batch into the middle of a body: a line
/// break in it would let the former write the rest.
std::string_view checked_etag(std::string_view etag) {
  for (const char c : etag) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      throw Error(
          Error::Kind::invalid, "InvalidInput",
          "the ETag of an entity holds a control character; a write cannot be made conditional on it");
    }
  }
  return etag.empty() ? "*" : etag;
}

}  // namespace

HttpRequest operation_request(const Endpoint& endpoint, std::string_view table, const Operation& operation) {
  HttpRequest request;
  request.origin = endpoint.origin;
  request.headers.emplace_back("Accept", kAccept);
  request.headers.emplace_back("DataServiceVersion", "3.0");
  bool conditional = false;
  switch (operation.kind) {
    case OperationKind::insert:
      request.method = "POST";
      request.headers.emplace_back("Prefer", "return-no-content");
      break;
    case OperationKind::replace:
      conditional = true;
      [[fallthrough]];
    case OperationKind::insert_or_replace:
      request.method = "PUT";
      break;
    case OperationKind::merge:
      conditional = true;
      [[fallthrough]];
    case OperationKind::insert_or_merge:
      set_merge(request, endpoint);
      break;
    case OperationKind::remove:
      conditional = true;
      request.method = "DELETE";
      break;
  }
  if (operation.kind == OperationKind::insert) {
    request.path = table_path(endpoint, table);
    request.body = insert_body(operation.partition_key, operation.row_key, operation.properties);
  } else {
    request.path = entity_path(endpoint, table, operation.partition_key, operation.row_key);
    if (operation.kind != OperationKind::remove) request.body = update_body(operation.properties);
  }
  if (!request.body.empty()) request.headers.emplace_back("Content-Type", kJson);
  if (conditional) request.headers.emplace_back("If-Match", checked_etag(operation.if_match));
  return request;
}

bool is_idempotent(const Operation& operation) {
  return operation.kind == OperationKind::insert_or_replace ||
         operation.kind == OperationKind::insert_or_merge;
}

}  // namespace table_storage::backend::remote
