#include "extension/backend/remote/request_log.h"

#include <curl/curl.h>

#include <atomic>
#include <memory>

namespace table_storage::backend::remote {

namespace {

std::string decoded(const std::string& text) {
  int size = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      curl_easy_unescape(nullptr, text.c_str(), static_cast<int>(text.size()), &size), curl_free);
  return plain ? std::string(plain.get(), static_cast<std::size_t>(size)) : text;
}

}  // namespace

std::string readable_target(const LoggedRequest& request) {
  std::string text = decoded(request.path);
  if (!request.query.empty()) text += "?" + decoded(request.query);
  return text;
}

// Services of one connection are listed together, in the order of their requests.
std::uint64_t RequestLog::next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace table_storage::backend::remote
