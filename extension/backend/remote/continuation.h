// Where a listing goes on. Tokens are opaque: they go back as they came, percent-encoded. An empty page may
// carry one and the last full page may too: only its absence is the end.
//
// Source: "Query timeout and pagination". Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

struct Continuation {
  std::string next_partition_key;
  std::optional<std::string> next_row_key;  // never empty: a service refuses "NextRowKey="

  friend bool operator==(const Continuation&, const Continuation&) = default;
};

/// Of a page of entities.
std::optional<Continuation> continuation_of(const HttpResponse& response);
/// Adds the tokens to the query of the next request, which is otherwise the first one's.
void add_continuation(std::string& query, const Continuation& continuation);

/// Notices when the continuations of one listing go round in a circle, whatever its length, without keeping
/// them (Brent's algorithm): it costs a comparison a page.
class ContinuationChain {
 public:
  /// Each continuation as it comes, with the rows of the page that brought it. Throws Error(storage) for one
  /// that comes again: at once if there were rows in between, since they would come twice; after kPatience
  /// times if there were none, as a service may just not have got further. `asked` begins the message.
  void add(const Continuation& next, std::size_t rows, const std::string& asked);

  static constexpr int kPatience = 100;

 private:
  std::optional<Continuation> seen_;
  std::size_t steps_ = 0, power_ = 1;
  std::size_t rows_ = 0;  // since seen_
  int returns_ = 0;
};

/// Of a page of tables: the value of NextTableName.
std::optional<std::string> table_continuation_of(const HttpResponse& response);
void add_table_continuation(std::string& query, const std::string& token);

}  // namespace table_storage::backend::remote
