#include "extension/backend/remote/signing.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

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

struct SharedKey::Mac {
  struct Free {
    void operator()(EVP_MAC* it) const { EVP_MAC_free(it); }
    void operator()(EVP_MAC_CTX* it) const { EVP_MAC_CTX_free(it); }
  };
  std::unique_ptr<EVP_MAC, Free> mac{EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
  std::unique_ptr<EVP_MAC_CTX, Free> context{mac ? EVP_MAC_CTX_new(mac.get()) : nullptr};

  explicit Mac(std::string_view key) {
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                     OSSL_PARAM_construct_end()};
    if (!context || EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(key.data()),
                                 key.size(), parameters) != 1) {
      throw Error(Error::Kind::storage, "", "requests cannot be signed: OpenSSL has no HMAC-SHA256");
    }
  }
};

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
  // OpenSSL wipes its copy when it is freed.
  const struct Wipe {
    std::string& key;
    ~Wipe() { OPENSSL_cleanse(key.data(), key.size()); }
  } wipe{*key};
  mac_ = std::make_unique<Mac>(*key);
}

SharedKey::~SharedKey() = default;

std::string SharedKey::signature(std::string_view text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    EVP_MAC_CTX* const context = mac_->context.get();
    // Without a key: the same as before, from the start.
    if (EVP_MAC_init(context, nullptr, 0, nullptr) != 1 ||
        EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1 ||
        EVP_MAC_final(context, digest, &size, sizeof digest) != 1) {
      throw Error(Error::Kind::storage, "", "requests cannot be signed: OpenSSL fails at HMAC-SHA256");
    }
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
