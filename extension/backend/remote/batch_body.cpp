#include "extension/backend/remote/batch_body.h"

#include <utility>

#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/url.h"

namespace table_storage::backend::remote {

BatchBody::BatchBody(const Endpoint& endpoint, std::string table, std::string id)
    : endpoint_(endpoint), table_(std::move(table)), id_(std::move(id)) {
  start();
}

void BatchBody::start() {
  body_ = "--batch_" + id_ + "\r\nContent-Type: multipart/mixed; boundary=changeset_" + id_ + "\r\n\r\n";
  operations_ = 0;
}

std::string BatchBody::part(const Operation& operation) const {
  const HttpRequest request = operation_request(endpoint_, table_, operation);
  std::string text;
  text.reserve(512 + request.path.size() + request.body.size());
  text += "--changeset_";
  text += id_;
  text += "\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
  text += request.method;
  text += ' ';
  text += request.origin;  // Azurite takes nothing but whole addresses
  text += request.path;
  text += " HTTP/1.1\r\n";
  for (const auto& [name, value] : request.headers) {
    text += name;
    text += ": ";
    text += value;
    text += "\r\n";
  }
  text += "\r\n";
  text += request.body;
  text += "\r\n";
  return text;
}

std::string BatchBody::tail() const { return "--changeset_" + id_ + "--\r\n--batch_" + id_ + "--\r\n"; }

void BatchBody::add(const Operation& operation) {
  body_ += part(operation);
  ++operations_;
}

HttpRequest BatchBody::finish() {
  HttpRequest request;
  request.method = "POST";
  request.origin = endpoint_.origin;
  request.path = batch_path(endpoint_);
  request.headers.emplace_back("Accept", kAccept);
  request.headers.emplace_back("DataServiceVersion", "3.0");
  request.headers.emplace_back("Content-Type", "multipart/mixed; boundary=batch_" + id_);
  body_ += tail();
  request.body = std::move(body_);
  start();
  return request;
}

}  // namespace table_storage::backend::remote
