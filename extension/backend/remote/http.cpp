#include "extension/backend/remote/http.h"

#include "parser/definition/closest.h"

namespace table_storage::backend::remote {

std::optional<std::string_view> HttpResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (definition::equal_without_case(key, name)) return value;
  }
  return std::nullopt;
}

void set_header(HttpRequest& request, std::string_view name, std::string_view value) {
  for (auto& [key, present] : request.headers) {
    if (definition::equal_without_case(key, name)) {
      present.assign(value);
      return;
    }
  }
  request.headers.emplace_back(name, value);
}

TransferFailure failure_of(TransferFailure::Kind kind, const char* reason) noexcept {
  try {
    return {kind, reason};
  } catch (const std::bad_alloc&) {
    return TransferFailure::no_memory(kind);
  }
}

}  // namespace table_storage::backend::remote
