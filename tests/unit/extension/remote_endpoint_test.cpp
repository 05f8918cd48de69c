#include <gtest/gtest.h>

#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/endpoint.h"
#include "extension/backend/remote/url.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

Endpoint endpoint(std::string_view url, std::string_view account = {}) {
  return make_endpoint(connection::parse_url(url, "the endpoint"), account);
}

TEST(RemoteEndpoint, AccountFromHostOrPath) {
  EXPECT_EQ(endpoint("https://acct.table.core.windows.net").account, "acct");
  EXPECT_EQ(endpoint("https://acct-secondary.table.core.windows.net").account, "acct");
  EXPECT_EQ(endpoint("http://127.0.0.1:10002/devstoreaccount1").account, "devstoreaccount1");
  EXPECT_EQ(endpoint("http://127.0.0.1:10002/devstoreaccount1-secondary").account, "devstoreaccount1");
  EXPECT_EQ(endpoint("http://10.1.2.3:10002/other/x").account, "other");
  EXPECT_EQ(endpoint("http://[::1]:10002/devstoreaccount1").account, "devstoreaccount1");
  EXPECT_EQ(endpoint("http://localhost:10002/devstoreaccount1").account, "devstoreaccount1");
  EXPECT_EQ(endpoint("http://azurite:10002/devstoreaccount1").account, "devstoreaccount1");
  EXPECT_EQ(endpoint("http://acct.table.localhost:10002").account, "acct");
  EXPECT_EQ(endpoint("http://127.0.0.1:10002").account, "");
  EXPECT_EQ(endpoint("http://127.0.0.1:10002/x", "named").account, "named");
}

TEST(RemoteEndpoint, Dialect) {
  EXPECT_EQ(endpoint("https://acct.table.core.windows.net").dialect, Dialect::storage);
  EXPECT_EQ(endpoint("https://acct.table.core.chinacloudapi.cn").dialect, Dialect::storage);
  EXPECT_EQ(endpoint("https://acct.table.cosmos.azure.com:443/").dialect, Dialect::cosmos);
  EXPECT_EQ(endpoint("https://acct.table.cosmosdb.azure.com").dialect, Dialect::cosmos);
  EXPECT_EQ(endpoint("https://acct.table.cosmos.azure.us").dialect, Dialect::cosmos);
  EXPECT_EQ(endpoint("http://localhost:8902/").dialect, Dialect::cosmos);
  EXPECT_EQ(endpoint("http://127.0.0.1:10002/devstoreaccount1").dialect, Dialect::azurite);
  EXPECT_EQ(endpoint("http://acct.table.localhost:10002").dialect, Dialect::azurite);
  EXPECT_EQ(endpoint("http://azurite:10002/devstoreaccount1").dialect, Dialect::azurite);
  EXPECT_EQ(endpoint("http://127.0.0.1.evil.test/x").dialect, Dialect::storage);
  EXPECT_EQ(name_of(Dialect::cosmos), "cosmos");
}

TEST(RemoteEndpoint, Loopback) {
  for (const char* url :
       {"http://localhost", "http://LOCALHOST:1", "http://a.table.localhost", "http://127.0.0.1",
        "http://127.9.9.9", "http://[::1]", "http://[0:0:0:0:0:0:0:1]", "http://[::ffff:127.0.0.1]"}) {
    EXPECT_TRUE(endpoint(url).is_loopback()) << url;
  }
  for (const char* url :
       {"http://127.0.0.1.evil.test", "http://localhost.evil.test", "http://128.0.0.1", "http://[::2]",
        "http://evil-localhost", "http://[::ffff:10.0.0.1]", "http://0.0.0.0"}) {
    EXPECT_FALSE(endpoint(url).is_loopback()) << url;
  }
  EXPECT_TRUE(endpoint("https://a.test").is_secure());
  EXPECT_FALSE(endpoint("http://a.test").is_secure());
}

// --- Paths ---

TEST(RemoteUrl, Paths) {
  const Endpoint cloud = endpoint("https://acct.table.core.windows.net");
  EXPECT_EQ(table_path(cloud, "Devices"), "/Devices");
  EXPECT_EQ(query_path(cloud, "Devices"), "/Devices()");
  EXPECT_EQ(tables_path(cloud), "/Tables");
  EXPECT_EQ(tables_path(cloud, "Devices"), "/Tables('Devices')");
  EXPECT_EQ(batch_path(cloud), "/$batch");
  EXPECT_EQ(entity_path(cloud, "Devices", "p", "r"), "/Devices(PartitionKey='p',RowKey='r')");
  const Endpoint emulator = endpoint("http://127.0.0.1:10002/devstoreaccount1");
  EXPECT_EQ(query_path(emulator, "t"), "/devstoreaccount1/t()");
  EXPECT_EQ(entity_path(emulator, "mytable", "a b", "it's"),
            "/devstoreaccount1/mytable(PartitionKey='a%20b',RowKey='it''s')");
  EXPECT_EQ(batch_path(emulator), "/devstoreaccount1/$batch");
}

TEST(RemoteUrl, KeysOfEveryKind) {
  const auto key = [](std::string_view text) {
    std::string out;
    append_encoded_key(out, text);
    return out;
  };
  EXPECT_EQ(key("it's 100% +"), "it''s%20100%25%20%2B");  // the example of the protocol notes
  EXPECT_EQ(key(""), "");
  EXPECT_EQ(key("''"), "''''");
  EXPECT_EQ(key("AZaz09-._~"), "AZaz09-._~");  // ~ as %7E is another signature
  EXPECT_EQ(key("%41"), "%2541");
  EXPECT_EQ(key("a@b,c=d(e)&f;g:h!*$"), "a%40b%2Cc%3Dd%28e%29%26f%3Bg%3Ah%21%2A%24");
  EXPECT_EQ(key("é€😀"), "%C3%A9%E2%82%AC%F0%9F%98%80");
  EXPECT_EQ(key(" x "), "%20x%20");
  EXPECT_EQ(key(std::string_view("\0\x7f", 2)), "%00%7F");
}

TEST(RemoteUrl, QueryValues) {
  std::string query;
  add_parameter(query, "$filter", "Name eq 'O''Hara & co' and v gt 5");
  add_parameter(query, "$select", "a,b");
  EXPECT_EQ(query, "$filter=Name%20eq%20%27O%27%27Hara%20%26%20co%27%20and%20v%20gt%205&$select=a%2Cb");
  EXPECT_EQ(encoded("+#/?"), "%2B%23%2F%3F");
  HttpRequest request;
  request.origin = "http://h";
  request.path = "/t()";
  EXPECT_EQ(address_size(request), 12u);
  request.query = "a=b";
  EXPECT_EQ(address_size(request), 16u);
}

// --- Continuation ---

HttpResponse with(Headers headers) {
  HttpResponse response;
  response.status = 200;
  response.headers = std::move(headers);
  return response;
}

TEST(RemoteContinuation, TokensGoBackAsTheyCame) {
  const auto c = continuation_of(with({{"X-MS-Continuation-NextPartitionKey", "1!16!cGs4MDEwMTZlOA--"},
                                       {"x-ms-continuation-nextrowkey", "1!4!YS+/"}}));
  ASSERT_TRUE(c);
  std::string query = "$top=5";
  add_continuation(query, *c);
  EXPECT_EQ(query, "$top=5&NextPartitionKey=1%2116%21cGs4MDEwMTZlOA--&NextRowKey=1%214%21YS%2B%2F");
}

// "NextRowKey=" is refused by the service, and its absence is not the end.
TEST(RemoteContinuation, HalfATokenIsAToken) {
  for (const Headers& headers :
       {Headers{{"x-ms-continuation-NextPartitionKey", "p"}},
        Headers{{"x-ms-continuation-NextPartitionKey", "p"}, {"x-ms-continuation-NextRowKey", ""}}}) {
    const auto c = continuation_of(with(headers));
    ASSERT_TRUE(c);
    std::string query;
    add_continuation(query, *c);
    EXPECT_EQ(query, "NextPartitionKey=p");
  }
}

TEST(RemoteContinuation, CosmosAndAzurite) {
  const auto cosmos = continuation_of(
      with({{"x-ms-continuation-NextPartitionKey", R"({"token":"+RID:~x","range":{"min":"","max":"FF"}})"},
            {"x-ms-continuation-NextRowKey", "NA"}}));
  ASSERT_TRUE(cosmos);
  std::string query;
  add_continuation(query, *cosmos);
  EXPECT_EQ(query,
            "NextPartitionKey=%7B%22token%22%3A%22%2BRID%3A~x%22%2C%22range%22%3A%7B%22min%22%3A%22%22%2C%"
            "22max%22%3A"
            "%22FF%22%7D%7D&NextRowKey=NA");
  // The token is the key in base64, and the partition's key is empty.
  const auto azurite = continuation_of(
      with({{"x-ms-continuation-NextPartitionKey", ""}, {"x-ms-continuation-NextRowKey", "cg=="}}));
  ASSERT_TRUE(azurite);
  query.clear();
  add_continuation(query, *azurite);
  EXPECT_EQ(query, "NextPartitionKey=&NextRowKey=cg%3D%3D");
}

TEST(RemoteContinuation, None) {
  EXPECT_FALSE(continuation_of(with({})));
  EXPECT_FALSE(continuation_of(with({{"x-ms-continuation-NextPartitionKey", ""}})));
  EXPECT_FALSE(table_continuation_of(with({})));
  EXPECT_EQ(table_continuation_of(with({{"x-ms-continuation-NextTableName", "1!8!dGFi"}})), "1!8!dGFi");
  std::string query;
  add_table_continuation(query, "1!8!dGFi");
  EXPECT_EQ(query, "NextTableName=1%218%21dGFi");
}

// A service that sends us round in a circle is told from one that has nothing new yet.
TEST(RemoteContinuation, CirclesAreNoticed) {
  const auto place = [](int i) { return Continuation{"p" + std::to_string(i), std::nullopt}; };
  for (const int circle : {1, 2, 3, 7, 100}) {
    for (const int tail : {0, 1, 5, 64}) {
      ContinuationChain chain;
      int i = 0;
      try {
        for (; i < 2000; ++i) chain.add(place(i < tail ? -1 - i : i % circle), 10, "reading table T");
        ADD_FAILURE() << "a circle of " << circle << " behind " << tail;
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("reading table T: ")) << error.what();
        EXPECT_LE(i, 4 * (circle + tail + 1));
      }
    }
  }
  ContinuationChain patient;
  for (int i = 0; i < 50; ++i) patient.add(place(1), 0, "");
  for (int i = 0; i < 100'000; ++i) patient.add(place(i + 2), i % 2 == 0 ? 0 : 1, "");
  EXPECT_THROW(for (int i = 0; i < 300'000; ++i) patient.add(place(1), 0, ""), Error);
}

}  // namespace
}  // namespace table_storage::backend::remote
