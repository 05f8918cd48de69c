// Tokens: what is asked, what is read from answers that were seen in the wild, how long a token is used.
#include "extension/backend/remote/token.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>

#include "extension/backend/remote/token_reply.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

using namespace std::chrono_literals;

WallTime at(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }
std::int64_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

template <typename Action>
Error error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error(Error::Kind::invalid, "", "no error");
}

Environment environment(std::map<std::string, std::string> values) {
  return [values](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

EntraApplication application() {
  return {.tenant = "contoso.example",
          .client_id = "1234",
          .authority = "",
          .scope = "https://storage.azure.com/.default"};
}

class File {
 public:
  explicit File(const std::string& content, bool executable = false)
      : path_(::testing::TempDir() + "token_" + std::to_string(++count_) + "_" +
              std::to_string(std::rand())) {
    std::ofstream(path_) << content;
    if (executable) chmod(path_.c_str(), 0755);
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

TEST(TokenTest, ClientSecret) {
  const auto source = client_secret_source(application(), "s3cr+t/&");
  const HttpRequest request = source->request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.origin, "https://login.microsoftonline.com");
  EXPECT_EQ(request.path, "/contoso.example/oauth2/v2.0/token");
  EXPECT_EQ(request.body,
            "grant_type=client_credentials&client_id=1234&scope=https%3A%2F%2Fstorage.azure.com%2F.default&"
            "client_secret=s3cr%2Bt%2F%26");

  const Token token = source->fetch(
      [](const HttpRequest&) {
        return HttpResponse{200, {}, R"({"token_type":"Bearer","expires_in":3599,"access_token":"abc"})"};
      },
      at(1000));
  EXPECT_EQ(token.value, "abc");
  EXPECT_EQ(seconds_of(token.expires_at), 4599);
}

TEST(TokenTest, AuthorityIsSafe) {
  EntraApplication other = application();
  other.authority = "login.microsoftonline.us/";
  EXPECT_EQ(client_secret_source(other, "s")->request().origin, "https://login.microsoftonline.us");
  other.authority = "http://127.0.0.1:1234/sub";
  EXPECT_EQ(client_secret_source(other, "s")->request().path, "/sub/contoso.example/oauth2/v2.0/token");
  other.authority = "http://localhost";
  EXPECT_EQ(client_secret_source(other, "s")->request().origin, "http://localhost");
  other.authority = "http://[::1]:81";
  EXPECT_EQ(client_secret_source(other, "s")->request().origin, "http://[::1]:81");
  for (const char* wrong : {"http://login.example", "http://127.0.0.1.evil.example", "ftp://x",
                            "https://u:p@host", "https://host:port"}) {
    other.authority = wrong;
    EXPECT_EQ(error_of([&] { client_secret_source(other, "s"); }).kind(), Error::Kind::invalid) << wrong;
    EXPECT_STRNE(error_of([&] { client_secret_source(other, "s"); }).what(), "no error") << wrong;
  }
  EntraApplication strange = application();
  strange.tenant = "a/../b";
  EXPECT_STREQ(error_of([&] { client_secret_source(strange, "s"); }).what(),
               "the tenant 'a/../b' must be a GUID or a domain name");
  for (const auto& [member, what] : {std::pair{&EntraApplication::tenant, "tenant"},
                                     {&EntraApplication::client_id, "client id"},
                                     {&EntraApplication::scope, "scope"}}) {
    EntraApplication without = application();
    (without.*member).clear();
    EXPECT_EQ(error_of([&] { client_secret_source(without, "s"); }).what(),
              std::string("a token of Entra ID needs a ") + what);
  }
  EXPECT_STREQ(error_of([&] { client_secret_source(application(), ""); }).what(),
               "the client secret of application 1234 in tenant contoso.example is empty");
}

TEST(TokenTest, RefusalsHideSecrets) {
  const auto source = client_secret_source(application(), "hunter2hunter2");
  const Error error = error_of([&] {
    source->parse(
        {401,
         {},
         R"({"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret hunter2hunter2 provided.\r\nTrace ID: 1"})"},
        at(0));
  });
  EXPECT_STREQ(error.what(),
               "invalid_client: no token by client secret of application 1234 in tenant contoso.example: "
               "HTTP status 401, "
               "\"AADSTS7000215: Invalid client secret [hidden] provided.\". Check tenant, client id and "
               "client secret, and "
               "whether the secret has expired");
  EXPECT_NE(std::string(error_of([&] {
                          source->parse({502, {}, "<html>"}, at(0));
                        }).what())
                .find("HTTP status 502. Check"),
            std::string::npos);
  EXPECT_STREQ(error_of([&] {
                 source->parse({200, {}, R"({"access_token":"hunter3"})"}, at(0));
               }).what(),
               "no token by client secret of application 1234 in tenant contoso.example: the answer is not "
               "the JSON of a token with access_token and expires_on or expires_in");
  EXPECT_EQ(without_secrets("wrong \xFF byte", ""), "(a text that is not UTF-8)");
  EXPECT_EQ(without_secrets("token=eyJhbGciOiJIUzI1NiJ9.e30.x and " + std::string(90, 'k') + "\nnext", ""),
            "token=[hidden] and [hidden] next");
  EXPECT_LT(without_secrets(std::string(1000, ' ') + "ä", "").size(), 310u);
}

TEST(TokenTest, OddReplies) {
  const auto expiry = [](const std::string& members) -> std::int64_t {
    const auto token = read_token_reply("{\"access_token\":\"t\"," + members + "}", at(100));
    return token ? seconds_of(token->expires_at) : -1;
  };
  EXPECT_EQ(expiry(R"("expires_on":"1586984735")"), 1586984735);
  EXPECT_EQ(expiry(R"("expires_on":1586984735)"), 1586984735);
  EXPECT_EQ(expiry(R"("expires_on":1586984735.5)"), 1586984735);
  EXPECT_EQ(expiry(R"("expires_in":"3599","expires_on":"1586984735")"), 1586984735);
  EXPECT_EQ(expiry(R"("expires_in":"3599")"), 3699);
  EXPECT_EQ(expiry(R"("expires_in":3599,"expires_on":"soon")"), 3699);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 1:30:00 PM +00:00")"), 1603719000);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 12:30:00 AM +01:00")"), 1603668600);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 13:30:00 PM +00:00")"), 1603719000);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 13:30:00 +00:00")"), 1603719000);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 13:30:00")"), 1603719000);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 13:30:00 UTC")"), 1603719000);
  EXPECT_EQ(expiry(R"("expires_on":"10/26/2020 8:00:00 AM -05:30")"), 1603719000);
  for (const char* zone : {"+15:00", "+00:60", "x00:00", "+00:00x", "+0000", "CET"})
    EXPECT_EQ(expiry(std::string("\"expires_on\":\"10/26/2020 13:30:00 ") + zone + '"'), -1) << zone;
  // The last second of the year 9999 is taken for a time that a clock can show.
  EXPECT_EQ(expiry(R"("expires_on":253402300799)"), 9'000'000'000);
  EXPECT_EQ(expiry(R"("expires_on":253402300800)"), -1);
  EXPECT_EQ(expiry(R"("expires_on":-1)"), -1);
  EXPECT_EQ(expiry(R"("expires_on":true)"), -1);
  EXPECT_EQ(expiry(R"("expires_in":true)"), -1);
  EXPECT_EQ(expiry(R"("expires_in":1e300)"), -1);
  EXPECT_EQ(expiry(R"("expires_on":"02/30/2020 13:30:00 +00:00")"), -1);
  EXPECT_EQ(expiry(R"("expires_on":"99999999999999999999")"), -1);
  EXPECT_EQ(expiry(R"("expires_in":-5)"), -1);
  EXPECT_EQ(expiry(R"("other":1)"), -1);
  for (const char* wrong :
       {"", "[]", "{}", "{\"access_token\":5,\"expires_in\":1}", "{\"access_token\":\"\",\"expires_in\":1}",
        "{\"access_token\":\"a\\r\\nx: y\",\"expires_in\":1}", "{\"access_token\":\"a\",\"expires_in\":1"})
    EXPECT_FALSE(read_token_reply(wrong, at(0))) << wrong;
}

TEST(TokenTest, WorkloadIdentityReadsItsFileEachTime) {
  const File file("assertion-1\n");
  const auto source = workload_identity_source(application(), file.path());
  const std::string start =
      "grant_type=client_credentials&client_id=1234&scope=https%3A%2F%2Fstorage.azure.com%2F.default&"
      "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_"
      "assertion=";
  EXPECT_EQ(source->request().body, start + "assertion-1");
  std::ofstream(file.path()) << "assertion-2";
  EXPECT_EQ(source->request().body, start + "assertion-2");
  std::ofstream(file.path()) << "\n";
  EXPECT_NE(std::string(error_of([&] { source->request(); }).what()).find("is empty"), std::string::npos);
  const auto lost = workload_identity_source(application(), file.path() + ".no");
  EXPECT_NE(std::string(error_of([&] { lost->request(); }).what()).find("cannot be read"), std::string::npos);
  EXPECT_STREQ(error_of([&] { workload_identity_source(application(), ""); }).what(),
               "workload identity needs the file of the federated token (AZURE_FEDERATED_TOKEN_FILE)");
  EXPECT_STREQ(error_of([&] {
                 source->parse({400, {}, R"({"error":"invalid_request"})"}, at(0));
               }).what(),
               "invalid_request: no token by workload identity of application 1234 in tenant "
               "contoso.example: HTTP status 400. Check tenant, client id and the federated credential of "
               "the application");
}

TEST(TokenTest, ManagedIdentityOfAMachine) {
  const auto source = managed_identity_source({}, "https://storage.azure.com/.default", environment({}));
  const HttpRequest request = source->request();
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.origin, "http://169.254.169.254");
  EXPECT_EQ(request.path, "/metadata/identity/oauth2/token");
  EXPECT_EQ(request.query, "api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com");
  EXPECT_EQ(request.headers.back(), (std::pair<std::string, std::string>{"Metadata", "true"}));

  EXPECT_TRUE(
      managed_identity_source("c/1", "r", environment({}))->request().query.ends_with("&client_id=c%2F1"));
  // Half of what App Service sets is not App Service.
  for (const char* half : {"IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "MSI_SECRET"}) {
    EXPECT_EQ(managed_identity_source({}, "r", environment({{half, "http://127.0.0.1:1"}}))->request().origin,
              "http://169.254.169.254")
        << half;
  }
  const auto pod = managed_identity_source(
      {}, "r", environment({{"AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://10.0.0.1:8/"}}));
  EXPECT_EQ(pod->request().origin, "http://10.0.0.1:8");
}

TEST(TokenTest, ManagedIdentityOfAppService) {
  const auto source =
      managed_identity_source("c", "r",
                              environment({{"IDENTITY_ENDPOINT", "http://127.0.0.1:41741/msi/token?x=1"},
                                           {"IDENTITY_HEADER", "key-of-app"}}));
  const HttpRequest request = source->request();
  EXPECT_EQ(request.origin, "http://127.0.0.1:41741");
  EXPECT_EQ(request.path, "/msi/token");
  EXPECT_EQ(request.query, "x=1&api-version=2019-08-01&resource=r&client_id=c");
  EXPECT_EQ(request.headers.back(), (std::pair<std::string, std::string>{"X-IDENTITY-HEADER", "key-of-app"}));
  const Error error = error_of([&] {
    source->parse({400, {}, R"({"statusCode":400,"message":"no identity for key-of-app"})"}, at(0));
  });
  EXPECT_STREQ(error.what(),
               "no token by managed identity of App Service: HTTP status 400, \"no identity for [hidden]\". "
               "Check that the "
               "app has the managed identity switched on");

  const auto old = managed_identity_source(
      "c", "r", environment({{"MSI_ENDPOINT", "http://127.0.0.1:1/m"}, {"MSI_SECRET", "s"}}));
  EXPECT_EQ(old->request().query, "api-version=2017-09-01&resource=r&clientid=c");
  EXPECT_EQ(old->request().headers.back().first, "secret");
  EXPECT_THROW(
      managed_identity_source({}, "r", environment({{"IDENTITY_ENDPOINT", "x"}, {"IMDS_ENDPOINT", "y"}})),
      Error);
}

TEST(TokenTest, AzureCliOutput) {
  const auto expiry = [](const std::string& members) {
    return seconds_of(
        parse_azure_cli_output("{\"accessToken\":\"t\"," + members + ",\"tokenType\":\"Bearer\"}")
            .expires_at);
  };
  EXPECT_EQ(expiry(R"("expiresOn":"2023-01-01 00:00:00.000000","expires_on":1700000000)"), 1700000000);
  EXPECT_EQ(expiry(R"("expires_on":"1700000000")"), 1700000000);
  const char* const before = getenv("TZ");
  const std::string zone = before == nullptr ? "" : before;
  for (const auto& [name, offset] : {std::pair{"UTC0", 0}, {"XYZ-2", -7200}, {"ABC5", 18000}}) {
    setenv("TZ", name, 1);
    tzset();
    EXPECT_EQ(expiry(R"("expiresOn":"2023-11-14 22:13:20.000000")"), 1700000000 + offset) << name;
    EXPECT_EQ(expiry(R"("expiresOn":"2023-11-14T22:13:20")"), 1700000000 + offset) << name;
  }
  before == nullptr ? unsetenv("TZ") : setenv("TZ", zone.c_str(), 1);
  tzset();
  EXPECT_STREQ(error_of([] { parse_azure_cli_output("Please log in"); }).what(),
               "what the Azure CLI printed is not the JSON of a token with accessToken");
  EXPECT_STREQ(error_of([] { parse_azure_cli_output(R"({"accessToken":"","expires_on":5})"); }).what(),
               "what the Azure CLI printed is not the JSON of a token with accessToken");
  for (const char* output :
       {R"({"accessToken":"secret-token"})", R"({"accessToken":"secret-token","expiresOn":"tomorrow"})",
        R"({"accessToken":"secret-token","expires_on":"soon"})"}) {
    EXPECT_STREQ(error_of([&] { parse_azure_cli_output(output); }).what(),
                 "what the Azure CLI printed does not say when the token expires")
        << output;
  }
  EXPECT_STREQ(
      error_of([] { parse_azure_cli_output(R"({"accessToken":"a\r\nx: y","expires_on":5})"); }).what(),
      "the token that the Azure CLI printed holds characters that no token has");
}

TEST(TokenTest, AzureCliIsRunWithoutAShell) {
  const auto run = [](const File& file, AzureCli cli) {
    cli.program = file.path();
    return azure_cli_source(std::move(cli))->fetch({}, at(0)).value;
  };
  const File echo(
      "#!/bin/sh\nprintf '{\"accessToken\":\"%s\",\"expires_on\":5}' \"$(echo \"$*\" | tr ' /:' '___')\"\n",
      true);
  const AzureCli plain{.program = "", .scope = "https://s/.default", .tenant = "", .interrupted = {}};
  EXPECT_EQ(run(echo, plain), "account_get-access-token_--output_json_--scope_https___s_.default");
  AzureCli full = plain;
  full.tenant = "t";
  EXPECT_TRUE(run(echo, full).ends_with("_--tenant_t"));

  const File refuses("#!/bin/sh\necho 'ERROR: Please run az login' >&2\nexit 1\n", true);
  EXPECT_STREQ(error_of([&] { run(refuses, plain); }).what(),
               "the Azure CLI gave no token: \"ERROR: Please run az login\". Try az login");

  const File silent("#!/bin/sh\nexit 1\n", true);
  EXPECT_STREQ(error_of([&] { run(silent, plain); }).what(), "the Azure CLI gave no token. Try az login");
  const File dies("#!/bin/sh\nkill -9 $$\n", true);
  EXPECT_STREQ(error_of([&] { run(dies, plain); }).what(), "the Azure CLI gave no token. Try az login");

  const File hangs("#!/bin/sh\nsleep 60 & wait\n", true);
  AzureCli hurried = plain;
  hurried.timeout = 200ms;
  EXPECT_NE(std::string(error_of([&] { run(hangs, hurried); }).what()).find("gave no token within 200 ms"),
            std::string::npos);
  // More is not kept than any token can have.
  const File talks("#!/bin/sh\nyes '{'\n", true);
  EXPECT_NE(std::string(error_of([&] { run(talks, hurried); }).what()).find("gave no token within 200 ms"),
            std::string::npos);
  int asked = 0;
  AzureCli interrupted = plain;
  interrupted.interrupted = [&] { return ++asked == 3; };
  EXPECT_STREQ(error_of([&] { run(hangs, interrupted); }).what(),
               "interrupted while the Azure CLI was getting a token");

  AzureCli missing = plain;
  missing.program = "no-such-program-az";
  EXPECT_NE(std::string(error_of([&] { azure_cli_source(missing)->fetch({}, at(0)); }).what())
                .find("cannot be run"),
            std::string::npos);
  AzureCli aimless = plain;
  aimless.scope.clear();
  EXPECT_STREQ(error_of([&] { azure_cli_source(aimless); }).what(), "a token of the Azure CLI needs a scope");
  AzureCli injected = plain;
  injected.tenant = "$(reboot)";
  EXPECT_THROW(azure_cli_source(injected), Error);
  injected.tenant = "--debug";
  EXPECT_THROW(azure_cli_source(injected), Error);
}

/// Hands out "token-1", "token-2", …, each good for an hour, or fails.
class CountingSource : public TokenSource {
 public:
  CountingSource(int& count, bool& failing) : count_(count), failing_(failing) {}
  Token fetch(const Exchanger&, WallTime now) const override {
    ++count_;
    if (failing_) throw Error(Error::Kind::storage, "", "no token");
    return {"token-" + std::to_string(count_), now + 1h};
  }

 private:
  int& count_;
  bool& failing_;
};

TEST(TokenTest, CacheRenewsInTime) {
  int count = 0;
  bool failing = false;
  WallTime now = at(1'000'000);
  TokenCache cache(std::make_unique<CountingSource>(count, failing), {}, [&] { return now; });
  EXPECT_EQ(cache.get(), "token-1");
  now += 54min;
  EXPECT_EQ(cache.get(), "token-1");
  now += 2min;  // less than five minutes are left
  EXPECT_EQ(cache.get(), "token-2");

  failing = true;
  now += 56min;
  EXPECT_EQ(cache.get(), "token-2") << "it still holds";
  EXPECT_EQ(cache.get(), "token-2");
  EXPECT_EQ(count, 3) << "no attempt for each request";
  now += 31s;
  EXPECT_EQ(cache.get(), "token-2");
  EXPECT_EQ(count, 4);
  now += 5min;
  EXPECT_THROW(cache.get(), Error);
  failing = false;
  EXPECT_EQ(cache.get(), "token-6");

  cache.reject("token-2");
  EXPECT_EQ(cache.get(), "token-6") << "that one was replaced long ago";
  cache.reject("token-6");
  EXPECT_EQ(cache.get(), "token-7");
}

}  // namespace
}  // namespace table_storage::backend::remote
