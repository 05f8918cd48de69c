#include "extension/backend/remote/batch_body.h"

#include <utility>

#include "extension/backend/remote/operation_request.h"
#include "extension/backend/remote/url.h"

namespace table_storage::backend::remote {

BatchBody::BatchBody(const Endpoint& endpoint, std::string table, std::string id)
    : endpoint_(endpoint),
      table_(std::move(table)),
      id_(std::move(id)),
      head_("--batch_" + id_ + "\r\nContent-Type: multipart/mixed; boundary=changeset_" + id_ + "\r\n\r\n"),
      part_head_("--changeset_" + id_ +
                 "\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"),
      tail_("--changeset_" + id_ + "--\r\n--batch_" + id_ + "--\r\n") {
  start();
}

void BatchBody::start() {
  body_ = head_;
  operations_ = 0;
}

std::size_t BatchBody::add(const Operation& operation) {
  const std::size_t before = body_.size();
  body_ += part_head_;
  append_operation(body_, endpoint_, table_, operation);
  body_ += "\r\n";
  ++operations_;
  return body_.size() - before;
}

void BatchBody::take_back(std::size_t bytes) {
  body_.resize(body_.size() - bytes);
  --operations_;
}

HttpRequest BatchBody::finish() {
  HttpRequest request;
  request.method = "POST";
  request.origin = endpoint_.origin;
  request.path = batch_path(endpoint_);
  request.headers.emplace_back("Accept", kAccept);
  request.headers.emplace_back("DataServiceVersion", "3.0");
  request.headers.emplace_back("Content-Type", "multipart/mixed; boundary=batch_" + id_);
  body_ += tail_;
  const std::size_t likely = body_.size();
  request.body = std::move(body_);
  body_ = std::string();
  body_.reserve(likely);
  start();
  return request;
}

}  // namespace table_storage::backend::remote
