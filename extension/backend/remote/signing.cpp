#include "extension/backend/remote/signing.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "parser/definition/closest.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

std::string_view header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (definition::equal_without_case(key, name)) return value;
  }
  return {};
}

/// The value of `comp`, the one parameter that is signed, as it is sent.
std::string_view comp_of(std::string_view query) {
  constexpr std::string_view kName = "comp=";
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(kName)) return pair.substr(kName.size());
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

}  // namespace

SharedKey::SharedKey(std::string account, std::string_view key_base64) : account_(std::move(account)) {
  if (account_.empty()) {
    throw Error(
        Error::Kind::invalid, "",
        "requests cannot be signed: the endpoint does not tell the account's name; give it as AccountName");
  }
  auto key = edm::parse_base64(key_base64);
  if (!key || key->empty()) {
    throw Error(Error::Kind::invalid, "",
                "the key of account " + account_ + " is not base64; copy it whole, with the = at its end");
  }
  key_.reserve(
      std::max<std::size_t>(key->size(), 64));  // so that moving it leaves no copy in the object itself
  key_.assign(*key);
  OPENSSL_cleanse(key->data(), key->size());
}

SharedKey::~SharedKey() { OPENSSL_cleanse(key_.data(), key_.size()); }

std::string SharedKey::signature(std::string_view text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size) == nullptr) {
    throw Error(Error::Kind::storage, "", "requests cannot be signed: OpenSSL has no HMAC-SHA256");
  }
  return edm::format_base64({reinterpret_cast<const char*>(digest), size});
}

void SharedKey::sign(HttpRequest& request, std::string_view date, Scheme scheme) const {
  set_header(request, "x-ms-date", date);
  std::string value = scheme == Scheme::full ? "SharedKey " : "SharedKeyLite ";
  value += account_;
  value += ':';
  value += signature(string_to_sign(request, account_, date, scheme));
  set_header(request, "Authorization", value);
}

std::string string_to_sign(const HttpRequest& request, std::string_view account, std::string_view date,
                           SharedKey::Scheme scheme) {
  std::string text;
  text.reserve(128 + request.path.size());
  if (scheme == SharedKey::Scheme::full) {
    text += request.method;
    text += '\n';
    text += header_of(request, "Content-MD5");
    text += '\n';
    text += header_of(request, "Content-Type");
    text += '\n';
  }
  text += date;
  text += "\n/";
  text += account;
  text += request.path.empty() ? std::string_view("/") : std::string_view(request.path);
  if (const std::string_view comp = comp_of(request.query); !comp.empty()) {
    text += "?comp=";
    text += comp;
  }
  return text;
}

}  // namespace table_storage::backend::remote
