#include "extension/backend/remote/operation_request.h"

#include "extension/backend/remote/entity_body.h"
#include "extension/backend/remote/url.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

/// How an operation looks on the wire, but for its address and its values.
struct Shape {
  std::string_view method;
  bool tunnelled_merge = false;  // Cosmos knows no verb of its own for it
  bool conditional = false;
  bool keys_in_body = false;
  bool has_body = true;
};

Shape shape_of(OperationKind kind, const Endpoint& endpoint) {
  Shape shape;
  switch (kind) {
    case OperationKind::insert:
      shape.method = "POST";
      shape.keys_in_body = true;
      break;
    case OperationKind::replace:
    case OperationKind::insert_or_replace:
      shape.method = "PUT";
      shape.conditional = kind == OperationKind::replace;
      break;
    case OperationKind::merge:
    case OperationKind::insert_or_merge:
      shape.tunnelled_merge = endpoint.dialect == Dialect::cosmos;
      shape.method = shape.tunnelled_merge ? "POST" : "MERGE";
      shape.conditional = kind == OperationKind::merge;
      break;
    case OperationKind::remove:
      shape.method = "DELETE";
      shape.conditional = true;
      shape.has_body = false;
      break;
  }
  return shape;
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

/// Calls `add` with each header that belongs to the operation.
template <class Add>
void for_each_header(const Shape& shape, const Operation& operation, Add&& add) {
  add("Accept", kAccept);
  add("DataServiceVersion", "3.0");
  if (shape.keys_in_body) add("Prefer", "return-no-content");
  if (shape.tunnelled_merge) add("X-HTTP-Method", "MERGE");
  if (shape.has_body) add("Content-Type", kJson);
  if (shape.conditional) add("If-Match", checked_etag(operation.if_match));
}

void append_path(std::string& out, const Shape& shape, const Endpoint& endpoint, std::string_view table,
                 const Operation& operation) {
  if (shape.keys_in_body) {
    append_table_path(out, endpoint, table);
  } else {
    append_entity_path(out, endpoint, table, operation.partition_key, operation.row_key);
  }
}

void append_body(std::string& out, const Shape& shape, const Operation& operation) {
  if (shape.keys_in_body) {
    append_insert_body(out, operation.partition_key, operation.row_key, operation.properties);
  } else if (shape.has_body) {
    append_update_body(out, operation.properties);
  }
}

}  // namespace

HttpRequest operation_request(const Endpoint& endpoint, std::string_view table, const Operation& operation) {
  const Shape shape = shape_of(operation.kind, endpoint);
  HttpRequest request;
  request.origin = endpoint.origin;
  request.method = shape.method;
  for_each_header(shape, operation, [&](std::string_view name, std::string_view value) {
    request.headers.emplace_back(name, value);
  });
  request.path.clear();
  append_path(request.path, shape, endpoint, table, operation);
  append_body(request.body, shape, operation);
  return request;
}

void append_operation(std::string& out, const Endpoint& endpoint, std::string_view table,
                      const Operation& operation) {
  const Shape shape = shape_of(operation.kind, endpoint);
  out += shape.method;
  out += ' ';
  out += endpoint.origin;  // Azurite takes nothing but whole addresses
  append_path(out, shape, endpoint, table, operation);
  out += " HTTP/1.1\r\n";
  for_each_header(shape, operation, [&](std::string_view name, std::string_view value) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  });
  out += "\r\n";
  append_body(out, shape, operation);
}

bool is_idempotent(OperationKind kind) {
  return kind == OperationKind::insert_or_replace || kind == OperationKind::insert_or_merge;
}

}  // namespace table_storage::backend::remote
