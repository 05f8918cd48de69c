#include "parser/connection/url.h"

#include <algorithm>
#include <charconv>

#include "parser/connection/grammar.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::connection {
namespace {

[[noreturn]] void fail(std::string_view what, const std::string& wrong) {
  throw Error(Error::Kind::invalid, "", std::string(what) + " " + wrong);
}

std::string folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), definition::lower);
  return text;
}

}  // namespace

std::string Url::origin() const {
  std::string text = scheme + "://" + (is_ipv6() ? "[" + host + "]" : host);
  if (port) text += ":" + std::to_string(*port);
  return text;
}

Url parse_url(std::string_view text, std::string_view what) {
  ast::Address address;
  try {
    address = parse_address(text);
  } catch (const SyntaxError& error) {
    // The place is safe to tell, the text is not.
    fail(what,
         "is no address: at byte " + std::to_string(error.at) + " expected " + error.expected +
             "; right is https://account.table.core.windows.net or http://127.0.0.1:10002/devstoreaccount1");
  }
  Url url;
  url.scheme = folded(std::move(address.scheme));
  if (url.scheme != "http" && url.scheme != "https") fail(what, "must begin with https:// or http://");
  url.host = folded(std::move(address.host));
  if (address.port) {
    unsigned port = 0;
    std::from_chars(address.port->data(), address.port->data() + address.port->size(), port);
    if (port == 0 || port > 65'535) fail(what, "has a port outside 1 to 65535");
    if (port != (url.scheme == "https" ? 443u : 80u)) url.port = static_cast<std::uint16_t>(port);
  }
  url.path = std::move(address.path);
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  url.query = std::move(address.query);
  return url;
}

}  // namespace table_storage::connection
