// Shared Key signatures of the Table service, which are simpler than those of blobs and queues.
//
//   SharedKey      VERB \n Content-MD5 \n Content-Type \n Date \n resource
//   SharedKeyLite  Date \n resource
//   resource       "/" account, the path exactly as sent, and "?comp=value" if the query has comp
//
// Source: "Authorize with Shared Key (REST API)".
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

/// The key of one account. Decoded once; the bytes are wiped when it goes. Any thread.
class SharedKey {
 public:
  enum class Scheme : unsigned char { full, lite };

  /// Throws Error(invalid) if the key is not base64, or if there is no account to sign for. The key is not in
  /// it.
  SharedKey(std::string account, std::string_view key_base64);
  ~SharedKey();
  SharedKey(const SharedKey&) = delete;
  SharedKey& operator=(const SharedKey&) = delete;

  const std::string& account() const { return account_; }

  /// Sets x-ms-date to `date` (format_http_date()) and Authorization, replacing what was there, so that a
  /// retried request can be signed again. Everything else that is signed must be in place: method, path,
  /// query, Content-Type. Do not send a Date header beside it.
  void sign(HttpRequest& request, std::string_view date, Scheme scheme = Scheme::full) const;

  /// Base64 of HMAC-SHA256 over UTF-8 text. Its result may be a secret (the signature of a SAS).
  std::string signature(std::string_view text) const;

 private:
  struct Mac;  // OpenSSL's, with the key in it: setting it up costs more than a signature

  std::string account_;
  mutable std::mutex mutex_;
  std::unique_ptr<Mac> mac_;
};

/// What sign() signs.
std::string string_to_sign(const HttpRequest& request, std::string_view account, std::string_view date,
                           SharedKey::Scheme scheme);

}  // namespace table_storage::backend::remote
