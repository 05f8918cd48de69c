#include "extension/backend/remote/token.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "extension/backend/remote/token_reply.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::string_view kPublicAuthority = "https://login.microsoftonline.com";
constexpr std::string_view kMetadataHost = "http://169.254.169.254";

std::string escaped(std::string_view text) {
  char* const raw = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  if (raw == nullptr) throw std::bad_alloc();
  std::string out(raw);
  curl_free(raw);
  return out;
}

void add_parameter(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += '&';
  out += name;
  out += '=';
  out += escaped(value);
}

/// A URL taken apart by libcurl: origin, path and query as HttpRequest wants them.
HttpRequest split_url(const std::string& url, const std::string& what) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    refuse(what + " is not a URL; it should be of the form https://host/path");
  const auto part = [&](CURLUPart which) {
    char* raw = nullptr;
    std::string text;
    if (curl_url_get(parsed.get(), which, &raw, 0) == CURLUE_OK) text = raw;
    curl_free(raw);
    return text;
  };
  if (!part(CURLUPART_USER).empty()) refuse(what + " must not hold a user name");
  HttpRequest request;
  request.origin = part(CURLUPART_SCHEME) + "://" + part(CURLUPART_HOST);
  if (const std::string port = part(CURLUPART_PORT); !port.empty()) request.origin += ":" + port;
  request.path = part(CURLUPART_PATH);
  if (request.path.empty()) request.path = "/";
  request.query = part(CURLUPART_QUERY);
  return request;
}

bool is_loopback_origin(std::string_view origin) {
  for (std::string_view host : {"http://127.0.0.1", "http://localhost", "http://[::1]"}) {
    if (origin.starts_with(host) && (origin.size() == host.size() || origin[host.size()] == ':')) return true;
  }
  return false;
}

/// A secret in a file, without the line end behind it.
std::string read_file(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    refuse("the file " + path + " with " + std::string(what) + " cannot be read");
  while (!content.empty() && static_cast<unsigned char>(content.back()) <= ' ') content.pop_back();
  if (content.empty()) refuse("the file " + path + " with " + std::string(what) + " is empty");
  return content;
}

// --- Entra ID: one form, two proofs ----------------------------------------------------------------------

class EntraSource : public HttpTokenSource {
 public:
  explicit EntraSource(EntraApplication application) : application_(std::move(application)) {
    if (application_.authority.empty()) application_.authority = kPublicAuthority;
    while (application_.authority.ends_with('/')) application_.authority.pop_back();
    // The SDKs take a bare host in AZURE_AUTHORITY_HOST too.
    if (application_.authority.find("://") == std::string::npos)
      application_.authority = "https://" + application_.authority;
    endpoint_ = split_url(application_.authority, "the authority " + application_.authority);
    if (!endpoint_.origin.starts_with("https://") && !is_loopback_origin(endpoint_.origin))
      refuse("the authority " + application_.authority + " must be an https address: a secret is sent to it");
    for (const auto& [value, what] :
         {std::pair{&application_.tenant, "tenant"}, std::pair{&application_.client_id, "client id"},
          std::pair{&application_.scope, "scope"}})
      if (value->empty()) refuse(std::string("a token of Entra ID needs a ") + what);
    const bool plain = std::all_of(application_.tenant.begin(), application_.tenant.end(), [](char c) {
      return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '.';
    });
    if (!plain) refuse("the tenant '" + application_.tenant + "' must be a GUID or a domain name");
  }

  HttpRequest request() const override {
    HttpRequest request = endpoint_;
    request.method = "POST";
    request.path =
        (endpoint_.path == "/" ? "" : endpoint_.path) + "/" + application_.tenant + "/oauth2/v2.0/token";
    request.query.clear();
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
    add_parameter(request.body, "grant_type", "client_credentials");
    add_parameter(request.body, "client_id", application_.client_id);
    add_parameter(request.body, "scope", application_.scope);
    add_proof(request.body);
    return request;
  }

 protected:
  virtual void add_proof(std::string& form) const = 0;
  std::string application() const {
    return "application " + application_.client_id + " in tenant " + application_.tenant;
  }

 private:
  EntraApplication application_;
  HttpRequest endpoint_;
};

class ClientSecretSource final : public EntraSource {
 public:
  ClientSecretSource(EntraApplication application, std::string client_secret)
      : EntraSource(std::move(application)), secret_(std::move(client_secret)) {
    if (secret_.empty()) refuse("the client secret of " + this->application() + " is empty");
  }

 protected:
  std::string name() const override { return "client secret of " + application(); }
  void add_proof(std::string& form) const override { add_parameter(form, "client_secret", secret_); }
  std::string secret() const override { return secret_; }
  std::string hint() const override {
    return "Check tenant, client id and client secret, and whether the secret has expired";
  }

 private:
  const std::string secret_;
};

class WorkloadIdentitySource final : public EntraSource {
 public:
  WorkloadIdentitySource(EntraApplication application, std::string token_file)
      : EntraSource(std::move(application)), file_(std::move(token_file)) {
    if (file_.empty())
      refuse("workload identity needs the file of the federated token (AZURE_FEDERATED_TOKEN_FILE)");
  }

 protected:
  std::string name() const override { return "workload identity of " + application(); }
  void add_proof(std::string& form) const override {
    add_parameter(form, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    add_parameter(form, "client_assertion", read_file(file_, "the federated token"));
  }
  std::string hint() const override {
    return "Check tenant, client id and the federated credential of the application";
  }

 private:
  const std::string file_;
};

// --- Managed identity ------------------------------------------------------------------------------------

/// "https://storage.azure.com/.default" → "https://storage.azure.com"
std::string resource_of(std::string_view scope) {
  constexpr std::string_view kSuffix = "/.default";
  if (scope.ends_with(kSuffix)) scope.remove_suffix(kSuffix.size());
  return std::string(scope);
}

/// A GET with the resource in its query; the variants differ in address, version and header.
class ManagedIdentitySource final : public HttpTokenSource {
 public:
  struct Variant {
    std::string name;
    std::string api_version;
    std::pair<std::string, std::string> header;
    std::string secret;  // the header's value where it is one
    std::string client_id_name = "client_id";
    std::string hint;
  };

  ManagedIdentitySource(HttpRequest endpoint, Variant variant, const std::string& client_id,
                        const std::string& resource)
      : request_(std::move(endpoint)), variant_(std::move(variant)) {
    add_parameter(request_.query, "api-version", variant_.api_version);
    add_parameter(request_.query, "resource", resource);
    if (!client_id.empty()) add_parameter(request_.query, variant_.client_id_name, client_id);
    request_.headers = {{"Accept", "application/json"}, variant_.header};
  }

  HttpRequest request() const override { return request_; }

 protected:
  std::string name() const override { return variant_.name; }
  std::string secret() const override { return variant_.secret; }
  std::string hint() const override { return variant_.hint; }

 private:
  HttpRequest request_;
  Variant variant_;
};

}  // namespace

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* const value = std::getenv(std::string(name).c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
}

Token HttpTokenSource::fetch(const Exchanger& exchange, WallTime now) const {
  return parse(exchange(request()), now);
}

Token HttpTokenSource::parse(const HttpResponse& response, WallTime now) const {
  if (response.status == 200) {
    if (auto token = read_token_reply(response.body, now)) return *std::move(token);
    throw Error(Error::Kind::storage, "",
                "no token by " + name() +
                    ": the answer is not the JSON of a token with access_token and "
                    "expires_on or expires_in");
  }
  const TokenRefusal refusal = read_token_refusal(response.body);
  std::string message = "no token by " + name() + ": HTTP status " + std::to_string(response.status);
  if (!refusal.description.empty()) message += ", \"" + without_secrets(refusal.description, secret()) + "\"";
  message += ". " + hint();
  throw Error(Error::Kind::storage, without_secrets(refusal.code, secret()), std::move(message));
}

std::unique_ptr<HttpTokenSource> client_secret_source(EntraApplication application,
                                                      std::string client_secret) {
  return std::make_unique<ClientSecretSource>(std::move(application), std::move(client_secret));
}

std::unique_ptr<HttpTokenSource> workload_identity_source(EntraApplication application,
                                                          std::string token_file) {
  return std::make_unique<WorkloadIdentitySource>(std::move(application), std::move(token_file));
}

std::unique_ptr<HttpTokenSource> managed_identity_source(const std::string& client_id, std::string_view scope,
                                                         const Environment& environment) {
  using Variant = ManagedIdentitySource::Variant;
  const std::string resource = resource_of(scope);
  const auto make = [&](HttpRequest endpoint, Variant variant) {
    return std::make_unique<ManagedIdentitySource>(std::move(endpoint), std::move(variant), client_id,
                                                   resource);
  };
  const auto read = [&](std::string_view name) { return environment(name).value_or(""); };

  const std::string endpoint = read("IDENTITY_ENDPOINT");
  const std::string header = read("IDENTITY_HEADER");
  if (!endpoint.empty() && !header.empty()) {
    return make(split_url(endpoint, "IDENTITY_ENDPOINT"),
                {.name = "managed identity of App Service",
                 .api_version = "2019-08-01",
                 .header = {"X-IDENTITY-HEADER", header},
                 .secret = header,
                 .hint = "Check that the app has the managed identity switched on"});
  }
  if (!endpoint.empty() && !read("IMDS_ENDPOINT").empty()) {
    refuse(
        "this is an Azure Arc machine, whose managed identity is not supported; use a client secret, a "
        "workload "
        "identity or the Azure CLI");
  }
  const std::string old_endpoint = read("MSI_ENDPOINT");
  const std::string old_secret = read("MSI_SECRET");
  if (!old_endpoint.empty() && !old_secret.empty()) {
    return make(split_url(old_endpoint, "MSI_ENDPOINT"),
                {.name = "managed identity of App Service (2017)",
                 .api_version = "2017-09-01",
                 .header = {"secret", old_secret},
                 .secret = old_secret,
                 .client_id_name = "clientid",
                 .hint = "Check that the app has the managed identity switched on"});
  }
  std::string host = environment("AZURE_POD_IDENTITY_AUTHORITY_HOST").value_or(std::string(kMetadataHost));
  while (host.ends_with('/')) host.pop_back();
  return make(split_url(host + "/metadata/identity/oauth2/token", "AZURE_POD_IDENTITY_AUTHORITY_HOST"),
              {.name = "managed identity of this machine",
               .api_version = "2018-02-01",
               .header = {"Metadata", "true"},
               .secret = "",
               .hint = "Check that this machine runs in Azure and has the identity assigned"});
}

// --- The cache -------------------------------------------------------------------------------------------

TokenCache::TokenCache(std::unique_ptr<const TokenSource> source, Exchanger exchange, Now now)
    : source_(std::move(source)), exchange_(std::move(exchange)), now_(std::move(now)) {}

std::string TokenCache::get() {
  const std::lock_guard lock(mutex_);
  const WallTime now = now_();
  if (!token_ || now >= renew_at_) renew(now);
  return token_->value;
}

void TokenCache::renew(WallTime now) {
  constexpr std::chrono::minutes kBefore{5};
  constexpr std::chrono::seconds kPause{30};
  try {
    token_ = source_->fetch(exchange_, now);
    const auto life = token_->expires_at - now;
    renew_at_ = token_->expires_at - std::min<WallTime::duration>(kBefore, life / 3);
  } catch (const Error&) {
    if (!token_ || now >= token_->expires_at) throw;
    renew_at_ = now + kPause;
  }
}

void TokenCache::reject(std::string_view token) {
  const std::lock_guard lock(mutex_);
  if (token_ && token_->value == token) token_.reset();
}

}  // namespace table_storage::backend::remote
