// Options of a server that say how it is talked to: from the text in SQL to what requests do.
#include <chrono>
#include <string>

#include "extension/catalog/server.h"
#include "tests/unit/extension/remote_fixture.h"

namespace table_storage::test {
namespace {

using ServiceOptions = RemoteTest;

TEST(ServiceOptionsText, EachGetsWhereItBelongs) {
  catalog::ServerDefinition definition;
  definition.name = "server s";
  for (const auto& [name, value] : {std::pair{"endpoint", "http://127.0.0.1:1/devstoreaccount1"},
                                    {"connect_timeout", "7"},
                                    {"request_timeout", "9"},
                                    {"max_retries", "5"},
                                    {"proxy", "http://127.0.0.1:2"},
                                    {"ca_file", "env:TABLE_STORAGE_TEST_CA"}}) {
    EXPECT_TRUE(catalog::is_service_option(name)) << name;
    EXPECT_TRUE(definition.set(name, value)) << name;
  }
  catalog::ServerContext context;
  context.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "TABLE_STORAGE_TEST_CA") return "/etc/ssl/certs/ca-certificates.crt";
    return std::nullopt;
  };
  // A way that is not TLS needs a mapping of this connection.
  definition.user_mapping = {{"account_key", "memory:1", true}};
  context.secrets = [](std::string_view) {
    return std::make_shared<const catalog::Secret>(std::string_view("c2VjcmV0"));
  };
  const auto options = catalog::open_service(definition, context)->options();
  EXPECT_EQ(options.transport.connect_timeout, std::chrono::seconds(7));
  EXPECT_EQ(options.transport.request_timeout, std::chrono::seconds(9));
  EXPECT_EQ(options.retry.max_retries, 5);
  EXPECT_EQ(options.transport.proxy, "http://127.0.0.1:2");
  EXPECT_EQ(options.transport.ca_file, "/etc/ssl/certs/ca-certificates.crt");
}

TEST_F(ServiceOptions, RequestTimeout) {
  put("r", 1);
  map("t", ", request_timeout '1', max_retries '0'");
  service_.add_fault({.action = Fault::Action::hang});
  const std::string error = db_.error("SELECT N FROM t");
  EXPECT_NE(error.find("reading table Things"), std::string::npos) << error;
  EXPECT_NE(error.find("timed out"), std::string::npos) << error;
  EXPECT_EQ(db_.value("SELECT N FROM t"), "1");
}

TEST_F(ServiceOptions, Concurrency) {
  std::string list;
  for (int i = 10; i < 30; ++i) {
    put("r", i, "k" + std::to_string(i));
    list += (list.empty() ? "'k" : ", 'k") + std::to_string(i) + "'";
  }
  map("one", ", concurrency '1'");
  const std::size_t before = service_.connections();
  EXPECT_EQ(db_.value("SELECT count(*) FROM one WHERE PartitionKey IN (" + list + ")"), "20");
  EXPECT_EQ(service_.request_count(), 20U);
  EXPECT_EQ(service_.connections() - before, 1U) << "one at a time needs no second connection";
}

}  // namespace
}  // namespace table_storage::test
