// The multipart bodies of entity group transactions, as a server reads and writes them.
// Pure functions: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/service/http_server.h"
#include "tests/service/store.h"

namespace table_storage::fake {

struct BatchPart {
  Request request;        // path and query as they stand in its request line, the scheme and host cut off
  bool absolute = false;  // whether they were there
  bool changes = true;    // inside the change set
  std::string content_id;
};

/// Throws Refusal for a body that is no batch.
std::vector<BatchPart> parse_batch(std::string_view content_type, std::string_view body);

/// The answer's body and its boundary. `parts` in order; a failed change set is one part.
struct BatchReply {
  std::string boundary;
  std::string body;
};
BatchReply render_batch(const std::vector<Answer>& parts, bool change_set, Personality personality);

}  // namespace table_storage::fake
