#include <gtest/gtest.h>

#include "parser/connection/connection_string.h"
#include "parser/error.h"

namespace table_storage::connection {
namespace {

const std::string kKey(kDevelopmentKey);
const std::string kSecretSas = "sv=2019-02-02&sp=raud&sig=N%2BAEqrA2n1DT65bJNJQ0xdFwjijjcdKRYIdVKIRz9X0%3D";

std::string error_of(std::string_view text) {
  try {
    parse_connection_string(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::invalid);
    return error.what();
  }
  return "";
}

void expect_error(std::string_view text, std::string_view part) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find(part), std::string::npos) << text << "\n-> " << error;
  for (const std::string_view secret : {"Eby8vdM02xNOcq", "AEqrA2n1DT65bJN", "GMGw=="}) {
    EXPECT_EQ(error.find(secret), std::string::npos) << error;
  }
}

// --- Shapes (a) to (f) ---

TEST(ConnectionString, DevelopmentStorage) {
  for (const char* text :
       {"UseDevelopmentStorage=true", "usedevelopmentstorage=true;", " UseDevelopmentStorage = true \n"}) {
    const ConnectionString c = parse_connection_string(text);
    EXPECT_TRUE(c.is_development);
    EXPECT_EQ(c.endpoint.origin(), "http://127.0.0.1:10002");
    EXPECT_EQ(c.endpoint.path, "/devstoreaccount1");
    EXPECT_EQ(c.account, "devstoreaccount1");
    EXPECT_EQ(c.account_key, kDevelopmentKey);
    EXPECT_EQ(c.sas, "");
  }
}

TEST(ConnectionString, DevelopmentStorageThroughProxy) {
  const ConnectionString c = parse_connection_string(
      "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=https://azurite.test:1234/");
  EXPECT_EQ(c.endpoint.origin(), "https://azurite.test:10002");
  EXPECT_EQ(c.endpoint.path, "/devstoreaccount1");
}

TEST(ConnectionString, AccountAndKey) {
  const ConnectionString c =
      parse_connection_string("DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=" + kKey);
  EXPECT_FALSE(c.is_development);
  EXPECT_EQ(c.endpoint.origin(), "https://acct.table.core.windows.net");
  EXPECT_EQ(c.endpoint.path, "");
  EXPECT_EQ(c.account, "acct");
  EXPECT_EQ(c.account_key, kKey);  // up to and with the == that the first = must not cut
}

TEST(ConnectionString, ProtocolAndSuffix) {
  EXPECT_EQ(parse_connection_string("AccountName=a;AccountKey=" + kKey).endpoint.scheme, "https");
  const ConnectionString c =
      parse_connection_string("defaultendpointsprotocol=HTTP;ACCOUNTNAME=a;accountkey=" + kKey +
                              ";EndpointSuffix=core.chinacloudapi.cn");
  EXPECT_EQ(c.endpoint.origin(), "http://a.table.core.chinacloudapi.cn");
}

TEST(ConnectionString, EndpointNameAndKey) {
  const ConnectionString cosmos =
      parse_connection_string("DefaultEndpointsProtocol=https;AccountName=A;AccountKey=" + kKey +
                              ";TableEndpoint=https://A.table.cosmos.azure.com:443/;");
  EXPECT_EQ(cosmos.endpoint.origin(), "https://a.table.cosmos.azure.com");
  EXPECT_EQ(cosmos.account, "A");
  const ConnectionString emulator = parse_connection_string(
      "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + kKey +
      ";BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;QueueEndpoint=http://127.0.0.1:10001/"
      "devstoreaccount1;"
      "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;");
  EXPECT_EQ(emulator.endpoint.origin(), "http://127.0.0.1:10002");
  EXPECT_EQ(emulator.endpoint.path, "/devstoreaccount1");
}

TEST(ConnectionString, EndpointAndSas) {
  for (const std::string mark : {"", "?"}) {
    const ConnectionString c = parse_connection_string(
        "BlobEndpoint=https://acct.blob.core.windows.net/;TableEndpoint=https://acct.table.core.windows.net/;"
        "SharedAccessSignature=" +
        mark + kSecretSas);
    EXPECT_EQ(c.endpoint.origin(), "https://acct.table.core.windows.net");
    EXPECT_EQ(c.endpoint.query, "");
    EXPECT_EQ(c.sas, kSecretSas);
    EXPECT_EQ(c.account, "");
    EXPECT_EQ(c.account_key, "");
  }
}

TEST(ConnectionString, SasInsideTheEndpoint) {
  EXPECT_EQ(parse_connection_string("TableEndpoint=https://acct.table.core.windows.net/?" + kSecretSas).sas,
            kSecretSas);
  // A query that is there already is kept in front.
  EXPECT_EQ(
      parse_connection_string("TableEndpoint=https://a.test/?x=1;SharedAccessSignature=?" + kSecretSas).sas,
      "x=1&" + kSecretSas);
}

TEST(ConnectionString, NameAndSas) {
  const ConnectionString c = parse_connection_string("AccountName=acct;SharedAccessSignature=" + kSecretSas +
                                                     ";EndpointSuffix=core.usgovcloudapi.net");
  EXPECT_EQ(c.endpoint.origin(), "https://acct.table.core.usgovcloudapi.net");
  EXPECT_EQ(c.sas, kSecretSas);
}

TEST(ConnectionString, EndpointAlone) {
  const ConnectionString c = parse_connection_string("TableEndpoint=https://acct.table.core.windows.net");
  EXPECT_EQ(c.endpoint.origin(), "https://acct.table.core.windows.net");
  EXPECT_EQ(c.sas + c.account_key + c.account, "");
}

// --- What it forgives ---

TEST(ConnectionString, EmptyPartsUnknownKeysAndBlanks) {
  const ConnectionString c =
      parse_connection_string(";;AccountName=acct; \r\n;AccountKey=" + kKey +
                              ";AccountKeyName=key1;Nonsense=;FileEndpoint=not a url;\n");
  EXPECT_EQ(c.account, "acct");
  EXPECT_EQ(c.account_key, kKey);
}

TEST(ConnectionString, SecondaryEndpointIsReadAndNotUsed) {
  const ConnectionString c = parse_connection_string(
      "TableEndpoint=https://a.table.test/;TableSecondaryEndpoint=https://a-secondary.table.test/"
      ";AccountName=a");
  EXPECT_EQ(c.endpoint.origin(), "https://a.table.test");
  expect_error("TableSecondaryEndpoint=https://a-secondary.table.test/", "needs TableEndpoint");
  expect_error("AccountName=a;AccountKey=" + kKey + ";TableSecondaryEndpoint=https://a-secondary.table.test/",
               "needs TableEndpoint");
}

// A decoded signature, pasted: a plus sign in a query would be read as a blank.
TEST(ConnectionString, PlusInASasIsEncoded) { EXPECT_EQ(parse_sas("?sv=1&sig=a+b/c="), "sv=1&sig=a%2Bb/c="); }

// --- What it refuses ---

TEST(ConnectionStringErrors, SayWhichKey) {
  expect_error("", "AccountName (or TableEndpoint) is missing");
  expect_error(";;", "AccountName (or TableEndpoint) is missing");
  expect_error("AccountName=a", "AccountKey or SharedAccessSignature is missing");
  expect_error("AccountKey=" + kKey, "AccountName (or TableEndpoint) is missing");
  expect_error("TableEndpoint=https://a.test;AccountKey=" + kKey, "AccountName is missing beside AccountKey");
  expect_error("AccountName=a;AccountKey=", "AccountKey has no value");
  expect_error("AccountName=a;AccountKey=not*base64", "AccountKey is not base64");
  expect_error("AccountName=a;AccountKey=" + kKey.substr(0, 40) + "x", "AccountKey is not base64");
  expect_error("AccountName=a;accountname=b;AccountKey=" + kKey, "AccountName stands there twice");
  expect_error("AccountName=a;AccountKey=" + kKey + ";AccountKey=" + kKey, "AccountKey stands there twice");
  expect_error("AccountName=a;X=1;x=2;AccountKey=" + kKey, "a name stands there twice");
  expect_error("AccountName=a;AccountKey=" + kKey + ";SharedAccessSignature=" + kSecretSas,
               "both AccountKey and a SAS");
  expect_error("TableEndpoint=https://a.test/?" + kSecretSas + ";SharedAccessSignature=" + kSecretSas,
               "two SAS");
  expect_error("AccountName=a;SharedAccessSignature=sv=1&sp=r", "signature (sig=…) is missing");
  expect_error("TableEndpoint=https://a.test/?x=1", "signature (sig=…) is missing");
  expect_error("AccountName=a;DefaultEndpointsProtocol=ftp;AccountKey=" + kKey, "takes https or http");
  expect_error("UseDevelopmentStorage=false", "takes only the value true");
  expect_error("UseDevelopmentStorage=True", "takes only the value true");
  expect_error("UseDevelopmentStorage=true;AccountName=a", "remove AccountName");
  expect_error("DevelopmentStorageProxyUri=http://x", "needs UseDevelopmentStorage=true");
  expect_error("AccountName=a;" + kKey.substr(0, 86), "part 2 is not of the form Name=value");
  expect_error("=x", "part 1 is not of the form Name=value");
  expect_error(kKey, "AccountName (or TableEndpoint) is missing");  // the key alone, read as an unknown name
}

TEST(ConnectionStringErrors, GuessAtMisspeltKeys) {
  expect_error("AcountName=a;AccountKey=" + kKey, "is AccountName meant?");
  expect_error("AccountName=a;AccountKye=" + kKey, "is AccountKey meant?");
}

// The host is where the credentials go.
TEST(ConnectionStringErrors, AccountNameCannotMoveTheHost) {
  for (const char* name :
       {"evil.test/", "evil.test:80", "x@evil.test", "evil.test?", "evil.test#", "a b", "ä"}) {
    expect_error(std::string("AccountName=") + name + ";AccountKey=" + kKey, "AccountName holds a character");
  }
  expect_error("AccountName=a;EndpointSuffix=evil.test/x;AccountKey=" + kKey, "EndpointSuffix");
  expect_error("AccountName=a;EndpointSuffix=x@evil.test;AccountKey=" + kKey, "EndpointSuffix is no address");
}

TEST(ConnectionStringErrors, NoLineBreakGetsIntoARequest) {
  expect_error("AccountName=a;SharedAccessSignature=sv=1\r\nX: y&sig=1", "percent-encoded");
  expect_error("TableEndpoint=https://a.test/x\r\ny;AccountName=a", "is no address");
}

// --- Addresses ---

TEST(EndpointUrl, Parts) {
  const Url url = parse_url("HTTPS://Acct.Table.Core.Windows.NET:8443/base/path//?a=b?c", "x");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "acct.table.core.windows.net");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.path, "/base/path");
  EXPECT_EQ(url.query, "a=b?c");
  EXPECT_EQ(url.origin(), "https://acct.table.core.windows.net:8443");
}

TEST(EndpointUrl, PortOfTheSchemeIsNone) {
  EXPECT_EQ(parse_url("https://a.test:443", "x").port, std::nullopt);
  EXPECT_EQ(parse_url("http://a.test:80/", "x").port, std::nullopt);
  EXPECT_EQ(parse_url("http://a.test:443", "x").port, 443);
  EXPECT_EQ(parse_url("http://a.test:00080", "x").port, std::nullopt);
}

TEST(EndpointUrl, Ipv6) {
  const Url url = parse_url("http://[::1]:10002/devstoreaccount1", "x");
  EXPECT_EQ(url.host, "::1");
  EXPECT_TRUE(url.is_ipv6());
  EXPECT_EQ(url.origin(), "http://[::1]:10002");
}

TEST(EndpointUrl, WithSas) {
  const ConnectionString c = parse_endpoint_url("https://acct.table.core.windows.net/?" + kSecretSas + "\n");
  EXPECT_EQ(c.endpoint.origin(), "https://acct.table.core.windows.net");
  EXPECT_EQ(c.endpoint.query, "");
  EXPECT_EQ(c.sas, kSecretSas);
  EXPECT_EQ(parse_endpoint_url("https://acct.table.core.windows.net?" + kSecretSas).sas, kSecretSas);
  EXPECT_EQ(parse_endpoint_url("https://acct.table.core.windows.net").sas, "");
}

TEST(EndpointUrl, Refused) {
  for (const char* text :
       {"", "acct.table.core.windows.net", "ftp://a.test", "https://", "https:///x", "https://user:pw@a.test",
        "https://a.test#f", "https://a.test:0", "https://a.test:65536",
        "https://a.test:", "https://a.test:999999", "https://[::1", "https://[]", "https://a.test/ü",
        "https://a b", "//a.test", "https//a.test", "https://a.test/\x01"}) {
    try {
      parse_url(text, "TableEndpoint");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::invalid);
      EXPECT_TRUE(std::string_view(error.what()).starts_with("TableEndpoint ")) << error.what();
      EXPECT_EQ(std::string_view(error.what()).find("pw"), std::string_view::npos);
    }
  }
}

// Whatever is cut off, the parser neither crashes nor tells a secret.
TEST(ConnectionString, EveryPrefix) {
  const std::string text =
      "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=" + kKey +
      ";TableEndpoint=http://[::1]:10002/devstoreaccount1;TableSecondaryEndpoint=http://b";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string error = error_of(std::string(text.substr(0, size)));
    EXPECT_EQ(error.find("Eby8"), std::string::npos);
  }
}

}  // namespace
}  // namespace table_storage::connection
