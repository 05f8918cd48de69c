// Entity group transactions on the wire: a multipart body of requests, and the multipart answer.
//
// Source: "Performing entity group transactions"; the answers of Storage, Cosmos and Azurite as observed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/http.h"
#include "extension/backend/remote/service_error.h"

namespace table_storage::backend::remote {

/// Writes one batch, operation by operation. One thread at a time.
class BatchBody {
 public:
  /// `id` makes the boundaries: letters, digits and dashes that no value holds by accident, such as a random
  /// UUID.
  BatchBody(const Endpoint& endpoint, std::string table, std::string id);

  /// Returns the bytes that the operation takes.
  std::size_t add(const Operation& operation);
  /// Takes the last operation out again; `bytes` is what add() returned for it.
  void take_back(std::size_t bytes);

  std::size_t operations() const { return operations_; }
  /// Of the whole body as it would be sent now.
  std::size_t size() const { return body_.size() + tail_.size(); }

  /// The request, but for x-ms-version and credentials. Leaves the object empty, ready for the next batch,
  /// whose boundaries are the same.
  HttpRequest finish();
  /// Drops what was added.
  void clear() { start(); }

 private:
  void start();

  const Endpoint& endpoint_;
  std::string table_;
  std::string id_;
  std::string head_;       // of the body, up to the first part
  std::string part_head_;  // of each part, up to its method
  std::string tail_;
  std::string body_;
  std::size_t operations_ = 0;
};

struct BatchReply {
  /// One an operation, in their order; empty if the batch failed.
  std::vector<long> statuses;
  /// Why nothing was applied. `operation` is the index of the culprit where the service tells it.
  std::optional<ServiceError> error;
  /// The failed part as an answer of its own (status, headers, body), for to_error().
  std::optional<HttpResponse> failed;
};

/// Reads the answer to a batch of `operations`. An outer answer that is no success, and a part that is none,
/// are an `error`. Throws Error(storage) for an answer that is damaged or has another number of parts:
/// whether the batch was applied is then unknown. Any thread.
BatchReply read_batch_reply(const HttpResponse& response, std::size_t operations);

}  // namespace table_storage::backend::remote
