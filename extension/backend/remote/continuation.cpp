#include "extension/backend/remote/continuation.h"

#include "extension/backend/remote/url.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

std::optional<Continuation> continuation_of(const HttpResponse& response) {
  const auto partition = response.header("x-ms-continuation-NextPartitionKey");
  const auto row = response.header("x-ms-continuation-NextRowKey");
  const bool has_row = row && !row->empty();
  // Azurite's token is the key itself in base64, and the key may be empty.
  if ((!partition || partition->empty()) && !has_row) return std::nullopt;
  Continuation continuation;
  continuation.next_partition_key = partition.value_or("");
  if (has_row) continuation.next_row_key = std::string(*row);
  return continuation;
}

void add_continuation(std::string& query, const Continuation& continuation) {
  add_parameter(query, "NextPartitionKey", continuation.next_partition_key);
  if (continuation.next_row_key) add_parameter(query, "NextRowKey", *continuation.next_row_key);
}

void ContinuationChain::add(const Continuation& next, std::size_t rows, const std::string& asked) {
  rows_ += rows;
  if (seen_ == next && (rows_ > 0 || ++returns_ > kPatience)) {
    throw Error(Error::Kind::storage, "",
                asked +
                    ": the service says again and again that it goes on at the same place, so this would "
                    "never end; rows read so far may be there twice");
  }
  if (++steps_ < power_) return;
  // The place is kept for twice as many steps each time, so that it lies in the circle at last.
  if (seen_ != next) returns_ = 0;
  seen_ = next;
  steps_ = rows_ = 0;
  power_ *= 2;
}

std::optional<std::string> table_continuation_of(const HttpResponse& response) {
  const auto token = response.header("x-ms-continuation-NextTableName");
  if (!token || token->empty()) return std::nullopt;
  return std::string(*token);
}

void add_table_continuation(std::string& query, const std::string& token) {
  add_parameter(query, "NextTableName", token);
}

}  // namespace table_storage::backend::remote
