#include "tests/service/authorization.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <optional>

#include "parser/edm/text.h"
#include "tests/service/wire.h"

namespace table_storage::fake {
namespace {

using TimePoint = std::chrono::system_clock::time_point;
using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kFailedText =
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed "
    "correctly "
    "including the signature.";

[[noreturn]] void fail() { throw Refusal{403, "AuthenticationFailed", kFailedText}; }

std::string signature(const std::string& key, const std::string& text) {
  const std::string secret = edm::parse_base64(key).value_or("");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return edm::format_base64({reinterpret_cast<const char*>(digest.data()), size});
}

std::string value_of(const Parameters& parameters, std::string_view name) {
  const auto at =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; });
  return at == parameters.end() ? std::string() : at->second;
}

std::optional<TimePoint> parse_http_date(const std::string& text) {
  std::tm parts{};
  const char* const end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

void check_shared_key(const Request& request, const Account& account, std::string_view credentials, bool lite,
                      TimePoint now) {
  const std::string* date = request.header("x-ms-date");
  if (date == nullptr) date = request.header("Date");
  if (date == nullptr) fail();
  const auto time = parse_http_date(*date);
  constexpr std::chrono::minutes kSkew{15};
  if (!time || *time > now + kSkew || *time < now - kSkew) fail();

  std::string resource = "/" + account.name + request.path;
  if (const std::string comp = value_of(parse_query(request.query), "comp"); !comp.empty())
    resource += "?comp=" + comp;
  const auto header = [&](std::string_view name) {
    const std::string* value = request.header(name);
    return value == nullptr ? std::string() : *value;
  };
  std::string text;
  if (!lite) text = request.method + "\n" + header("Content-MD5") + "\n" + header("Content-Type") + "\n";
  text += *date + "\n" + resource;
  if (credentials != account.name + ":" + signature(account.key, text)) fail();
}

// A SAS time is a date or an ISO date and time; an expiry that cannot be read has passed.
bool in_time(const Parameters& sas, TimePoint now) {
  const std::int64_t ticks =
      edm::kUnixEpochTicks +
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() * 10;
  const auto end = edm::parse_datetime(value_of(sas, "se"));
  const std::string start = value_of(sas, "st");
  if (!start.empty()) {
    const auto begin = edm::parse_datetime(start);
    if (!begin || *begin > ticks) return false;
  }
  return end && *end > ticks;
}

void check_sas(const Parameters& sas, const Account& account, const Access& access, TimePoint now) {
  const auto value = [&](std::string_view name) { return value_of(sas, name); };
  const bool for_account = !value("ss").empty();
  std::string text;
  if (for_account) {
    for (const char* name : {"sp", "ss", "srt", "st", "se", "sip", "spr", "sv"}) {
      if (text.empty()) text = account.name + "\n";
      text += value(name) + "\n";
    }
    if (value("sv") >= "2020-12-06") text += value("ses") + "\n";
  } else {
    std::string table = value("tn");
    std::transform(table.begin(), table.end(), table.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    text = value("sp") + "\n" + value("st") + "\n" + value("se") + "\n/table/" + account.name + "/" + table;
    for (const char* name : {"si", "sip", "spr", "sv", "spk", "srk", "epk", "erk"})
      text += "\n" + value(name);
    if (!access.table.empty() && table != access.table) fail();
  }
  if (value("sig") != signature(account.key, text) || !in_time(sas, now)) fail();
  const std::string granted = value("sp");
  if (for_account) {
    if (value("ss").find('t') == std::string::npos)
      throw Refusal{403, "AuthorizationServiceMismatch",
                    "This request is not authorized to perform this operation using this service."};
    if (value("srt").find(access.resource_type) == std::string::npos)
      throw Refusal{403, "AuthorizationResourceTypeMismatch",
                    "This request is not authorized to perform this operation using this resource type."};
  }
  for (const char wanted : access.permissions) {
    // An account SAS has w for creating tables and r or l for listing them.
    const bool listed = for_account && access.resource_type == 's' && granted.find('l') != std::string::npos;
    const bool created =
        for_account && access.resource_type == 'c' && granted.find_first_of("wc") != std::string::npos;
    if (granted.find(wanted) == std::string::npos && !listed && !created)
      throw Refusal{403, "AuthorizationPermissionMismatch",
                    "This request is not authorized to perform this operation using this permission."};
  }
}

}  // namespace

void authorise(const Request& request, const Account& account, const Access& access, TimePoint now) {
  const Parameters parameters = parse_query(request.query);
  const std::string* const header = request.header("Authorization");
  if (header == nullptr && !value_of(parameters, "sig").empty())
    return check_sas(parameters, account, access, now);
  if (header == nullptr)
    throw Refusal{401, "NoAuthenticationInformation",
                  "Server failed to authenticate the request. Please refer to the information in the "
                  "www-authenticate header."};
  std::string_view text = *header;
  if (text.starts_with("SharedKey ")) return check_shared_key(request, account, text.substr(10), false, now);
  if (text.starts_with("SharedKeyLite "))
    return check_shared_key(request, account, text.substr(14), true, now);
  if (text.starts_with("Bearer ")) {
    const std::string* const version = request.header("x-ms-version");
    const auto& good = account.bearer_tokens;
    if (version != nullptr && *version >= "2020-12-06" &&
        std::find(good.begin(), good.end(), text.substr(7)) != good.end())
      return;
    throw Refusal{401, "InvalidAuthenticationInfo", "Server failed to authenticate the request."};
  }
  fail();
}

}  // namespace table_storage::fake
