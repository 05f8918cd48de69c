// Bearer tokens on their way: asked of a token endpoint, put on requests over TLS, renewed when they are
// refused, and never waited for without end.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "extension/backend/remote/commit.h"
#include "extension/backend/remote/token_exchange.h"
#include "extension/catalog/server.h"
#include "extension/sqlite.h"
#include "tests/service/fake_service.h"
#include "tests/unit/extension/catalog_fixture.h"
#include "tests/unit/extension/tls_front.h"
#include "tests/unit/extension/token_endpoint.h"

namespace table_storage::backend::remote {
namespace {

using catalog::MappingOption;
using catalog::ServerContext;
using catalog::ServerDefinition;
using test::error_of;
using test::TokenEndpoint;

class TokenServiceTest : public ::testing::Test {
 protected:
  static fake::FakeOptions with_tokens() {
    fake::FakeOptions options;
    for (int i = 1; i <= 9; ++i) options.settings.bearer_tokens.push_back("token-" + std::to_string(i));
    return options;
  }

  TokenServiceTest() : service_(with_tokens()), front_(certificate_, service_.port()) {
    service_.create_table("Things");
    environment_["AZURE_AUTHORITY_HOST"] = tokens_.origin();
    environment_["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = tokens_.origin();
    environment_["AZURE_TENANT_ID"] = "contoso.example";
    environment_["AZURE_CLIENT_ID"] = "1234";
    environment_["AZURE_CLIENT_SECRET"] = "hunter2";
  }

  ServerContext context(Interrupted interrupted = {}) {
    ServerContext context;
    context.environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment_.find(std::string(name));
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    };
    context.interrupted = std::move(interrupted);
    return context;
  }

  std::shared_ptr<Service> open(const std::string& way, const std::string& option = "credential") {
    ServerDefinition definition;
    definition.name = "server cloud";
    definition.set("endpoint", front_.origin() + "/devstoreaccount1");
    definition.set("ca_file", certificate_.file());
    definition.set("max_retries", "0");
    definition.user_mapping = {{option, way, true}};
    return open_service(definition, context());
  }

  static HttpRequest query() {
    HttpRequest request;
    request.path = "/devstoreaccount1/Things()";
    return request;
  }
  static long status(Service& service) {
    return service.perform(query(), "reading table Things", Repeat::harmless).status;
  }

  std::string bearer(std::size_t request) const {
    const auto all = service_.requests();
    if (request >= all.size()) return "no request";
    const std::string* header = all[request].request.header("Authorization");
    return header == nullptr ? "none" : *header;
  }

  std::map<std::string, std::string> environment_;
  TokenEndpoint tokens_;
  fake::FakeService service_;
  test::Certificate certificate_;
  test::TlsFront front_;
};

TEST_F(TokenServiceTest, ClientSecret) {
  const auto service = open("client-secret");
  EXPECT_EQ(tokens_.requests().size(), 0U) << "nothing is asked for before it is needed";
  EXPECT_EQ(status(*service), 200);
  EXPECT_EQ(status(*service), 200);
  ASSERT_EQ(tokens_.requests().size(), 1U) << "a token is kept";
  EXPECT_EQ(tokens_.requests()[0].path, "/contoso.example/oauth2/v2.0/token");
  EXPECT_NE(tokens_.requests()[0].body.find("scope=https%3A%2F%2Fstorage.azure.com%2F.default"),
            std::string::npos);
  EXPECT_EQ(bearer(0), "Bearer token-1");
  EXPECT_EQ(bearer(1), "Bearer token-1");
  const auto requests = service_.requests();
  const std::string* version = requests[0].request.header("x-ms-version");
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(*version, "2020-12-06") << "the first that knows tokens";
  EXPECT_TRUE(service_.violations().empty());
}

TEST_F(TokenServiceTest, ManagedIdentityWorkloadIdentityAndDefault) {
  EXPECT_EQ(status(*open("managed-identity")), 200);
  ASSERT_EQ(tokens_.requests().size(), 1U);
  EXPECT_EQ(tokens_.requests()[0].path, "/metadata/identity/oauth2/token");
  EXPECT_NE(tokens_.requests()[0].query.find("resource=https%3A%2F%2Fstorage.azure.com"), std::string::npos);

  environment_["IDENTITY_ENDPOINT"] = tokens_.origin() + "/msi/token";
  environment_["IDENTITY_HEADER"] = "hunter2";
  EXPECT_EQ(status(*open("managed-identity")), 200);
  EXPECT_EQ(tokens_.requests().back().path, "/msi/token");

  const std::string file = ::testing::TempDir() + "federated_" + std::to_string(getpid());
  std::ofstream(file) << "assertion-of-the-platform\n";
  environment_["AZURE_FEDERATED_TOKEN_FILE"] = file;
  EXPECT_EQ(status(*open("workload-identity")), 200);
  EXPECT_NE(tokens_.requests().back().body.find("client_assertion=assertion-of-the-platform"),
            std::string::npos);
  std::remove(file.c_str());

  EXPECT_EQ(status(*open("default")), 200);
  EXPECT_NE(tokens_.requests().back().body.find("client_secret=hunter2"), std::string::npos);
  environment_.erase("AZURE_CLIENT_SECRET");
  environment_.erase("AZURE_FEDERATED_TOKEN_FILE");
  EXPECT_EQ(status(*open("default")), 200);
  EXPECT_EQ(tokens_.requests().back().path, "/msi/token");
}

TEST_F(TokenServiceTest, ATokenFromTheEnvironmentOrAFile) {
  environment_["TOKEN"] = "token-7";
  EXPECT_EQ(status(*open("env:TOKEN", "token")), 200);
  EXPECT_EQ(bearer(0), "Bearer token-7");
  // Whoever writes the file renews it: a token that is refused is read again.
  const std::string file = ::testing::TempDir() + "bearer_" + std::to_string(getpid());
  std::ofstream(file) << "token-of-yesterday\n";
  const auto service = open("file:" + file, "token");
  service_.forget_requests();
  EXPECT_NE(error_of([&] { status(*service); }).find("401"), std::string::npos);
  EXPECT_EQ(service_.requests().size(), 2U) << "once more, and no oftener";
  std::ofstream(file) << "token-8\n";
  EXPECT_EQ(status(*service), 200);
  std::remove(file.c_str());
  const std::string error = error_of([&] { status(*service); });
  EXPECT_EQ(error, "nothing") << "it is still good: " << error;
  // A token goes into a header as it is, so nothing may be in it that ends a line.
  environment_["TOKEN"] = "token-7\r\nx-ms-version: 1";
  const std::string refused = error_of([&] { status(*open("env:TOKEN", "token")); });
  EXPECT_NE(refused.find("is no bearer token: it holds characters that no token has"), std::string::npos)
      << refused;
  EXPECT_EQ(refused.find("token-7"), std::string::npos) << refused;
}

TEST_F(TokenServiceTest, ARefusedTokenIsRenewedOnce) {
  const auto service = open("client-secret");
  service_.configure([](fake::Settings& settings) { settings.bearer_tokens = {"token-2"}; });
  EXPECT_EQ(status(*service), 200);
  EXPECT_EQ(bearer(0), "Bearer token-1");
  EXPECT_EQ(bearer(1), "Bearer token-2");
  service_.configure([](fake::Settings& settings) { settings.bearer_tokens = {"none of these"}; });
  service_.forget_requests();
  const std::string error = error_of([&] { status(*service); });
  EXPECT_NE(error.find("reading table Things of server cloud"), std::string::npos) << error;
  EXPECT_NE(error.find("401"), std::string::npos) << error;
  EXPECT_EQ(error.find("token-"), std::string::npos) << error;
  EXPECT_EQ(service_.requests().size(), 2U);
  // Requests that are under way together renew it together.
  service_.configure([](fake::Settings& settings) { settings.bearer_tokens = {"token-4"}; });
  const std::size_t asked = tokens_.requests().size();
  auto first = service->start(query(), "one", Repeat::harmless);
  auto second = service->start(query(), "two", Repeat::harmless);
  EXPECT_EQ(first->get().status, 200);
  EXPECT_EQ(second->get().status, 200);
  EXPECT_EQ(tokens_.requests().size(), asked + 1);
}

TEST_F(TokenServiceTest, AWriteIsSentAgainAfterARefusal) {
  const auto service = open("client-secret");
  service_.configure([](fake::Settings& settings) { settings.bearer_tokens = {"token-2"}; });
  HttpRequest insert;
  insert.method = "POST";
  insert.path = "/devstoreaccount1/Things";
  insert.headers = {{"Content-Type", "application/json"},
                    {"Accept", "application/json;odata=minimalmetadata"},
                    {"Prefer", "return-no-content"}};
  insert.body = R"({"PartitionKey":"p","RowKey":"r"})";
  EXPECT_EQ(service->perform(insert, "writing", Repeat::harmful).status, 204);
  EXPECT_EQ(service_.size("Things"), 1U);
}

// What was sent before is told, although the error is about something that never got to the service.
TEST_F(TokenServiceTest, ATokenThatCannotBeRenewedInTheMiddleOfACommit) {
  tokens_.expires_in(1);
  const auto service = open("client-secret");
  service_.set_hook([this](const fake::Request& request) -> std::optional<fake::Answer> {
    if (request.method == "POST") {
      tokens_.busy(1000, 401);
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    }
    return std::nullopt;
  });
  WriteBuffer buffer;
  for (const char* partition : {"p", "q", "r"}) {
    Operation insert;
    insert.partition_key = partition;
    insert.row_key = "1";
    buffer.add("Things", insert, nullptr);
  }
  TableOptions options;
  options.concurrency = 1;
  const std::string error = error_of([&] { send_all(*service, "Things", options, buffer, {}); });
  EXPECT_EQ(error.find("temporarily_unavailable: COMMIT of 1 group and more of table Things: 1 group "
                       "(partition 'p') applied, and that stays; "
                       "the rest not sent; everything else of the transaction is rolled back"),
            0U)
      << error;
  EXPECT_EQ(service_.size("Things"), 1U);
  // Where nothing was sent, there is no more to say than why.
  const std::string at_once = error_of([&] { send_all(*service, "Things", options, buffer, {}); });
  EXPECT_EQ(at_once.find("temporarily_unavailable: writing table Things of server cloud"), 0U) << at_once;
}

TEST_F(TokenServiceTest, ABusyEndpointIsAskedAgain) {
  tokens_.busy(2, 503);
  EXPECT_EQ(status(*open("client-secret")), 200);
  EXPECT_EQ(tokens_.requests().size(), 3U);
  tokens_.busy(1, 410);  // while the metadata service is updated
  EXPECT_EQ(status(*open("managed-identity")), 200);
}

TEST_F(TokenServiceTest, ErrorsHaveNoSecret) {
  tokens_.busy(100, 401);
  const std::string error = error_of([&] { status(*open("client-secret")); });
  EXPECT_NE(error.find("temporarily_unavailable"), std::string::npos) << error;
  EXPECT_NE(error.find("reading table Things of server cloud"), std::string::npos) << error;
  EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
  environment_.erase("AZURE_TENANT_ID");
  EXPECT_NE(
      error_of([&] { open("client-secret"); }).find("needs tenant_id, or the environment AZURE_TENANT_ID"),
      std::string::npos);
  EXPECT_NE(error_of([&] { open("workload-identity"); }).find("AZURE_FEDERATED_TOKEN_FILE"),
            std::string::npos);
  EXPECT_EQ(service_.requests().size(), 0U) << "without a token nothing is asked";
}

TEST_F(TokenServiceTest, AnInterruptEndsTheWait) {
  tokens_.fall_silent();
  ServerDefinition definition;
  definition.name = "server cloud";
  definition.set("endpoint", front_.origin() + "/devstoreaccount1");
  definition.set("ca_file", certificate_.file());
  definition.user_mapping = {{"credential", "client-secret", true}};
  int asked = 0;
  const auto service = open_service(definition, context([&] { return ++asked > 2; }));
  const auto from = std::chrono::steady_clock::now();
  try {
    service->perform(query(), "reading table Things", Repeat::harmless);
    ADD_FAILURE() << "there is no token";
  } catch (const Error& error) {
    EXPECT_EQ(error.native_code(), SQLITE_INTERRUPT) << error.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(5));
}

TEST_F(TokenServiceTest, NoMetadataServiceIsFoundOutQuickly) {
  // Nobody listens on this port; elsewhere the connection would not be answered, within a second.
  environment_["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = "http://127.0.0.1:1";
  environment_.erase("AZURE_CLIENT_SECRET");
  const test::Variable path("PATH", "/nonexistent");  // no Azure CLI either
  const auto from = std::chrono::steady_clock::now();
  const std::string error = error_of([&] { status(*open("default")); });
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(5));
  EXPECT_NE(error.find("no way to sign in gave a token: no answer from http://127.0.0.1:1"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("the Azure CLI (az) cannot be run"), std::string::npos) << error;
}

TEST_F(TokenServiceTest, TheAzureCli) {
  const std::string folder = ::testing::TempDir() + "az_" + std::to_string(getpid());
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  const std::string program = folder + "/az";
  std::ofstream(program) << "#!/bin/sh\necho '{\"accessToken\":\"token-5\",\"expires_on\":9000000000}'\n";
  ASSERT_EQ(chmod(program.c_str(), 0755), 0);
  const test::Variable path("PATH", (folder + ":" + getenv("PATH")).c_str());
  EXPECT_EQ(status(*open("azure-cli")), 200);
  EXPECT_EQ(bearer(0), "Bearer token-5");
  std::remove(program.c_str());
  rmdir(folder.c_str());
}

}  // namespace
}  // namespace table_storage::backend::remote
