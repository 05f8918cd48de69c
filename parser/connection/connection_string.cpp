#include "parser/connection/connection_string.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "parser/connection/grammar.h"
#include "parser/definition/closest.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::connection {
namespace {

constexpr std::string_view kAccountKey = "AccountKey";
constexpr std::string_view kAccountName = "AccountName";
constexpr std::string_view kDevelopment = "UseDevelopmentStorage";
constexpr std::string_view kDevelopmentProxy = "DevelopmentStorageProxyUri";
constexpr std::string_view kProtocol = "DefaultEndpointsProtocol";
constexpr std::string_view kSas = "SharedAccessSignature";
constexpr std::string_view kSuffix = "EndpointSuffix";
constexpr std::string_view kTableEndpoint = "TableEndpoint";
constexpr std::string_view kTableSecondary = "TableSecondaryEndpoint";

/// The keys that say something about tables. The others (BlobEndpoint, AccountKeyName, …) are skipped.
constexpr auto kKeys =
    std::to_array<std::string_view>({kAccountKey, kAccountName, kDevelopment, kDevelopmentProxy, kProtocol,
                                     kSas, kSuffix, kTableEndpoint, kTableSecondary});

[[noreturn]] void fail(const std::string& message) {
  throw Error(Error::Kind::invalid, "", "the connection string is wrong: " + message);
}

std::string text_of(std::string_view key) { return std::string(key); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_account_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/// The values of the keys above, by name.
class Values {
 public:
  explicit Values(std::string_view text) {
    ast::Pairs pairs;
    try {
      pairs = parse_pairs(text);
    } catch (const SyntaxError& error) {
      const auto semicolons =
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(error.at), ';');
      fail("part " + std::to_string(semicolons + 1) + " is not of the form Name=value (parts end at ';')");
    }
    std::set<std::string> seen;
    for (const ast::Pair& pair : pairs) add(pair, seen);
  }

  std::optional<std::string> find(std::string_view key) const {
    const auto entry = values_.find(key);
    if (entry == values_.end()) return std::nullopt;
    return entry->second;
  }
  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }

  /// " Did you mean AccountKey?", for the first unknown name that is close to a key which is not there. The
  /// name itself may be a piece of a secret that lost its key, and is not shown.
  std::string guess() const {
    for (const std::string& name : unknown_) {
      const std::string_view key = definition::closest(name, kKeys);
      if (!key.empty() && !has(key)) return "; one name is unknown, is " + text_of(key) + " meant?";
    }
    return {};
  }

 private:
  void add(const ast::Pair& pair, std::set<std::string>& seen) {
    const std::string_view name = trimmed(pair.key);
    const std::string_view value = trimmed(pair.value);
    const auto known = std::find_if(kKeys.begin(), kKeys.end(), [&](std::string_view key) {
      return definition::equal_without_case(key, name);
    });
    std::string folded(name);
    std::transform(folded.begin(), folded.end(), folded.begin(), definition::lower);
    if (!seen.insert(std::move(folded)).second) {
      fail((known != kKeys.end() ? text_of(*known) : std::string("a name")) + " stands there twice");
    }
    if (known == kKeys.end()) {
      unknown_.emplace_back(name);
      return;
    }
    if (value.empty()) fail(text_of(*known) + " has no value");
    values_.emplace(*known, value);
  }

  std::map<std::string_view, std::string> values_;
  std::vector<std::string> unknown_;
};

ConnectionString development(const Values& values) {
  if (*values.find(kDevelopment) != "true") fail("UseDevelopmentStorage takes only the value true");
  for (const std::string_view key : kKeys) {
    if (key != kDevelopment && key != kDevelopmentProxy && values.has(key)) {
      fail("UseDevelopmentStorage=true stands for account, key and endpoint of the emulator; remove " +
           text_of(key) + ", or UseDevelopmentStorage");
    }
  }
  ConnectionString result;
  result.is_development = true;
  result.endpoint.scheme = "http";
  result.endpoint.host = "127.0.0.1";
  if (const auto proxy = values.find(kDevelopmentProxy)) {
    const Url url = parse_url(*proxy, kDevelopmentProxy);
    result.endpoint.scheme = url.scheme;
    result.endpoint.host = url.host;
  }
  result.endpoint.port = std::uint16_t{10'002};  // whatever the proxy's own is
  result.endpoint.path = "/" + std::string(kDevelopmentAccount);
  result.account = kDevelopmentAccount;
  result.account_key = kDevelopmentKey;
  return result;
}

/// protocol://account.table.suffix
Url built_endpoint(const Values& values, std::string account) {
  std::transform(account.begin(), account.end(), account.begin(), definition::lower);
  if (!std::all_of(account.begin(), account.end(), is_account_char)) {
    // It becomes part of a host's name, and the credentials go there.
    fail("AccountName holds a character that no account has: letters, digits and '-' are right");
  }
  std::string protocol = values.find(kProtocol).value_or("https");
  std::transform(protocol.begin(), protocol.end(), protocol.begin(), definition::lower);
  if (protocol != "http" && protocol != "https") fail("DefaultEndpointsProtocol takes https or http");
  const std::string suffix = values.find(kSuffix).value_or("core.windows.net");
  Url url = parse_url(protocol + "://" + account + ".table." + suffix, kSuffix);
  if (!url.path.empty() || !url.query.empty()) {
    fail("EndpointSuffix takes the end of a host's name, such as core.windows.net");
  }
  return url;
}

/// Moves the query of an endpoint to where a SAS belongs.
void take_sas(ConnectionString& result, std::string_view what) {
  if (result.endpoint.query.empty()) return;
  result.sas = parse_sas(result.endpoint.query, what);
  result.endpoint.query.clear();
}

/// How often a query holds a parameter with a value.
int count_parameter(std::string_view query, std::string_view name) {
  int count = 0;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.size() > name.size() + 1 && pair.starts_with(name) && pair[name.size()] == '=') ++count;
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return count;
}

}  // namespace

ConnectionString parse_connection_string(std::string_view text) {
  const Values values(text);
  if (values.has(kDevelopment)) return development(values);
  if (values.has(kDevelopmentProxy))
    fail("DevelopmentStorageProxyUri needs UseDevelopmentStorage=true beside it");
  if (values.has(kTableSecondary)) {
    if (!values.has(kTableEndpoint)) fail("TableSecondaryEndpoint needs TableEndpoint beside it");
    parse_url(*values.find(kTableSecondary), kTableSecondary);  // not used, but not left unread either
  }

  ConnectionString result;
  result.account = values.find(kAccountName).value_or("");
  if (const auto endpoint = values.find(kTableEndpoint)) {
    result.endpoint = parse_url(*endpoint, kTableEndpoint);
    if (const auto sas = values.find(kSas)) {
      std::string& query = result.endpoint.query;
      query += (query.empty() ? "" : "&") + parse_sas(*sas, kSas);
    }
    take_sas(result, values.has(kSas) ? kSas : kTableEndpoint);
  } else {
    if (result.account.empty()) {
      fail("AccountName (or TableEndpoint) is missing" + values.guess() +
           "; right is AccountName=…;AccountKey=…, TableEndpoint=…;SharedAccessSignature=… or "
           "UseDevelopmentStorage=true");
    }
    if (!values.has(kAccountKey) && !values.has(kSas)) {
      fail("AccountKey or SharedAccessSignature is missing beside AccountName" + values.guess());
    }
    result.endpoint = built_endpoint(values, result.account);
    if (const auto sas = values.find(kSas)) result.sas = parse_sas(*sas, kSas);
  }
  if (const auto key = values.find(kAccountKey)) {
    if (result.account.empty()) fail("AccountName is missing beside AccountKey" + values.guess());
    if (!result.sas.empty()) fail("it holds both AccountKey and a SAS; keep one of them");
    if (!edm::parse_base64(*key)) fail("AccountKey is not base64; copy it whole, with the = at its end");
    result.account_key = *key;
  }
  return result;
}

ConnectionString parse_endpoint_url(std::string_view text, std::string_view what) {
  ConnectionString result;
  result.endpoint = parse_url(trimmed(text), what);
  take_sas(result, what);
  return result;
}

std::string parse_sas(std::string_view text, std::string_view what) {
  std::string_view query = trimmed(text);
  if (query.starts_with('?')) query.remove_prefix(1);
  std::string sas;
  for (const char c : query) {
    if (c <= ' ' || c == '#' || c == '"' || c > '~') {
      throw Error(Error::Kind::invalid, "",
                  text_of(what) + " holds a character that must be percent-encoded in a URL");
    }
    // A SAS holds no blank, which is what '+' means in a query: someone pasted a decoded signature.
    if (c == '+') {
      sas += "%2B";
    } else {
      sas += c;
    }
  }
  const int signatures = count_parameter(sas, "sig");
  if (signatures == 0) {
    throw Error(
        Error::Kind::invalid, "",
        text_of(what) + " has a query that is no SAS: the signature (sig=…) is missing; right is sv=…&sig=…");
  }
  if (signatures > 1) {
    throw Error(Error::Kind::invalid, "", text_of(what) + " holds two SAS; keep one of them");
  }
  return sas;
}

}  // namespace table_storage::connection
