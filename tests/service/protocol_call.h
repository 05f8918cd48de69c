// What the files of Protocol share: a request taken apart, and its body.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/error.h"
#include "tests/service/protocol.h"

namespace table_storage::fake {

[[noreturn]] inline void bad_input(std::string message = "One of the request inputs is not valid.") {
  throw Refusal{400, "InvalidInput", std::move(message)};
}

inline std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Refusal refusal_of(const Error& error);

/// Keys and properties of a body. The keys may be missing; the URL has them then.
struct Body {
  std::optional<std::string> partition, row;
  Properties properties;
};
Body parse_body(const std::string& text);

/// A request taken apart.
struct Protocol::Call {
  const Request* request;
  Resource resource;
  std::string method;  // X-HTTP-Method applied
  std::vector<std::pair<std::string, std::string>> parameters;
  Metadata metadata = Metadata::minimal;
  bool in_batch = false;

  const std::string* parameter(std::string_view name) const {
    const auto at =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; });
    return at == parameters.end() ? nullptr : &at->second;
  }
  bool prefers_no_content() const {
    const std::string* const prefer = request->header("Prefer");
    return prefer != nullptr && *prefer == "return-no-content";
  }
};

}  // namespace table_storage::fake
