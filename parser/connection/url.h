// The address of a table service, cut into its parts. Written for endpoints: no user name and no fragment,
// since neither belongs there and a password could hide in the first.
//
// Pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace table_storage::connection {

struct Url {
  std::string scheme;                 // "http" or "https"
  std::string host;                   // lower case; an IPv6 address without its brackets
  std::optional<std::uint16_t> port;  // nullopt where it is the scheme's own, written out or not
  std::string path;  // percent-encoded as given, with a leading and without a trailing slash; "" for the root
  std::string query;  // percent-encoded as given, without '?'; may hold a SAS

  bool is_ipv6() const { return host.find(':') != std::string::npos; }
  /// "https://acct.table.core.windows.net", "http://[::1]:10002": no path, no trailing slash.
  std::string origin() const;
};

/// Reads "http[s]://host[:port][/path][?query]". Throws Error(invalid); the message calls the text by `what`
/// ("TableEndpoint") and never repeats it, as its query may be a SAS.
Url parse_url(std::string_view text, std::string_view what);

}  // namespace table_storage::connection
