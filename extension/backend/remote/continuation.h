// Where a listing goes on. Tokens are opaque: they go back as they came, percent-encoded. An empty page may
// carry one and the last full page may too: only its absence is the end.
//
// Source: "Query timeout and pagination". Pure functions: any thread.
#pragma once

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

/// Of a page of tables: the value of NextTableName.
std::optional<std::string> table_continuation_of(const HttpResponse& response);
void add_table_continuation(std::string& query, const std::string& token);

}  // namespace table_storage::backend::remote
