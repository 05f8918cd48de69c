// Bearer tokens of Microsoft Entra ID: where they come from and how long they are used.
//
// A TokenSource knows one way to get a token. Most ask over HTTP: they say which request to send and read the
// reply, and leave the sending, with its time limits and retries, to the caller. TokenCache keeps a token
// until shortly before it expires.
//
// Neither tokens nor secrets are ever in an error's text, and what a server says in its own error is searched
// for them before it is shown.
//
// Source: the identity library of the Azure SDK for C++ (requests and replies of each flow); "OAuth 2.0
// client credentials flow on the Microsoft identity platform"; "How to use managed identities for Azure
// resources on an Azure VM to acquire an access token".
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

using WallTime = std::chrono::system_clock::time_point;

struct Token {
  std::string value;
  WallTime expires_at;
};

/// Sends a request and gives the complete answer, whatever its status; throws Error where none came.
using Exchanger = std::function<HttpResponse(const HttpRequest&)>;
/// The value of an environment variable; nullopt where it is not set. Empty counts as not set.
using Environment = std::function<std::optional<std::string>(std::string_view)>;
Environment process_environment();

/// One way to get a token. Immutable: several threads may use it.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// Throws Error, kind storage, with the code that the server gave ("invalid_client") or none; kind invalid
  /// for a set-up that cannot work.
  virtual Token fetch(const Exchanger& exchange, WallTime now) const = 0;
};

/// A source that asks over HTTP.
class HttpTokenSource : public TokenSource {
 public:
  Token fetch(const Exchanger& exchange, WallTime now) const final;
  /// The request to send. Throws Error(invalid) where a file that it needs cannot be read.
  virtual HttpRequest request() const = 0;
  /// The token in an answer to it.
  Token parse(const HttpResponse& response, WallTime now) const;

 protected:
  /// For messages: "client secret of application 1234".
  virtual std::string name() const = 0;
  /// What must not be shown even if the server repeats it. Empty where there is nothing.
  virtual std::string secret() const { return {}; }
  /// What to do about a refusal; a sentence.
  virtual std::string hint() const = 0;
};

struct EntraApplication {
  std::string tenant;
  std::string client_id;
  /// "https://login.microsoftonline.com" or another cloud's; empty means that one. http is taken for loopback
  /// only.
  std::string authority;
  std::string scope;  // "https://storage.azure.com/.default"
};

std::unique_ptr<HttpTokenSource> client_secret_source(EntraApplication application,
                                                      std::string client_secret);

/// The signed assertion is read from `token_file` at each renewal, because the platform replaces it.
std::unique_ptr<HttpTokenSource> workload_identity_source(EntraApplication application,
                                                          std::string token_file);

/// `client_id` says which of several identities of a machine; empty: the machine's own. App Service and
/// Functions are recognised by IDENTITY_ENDPOINT and IDENTITY_HEADER (or the older MSI_ENDPOINT and
/// MSI_SECRET); else the metadata service of virtual machines and AKS is asked. Throws Error(invalid) for an
/// endpoint that is no URL, and on Azure Arc, which is not supported.
std::unique_ptr<HttpTokenSource> managed_identity_source(const std::string& client_id, std::string_view scope,
                                                         const Environment& environment);

/// A token of the user who is logged in with the Azure CLI: runs `az account get-access-token`, without a
/// shell.
struct AzureCli {
  std::string program = "az";
  std::string scope;
  std::string tenant;  // empty: az's own choice
  std::chrono::milliseconds timeout{30'000};
  std::function<bool()> interrupted;  // asked every 50 ms; may be empty
};
std::unique_ptr<TokenSource> azure_cli_source(AzureCli cli);
/// The token in what `az` printed. `expiresOn` is local time, and is used only where `expires_on` is missing.
Token parse_azure_cli_output(std::string_view json);

/// Keeps a token and renews it five minutes before it expires (a third of its life before, if that is less).
/// A renewal that fails while the old token still holds is tried again half a minute later. Several threads
/// may use it; one of them renews while the others wait.
class TokenCache {
 public:
  using Now = std::function<WallTime()>;
  TokenCache(
      std::unique_ptr<const TokenSource> source, Exchanger exchange,
      Now now = [] { return std::chrono::system_clock::now(); });

  /// The token for an Authorization header. Throws as TokenSource::fetch() does.
  std::string get();
  /// The service refused `token` (401): the next get() fetches another one, unless that has happened already.
  void reject(std::string_view token);

 private:
  void renew(WallTime now);

  const std::unique_ptr<const TokenSource> source_;
  const Exchanger exchange_;
  const Now now_;
  std::mutex mutex_;
  std::optional<Token> token_;
  WallTime renew_at_;
};

}  // namespace table_storage::backend::remote
