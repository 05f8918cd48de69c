#include "extension/backend/local/etag.h"

#include "parser/edm/text.h"

namespace table_storage::backend::local {

std::string etag_of(std::int64_t timestamp) {
  std::string tag = "W/\"datetime'";
  for (const char c : edm::format_datetime(timestamp)) {
    if (c == ':') {
      tag += "%3A";
    } else {
      tag += c;
    }
  }
  return tag += "'\"";
}

bool is_well_formed_etag(std::string_view etag) {
  if (etag.starts_with("W/") || etag.starts_with("w/")) etag.remove_prefix(2);
  return etag.size() >= 2 && etag.front() == '"' && etag.find('"', 1) == etag.size() - 1;
}

}  // namespace table_storage::backend::local
