#include <gtest/gtest.h>

#include "extension/backend/remote/http_date.h"
#include "extension/backend/remote/sas.h"
#include "extension/backend/remote/signing.h"
#include "parser/connection/connection_string.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

using Scheme = SharedKey::Scheme;

constexpr std::string_view kDate = "Mon, 01 Jan 2024 00:00:00 GMT";

SharedKey development_key() {
  return SharedKey(std::string(connection::kDevelopmentAccount), connection::kDevelopmentKey);
}

std::string authorization(HttpRequest request, Scheme scheme) {
  development_key().sign(request, kDate, scheme);
  std::string date;
  std::string result;
  for (const auto& [name, value] : request.headers) {
    if (name == "x-ms-date") date = value;
    if (name == "Authorization") result = value;
  }
  EXPECT_EQ(date, kDate);
  return result;
}

HttpRequest request(std::string method, std::string path, std::string query = {}, Headers headers = {}) {
  HttpRequest r;
  r.method = std::move(method);
  r.origin = "http://127.0.0.1:10002";
  r.path = std::move(path);
  r.query = std::move(query);
  r.headers = std::move(headers);
  return r;
}

// The five vectors, each accepted by a service.
TEST(RemoteSigning, Vectors) {
  const HttpRequest query = request("GET", "/devstoreaccount1/mytable()", "$filter=PartitionKey%20eq%20'a'");
  EXPECT_EQ(authorization(query, Scheme::lite),
            "SharedKeyLite devstoreaccount1:lFCDejCFjS/75gYw7uZDqxs5cV7dpD++gcWayVaulBs=");
  EXPECT_EQ(authorization(query, Scheme::full),
            "SharedKey devstoreaccount1:mkOOxoNrAZNHja5Wu57H9Vs4fxh2RZTy7Jmvcw9G9f4=");
  const HttpRequest acl = request("GET", "/devstoreaccount1/mytable", "comp=acl");
  EXPECT_EQ(authorization(acl, Scheme::lite),
            "SharedKeyLite devstoreaccount1:PUrvxmJ2GtBBNViYjwJtolY0MF1AE9PgHCnYlPC/gRw=");
  EXPECT_EQ(authorization(acl, Scheme::full),
            "SharedKey devstoreaccount1:BWOQrFjyYoYfJAW3iZDOZjyGfsDvBFcgpXCnPAS8QVI=");
  const HttpRequest put = request("PUT", "/devstoreaccount1/mytable(PartitionKey='a%20b',RowKey='it''s')", "",
                                  {{"Content-Type", "application/json"}});
  EXPECT_EQ(authorization(put, Scheme::full),
            "SharedKey devstoreaccount1:Q68qeuWf4n2g0ufDYfstTr61Yjkx+AjrzW6N1cmWeLM=");
}

TEST(RemoteSigning, OnlyCompOfTheQueryIsSigned) {
  EXPECT_EQ(
      string_to_sign(request("GET", "/t", "restype=service&comp=properties&xcomp=1"), "a", "D", Scheme::full),
      "GET\n\n\nD\n/a/t?comp=properties");
  EXPECT_EQ(string_to_sign(request("GET", "/t", "xcomp=1&$top=5"), "a", "D", Scheme::lite), "D\n/a/t");
  EXPECT_EQ(string_to_sign(request("GET", ""), "a", "D", Scheme::lite), "D\n/a/");
}

TEST(RemoteSigning, HeadersWithoutCase) {
  EXPECT_EQ(
      string_to_sign(request("POST", "/t", "", {{"content-type", "application/json"}, {"CONTENT-MD5", "m"}}),
                     "a", "D", Scheme::full),
      "POST\nm\napplication/json\nD\n/a/t");
}

// A retry is signed with a new date.
TEST(RemoteSigning, SigningAgainReplaces) {
  HttpRequest r = request("GET", "/t");
  const SharedKey key = development_key();
  key.sign(r, "Mon, 01 Jan 2024 00:00:00 GMT");
  const std::string first = r.headers.back().second;
  key.sign(r, "Mon, 01 Jan 2024 00:00:01 GMT");
  ASSERT_EQ(r.headers.size(), 2u);
  EXPECT_EQ(r.headers[0].second, "Mon, 01 Jan 2024 00:00:01 GMT");
  EXPECT_NE(r.headers[1].second, first);
}

TEST(RemoteSigning, BadKeysAreNotShown) {
  for (const char* key : {"", "not base64 at all", "QUJD="}) {
    try {
      SharedKey("acct", key);
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::invalid);
      EXPECT_NE(error.message().find("acct"), std::string::npos);
      if (*key != 0) {
        EXPECT_EQ(error.message().find(key), std::string::npos);
      }
    }
  }
  EXPECT_THROW(SharedKey("", connection::kDevelopmentKey), Error);
}

// --- SAS ---

TEST(RemoteSas, TableVector) {
  TableSas sas;
  sas.table = "MyTable";  // signed in lower case
  sas.permissions = "raud";
  sas.expiry = "2099-01-01T00:00:00Z";
  EXPECT_EQ(make_sas(development_key(), sas),
            "sv=2019-02-02&tn=MyTable&sp=raud&se=2099-01-01T00%3A00%3A00Z&"
            "sig=N%2BAEqrA2n1DT65bJNJQ0xdFwjijjcdKRYIdVKIRz9X0%3D");
}

TEST(RemoteSas, AccountVector) {
  AccountSas sas;
  sas.expiry = "2099-01-01T00:00:00Z";
  sas.protocol = "https,http";
  EXPECT_EQ(make_sas(development_key(), sas),
            "sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2099-01-01T00%3A00%3A00Z&spr=https%2Chttp&"
            "sig=p8wax4aIU7vXZ8f8KX7TNwC%2B48Aw4AwSmVILNF1yni8%3D");
}

TEST(RemoteSas, EveryFieldIsSigned) {
  const SharedKey key = development_key();
  TableSas table;
  table.table = "t";
  std::vector<std::string> seen = {make_sas(key, table)};
  for (std::string TableSas::*field :
       {&TableSas::permissions, &TableSas::start, &TableSas::expiry, &TableSas::policy, &TableSas::ip,
        &TableSas::protocol, &TableSas::version, &TableSas::first_partition_key, &TableSas::first_row_key,
        &TableSas::last_partition_key, &TableSas::last_row_key}) {
    TableSas one = table;
    one.*field = "x";
    const std::string query = make_sas(key, one);
    const std::string signature = query.substr(query.find("sig="));
    for (const std::string& other : seen) EXPECT_EQ(other.find(signature), std::string::npos);
    seen.push_back(query);
  }
  AccountSas with_scope;
  with_scope.version = "2020-12-06";
  const std::string without = make_sas(key, with_scope);
  with_scope.encryption_scope = "s";
  EXPECT_NE(make_sas(key, with_scope).find("ses=s"), std::string::npos);
  EXPECT_NE(make_sas(key, with_scope).substr(without.find("sig=")), without.substr(without.find("sig=")));
}

TEST(RemoteSas, GoesBehindTheQuery) {
  HttpRequest r = request("GET", "/t");
  append_sas(r, "sv=1&sig=x");
  EXPECT_EQ(r.query, "sv=1&sig=x");
  r.query = "$top=1";
  append_sas(r, "sv=1&sig=x");
  EXPECT_EQ(r.query, "$top=1&sv=1&sig=x");
}

// --- Dates ---

TEST(RemoteHttpDate, BothWays) {
  using namespace std::chrono;
  const auto time = Clock::from_time_t(1'704'067'200);
  EXPECT_EQ(format_http_date(time), kDate);
  EXPECT_EQ(format_http_date(time + milliseconds(999)), kDate);
  EXPECT_EQ(format_http_date(Clock::from_time_t(951'827'696)), "Tue, 29 Feb 2000 12:34:56 GMT");
  for (const char* text :
       {"Mon, 01 Jan 2024 00:00:00 GMT", "Monday, 01-Jan-24 00:00:00 GMT", "Mon Jan  1 00:00:00 2024"}) {
    ASSERT_TRUE(parse_http_date(text)) << text;
    EXPECT_EQ(*parse_http_date(text), time) << text;
  }
  for (const char* text : {"", "120", "soon", "20240101", "99:99:99"})
    EXPECT_FALSE(parse_http_date(text)) << text;
}

}  // namespace
}  // namespace table_storage::backend::remote
