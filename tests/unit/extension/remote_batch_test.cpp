#include <gtest/gtest.h>

#include <limits>

#include "extension/backend/remote/batch_body.h"
#include "extension/backend/remote/entity_body.h"
#include "extension/backend/remote/operation_request.h"
#include "parser/connection/url.h"
#include "parser/json/entity_json.h"

namespace table_storage::backend::remote {
namespace {

using edm::ValueView;

// Made on first use: the grammars of the parser are globals of another file.
const Endpoint& cloud() {
  static const Endpoint endpoint =
      make_endpoint(connection::parse_url("https://acct.table.core.windows.net", "x"));
  return endpoint;
}
const Endpoint& cosmos() {
  static const Endpoint endpoint =
      make_endpoint(connection::parse_url("https://acct.table.cosmos.azure.com", "x"));
  return endpoint;
}
const Endpoint& azurite() {
  static const Endpoint endpoint =
      make_endpoint(connection::parse_url("http://127.0.0.1:10002/devstoreaccount1", "x"));
  return endpoint;
}

Operation operation(OperationKind kind, std::string_view partition_key, std::string_view row_key,
                    std::vector<NamedValue> properties = {}, std::string_view if_match = "*") {
  Operation result;
  result.kind = kind;
  result.partition_key = partition_key;
  result.row_key = row_key;
  result.properties = std::move(properties);
  result.if_match = if_match;
  return result;
}

std::string header(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

// --- Entity bodies ---

TEST(RemoteEntityBody, TypesAndAnnotations) {
  const std::string guid("\xc9\xda\x64\x55\x21\x3d\x42\xc9\x9a\x79\x3e\x91\x49\xa5\x78\x33");
  EXPECT_EQ(
      insert_body("p\"", "r",
                  {{"s", ValueView::string("a\\b\n")},
                   {"i", ValueView::int32(-5)},
                   {"l", ValueView::int64(9'007'199'254'740'993)},
                   {"d", ValueView::real(2.0)},
                   {"n", ValueView::real(std::numeric_limits<double>::quiet_NaN())},
                   {"b", ValueView::boolean(true)},
                   {"t", ValueView::datetime(637'135'310'450'000'000)},
                   {"g", ValueView::guid(guid)},
                   {"x", ValueView::binary("\x01\x02\x03")},
                   {"gone", ValueView::missing()}}),
      R"({"PartitionKey":"p\"","RowKey":"r","s":"a\\b\n","i":-5,"l@odata.type":"Edm.Int64",)"
      R"("l":"9007199254740993","d@odata.type":"Edm.Double","d":2.0,"n@odata.type":"Edm.Double","n":"NaN",)"
      R"("b":true,"t@odata.type":"Edm.DateTime","t":"2020-01-02T03:04:05Z","g@odata.type":"Edm.Guid",)"
      R"("g":"c9da6455-213d-42c9-9a79-3e9149a57833","x@odata.type":"Edm.Binary","x":"AQID"})");
  EXPECT_EQ(update_body({}), "{}");
  EXPECT_EQ(update_body({{"d", ValueView::real(1e300)}}), R"({"d@odata.type":"Edm.Double","d":1e+300})");
  EXPECT_EQ(table_body("Devices"), R"({"TableName":"Devices"})");
  // What is written is read back the same.
  const auto read =
      json::parse_properties(update_body({{"d", ValueView::real(-0.0)}, {"i", ValueView::int32(0)}}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].second, edm::Value::real(-0.0));
  EXPECT_EQ(read[1].second, edm::Value::int32(0));
}

// --- Single operations ---

TEST(RemoteOperation, VerbsAndConditions) {
  const auto request = [](OperationKind kind, const Endpoint& endpoint = cloud()) {
    return operation_request(endpoint, "T",
                             operation(kind, "p", "r", {{"v", ValueView::int32(1)}}, "W/\"x\""));
  };
  const HttpRequest insert = request(OperationKind::insert);
  EXPECT_EQ(insert.method, "POST");
  EXPECT_EQ(insert.origin, "https://acct.table.core.windows.net");
  EXPECT_EQ(insert.path, "/T");
  EXPECT_EQ(header(insert, "Prefer"), "return-no-content");
  EXPECT_EQ(header(insert, "If-Match"), "(none)");
  EXPECT_EQ(insert.body, R"({"PartitionKey":"p","RowKey":"r","v":1})");

  const HttpRequest replace = request(OperationKind::replace);
  EXPECT_EQ(replace.method, "PUT");
  EXPECT_EQ(replace.path, "/T(PartitionKey='p',RowKey='r')");
  EXPECT_EQ(header(replace, "If-Match"), "W/\"x\"");
  EXPECT_EQ(header(replace, "Content-Type"), "application/json");
  EXPECT_EQ(replace.body, R"({"v":1})");

  // Without If-Match the same verbs are upserts.
  EXPECT_EQ(request(OperationKind::insert_or_replace).method, "PUT");
  EXPECT_EQ(header(request(OperationKind::insert_or_replace), "If-Match"), "(none)");
  EXPECT_EQ(request(OperationKind::insert_or_merge).method, "MERGE");
  EXPECT_EQ(header(request(OperationKind::insert_or_merge), "If-Match"), "(none)");
  EXPECT_EQ(request(OperationKind::merge).method, "MERGE");
  EXPECT_EQ(header(request(OperationKind::merge), "If-Match"), "W/\"x\"");

  const HttpRequest remove = request(OperationKind::remove);
  EXPECT_EQ(remove.method, "DELETE");
  EXPECT_EQ(remove.body, "");
  EXPECT_EQ(header(remove, "Content-Type"), "(none)");
  EXPECT_EQ(header(remove, "If-Match"), "W/\"x\"");
  // Mandatory for a delete.
  EXPECT_EQ(
      header(operation_request(cloud(), "T", operation(OperationKind::remove, "p", "r", {}, "")), "If-Match"),
      "*");

  const HttpRequest on_cosmos = request(OperationKind::merge, cosmos());
  EXPECT_EQ(on_cosmos.method, "POST");
  EXPECT_EQ(header(on_cosmos, "X-HTTP-Method"), "MERGE");
  EXPECT_EQ(request(OperationKind::merge, azurite()).path,
            "/devstoreaccount1/T(PartitionKey='p',RowKey='r')");
  EXPECT_EQ(header(insert, "Accept"), "application/json;odata=minimalmetadata");
}

TEST(RemoteOperation, EtagCannotAddLines) {
  const Operation merge = operation(OperationKind::merge, "p", "r", {}, "x\r\n\r\n--changeset_1");
  EXPECT_THROW(operation_request(cloud(), "T", merge), Error);
  EXPECT_THROW(BatchBody(cloud(), "T", "1").add(merge), Error);
}

// --- Batches ---

TEST(RemoteBatch, Body) {
  BatchBody batch(azurite(), "T", "1");
  const Operation insert = operation(OperationKind::insert, "p", "1");
  const Operation merge =
      operation(OperationKind::merge, "p", "it's", {{"v", ValueView::int32(1)}}, "W/\"x\"");
  const Operation remove = operation(OperationKind::remove, "p", "3");
  const std::size_t before = batch.size();
  const std::size_t cost = batch.add(insert);
  EXPECT_EQ(batch.size(), before + cost);
  batch.take_back(batch.add(merge));
  EXPECT_EQ(batch.size(), before + cost);
  batch.add(merge);
  batch.add(remove);
  EXPECT_EQ(batch.operations(), 3u);
  const std::size_t size = batch.size();
  const HttpRequest request = batch.finish();
  EXPECT_EQ(request.body.size(), size);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/devstoreaccount1/$batch");
  EXPECT_EQ(header(request, "Content-Type"), "multipart/mixed; boundary=batch_1");
  EXPECT_EQ(request.body,
            "--batch_1\r\n"
            "Content-Type: multipart/mixed; boundary=changeset_1\r\n"
            "\r\n"
            "--changeset_1\r\n"
            "Content-Type: application/http\r\n"
            "Content-Transfer-Encoding: binary\r\n"
            "\r\n"
            "POST http://127.0.0.1:10002/devstoreaccount1/T HTTP/1.1\r\n"
            "Accept: application/json;odata=minimalmetadata\r\n"
            "DataServiceVersion: 3.0\r\n"
            "Prefer: return-no-content\r\n"
            "Content-Type: application/json\r\n"
            "\r\n"
            "{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\r\n"
            "--changeset_1\r\n"
            "Content-Type: application/http\r\n"
            "Content-Transfer-Encoding: binary\r\n"
            "\r\n"
            "MERGE http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='p',RowKey='it''s') HTTP/1.1\r\n"
            "Accept: application/json;odata=minimalmetadata\r\n"
            "DataServiceVersion: 3.0\r\n"
            "Content-Type: application/json\r\n"
            "If-Match: W/\"x\"\r\n"
            "\r\n"
            "{\"v\":1}\r\n"
            "--changeset_1\r\n"
            "Content-Type: application/http\r\n"
            "Content-Transfer-Encoding: binary\r\n"
            "\r\n"
            "DELETE http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='p',RowKey='3') HTTP/1.1\r\n"
            "Accept: application/json;odata=minimalmetadata\r\n"
            "DataServiceVersion: 3.0\r\n"
            "If-Match: *\r\n"
            "\r\n"
            "\r\n"
            "--changeset_1--\r\n"
            "--batch_1--\r\n");
  // And again, from nothing.
  EXPECT_EQ(batch.operations(), 0u);
  EXPECT_EQ(batch.size(), before);
}

HttpResponse reply(std::string body, std::string type = "multipart/mixed; boundary=batchresponse_a",
                   long status = 202) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", std::move(type)}};
  response.body = std::move(body);
  return response;
}

const std::string kTwoParts =
    "--batchresponse_a\r\n"
    "Content-Type: multipart/mixed; boundary=changesetresponse_b\r\n"
    "\r\n"
    "--changesetresponse_b\r\n"
    "Content-Type: application/http\r\n"
    "Content-Transfer-Encoding: binary\r\n"
    "\r\n"
    "HTTP/1.1 204 No Content\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cache-Control: no-cache\r\n"
    "Preference-Applied: return-no-content\r\n"
    "DataServiceVersion: 3.0;\r\n"
    "Location: https://acct.table.core.windows.net/T(PartitionKey='p',RowKey='1')\r\n"
    "ETag: W/\"datetime'2017-10-02T20%3A21%3A52.4195114Z'\"\r\n"
    "\r\n"
    "\r\n"
    "--changesetresponse_b\r\n"
    "Content-Type: application/http\r\n"
    "Content-Transfer-Encoding: binary\r\n"
    "\r\n"
    "HTTP/1.1 204 No Content\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "DataServiceVersion: 1.0;\r\n"
    "\r\n"
    "\r\n"
    "--changesetresponse_b--\r\n"
    "--batchresponse_a--\r\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void expect_two_parts(const HttpResponse& response) {
  const BatchReply r = read_batch_reply(response, 2);
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.statuses, (std::vector<long>{204, 204}));
}

TEST(RemoteBatchReply, Success) { expect_two_parts(reply(kTwoParts)); }

TEST(RemoteBatchReply, SuccessInOtherClothes) {
  expect_two_parts(reply(replaced(kTwoParts, "\r\n", "\n")));
  // Cosmos: CRLF and LF mixed.
  expect_two_parts(reply(replaced(kTwoParts, "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 204 No Content\n")));
  expect_two_parts(reply(replaced(kTwoParts, "\r\n--", "\n--")));
  expect_two_parts(reply(kTwoParts, "multipart/mixed; boundary=\"batchresponse_a\""));
  expect_two_parts(reply(kTwoParts, "Multipart/Mixed; charset=utf-8; Boundary=batchresponse_a; x=y"));
  expect_two_parts(
      reply(replaced(kTwoParts, "boundary=changesetresponse_b", "boundary=\"changesetresponse_b\"")));
  expect_two_parts(reply("preamble\r\n" + kTwoParts + "epilogue"));
  // No final mark.
  expect_two_parts(reply(kTwoParts.substr(0, kTwoParts.find("--batchresponse_a--"))));
  expect_two_parts(reply(kTwoParts.substr(0, kTwoParts.find("--changesetresponse_b--"))));
  // One boundary begins like the other.
  expect_two_parts(reply(replaced(replaced(kTwoParts, "changesetresponse_b", "batchresponse_a2"), "x", "x")));
}

TEST(RemoteBatchReply, Failure) {
  const std::string body = replaced(
      "--batchresponse_a\n"
      "Content-Type: multipart/mixed; boundary=changesetresponse_b\n"
      "\n"
      "--changesetresponse_b\n"
      "Content-Type: application/http\n"
      "Content-Transfer-Encoding: binary\n"
      "\n"
      "HTTP/1.1 409 Conflict\n"
      "DataServiceVersion: 3.0;\n"
      "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\n"
      "\n"
      "{\"odata.error\":{\"code\":\"EntityAlreadyExists\",\"message\":{\"lang\":\"en-US\",\"value\":\"1:The "
      "specified "
      "entity already exists.\\nRequestId:x\"}}}\n"
      "--changesetresponse_b--\n"
      "--batchresponse_a--\n",
      "\n", "\r\n");
  const BatchReply r = read_batch_reply(reply(body), 2);
  ASSERT_TRUE(r.error);
  EXPECT_TRUE(r.statuses.empty());
  EXPECT_EQ(r.error->status, 409);
  EXPECT_EQ(r.error->code, "EntityAlreadyExists");
  EXPECT_EQ(r.error->operation, 1u);
  EXPECT_EQ(r.error->message, "The specified entity already exists.");
  ASSERT_TRUE(r.failed);
  EXPECT_EQ(to_error(*r.failed, "x", Clock::now()).kind(), Error::Kind::conflict);
  // Without a body, and cut in its headers.
  EXPECT_EQ(read_batch_reply(reply(body.substr(0, body.find("DataService"))), 2).error->status, 409);
  // A batch of one may leave the index out.
  EXPECT_EQ(read_batch_reply(reply(replaced(body, "1:The", "The")), 1).error->operation, std::nullopt);
}

TEST(RemoteBatchReply, FailureOutside) {
  HttpResponse response =
      reply(R"({"odata.error":{"code":"RequestBodyTooLarge","message":{"value":"too large"}}})",
            "application/json", 413);
  BatchReply r = read_batch_reply(response, 2);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->code, "RequestBodyTooLarge");
  EXPECT_EQ(r.error->status, 413);
  r = read_batch_reply(
      reply("<Error><Code>AuthorizationFailure</Code><Message>m</Message></Error>", "application/xml", 403),
      2);
  EXPECT_EQ(r.error->code, "AuthorizationFailure");
}

TEST(RemoteBatchReply, Damaged) {
  const auto fails = [](const HttpResponse& response, std::size_t operations) {
    try {
      read_batch_reply(response, operations);
      ADD_FAILURE() << response.body;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::storage);
      EXPECT_NE(error.message().find("damaged"), std::string::npos);
    }
  };
  fails(reply(kTwoParts), 3);
  fails(reply(kTwoParts), 1);
  fails(reply(""), 1);
  fails(reply(kTwoParts, "application/json"), 2);
  fails(reply(kTwoParts, "multipart/mixed"), 2);
  fails(reply(replaced(kTwoParts, "HTTP/1.1 204", "HTTP/1.1 abc")), 2);
  fails(reply(replaced(kTwoParts, "HTTP/1.1 204 No Content", "")), 2);
  fails(reply(replaced(kTwoParts, "HTTP/1.1 204", "HTTP/1.1 99")), 2);
  fails(reply(replaced(kTwoParts, "HTTP/1.1 204", "HTTP/1.1 600")), 2);
  fails(reply(replaced(kTwoParts, "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff",
                       "HTTP/1.1 409 Conflict\r\nno header")),
        2);
  std::string nested = "a";
  for (char outer = 'b'; outer < 'g'; ++outer) {
    const std::string inner(1, static_cast<char>(outer - 1));
    const std::string mark(1, outer);
    nested = "--" + mark + "\nContent-Type: multipart/mixed; boundary=" + inner + "\n\n" + nested + "\n--" +
             mark + "--\n";
  }
  fails(reply(nested, "multipart/mixed; boundary=f"), 1);
}

TEST(RemoteBatchReply, EveryPrefix) {
  for (std::size_t size = 0; size <= kTwoParts.size(); ++size) {
    try {
      const BatchReply r = read_batch_reply(reply(kTwoParts.substr(0, size)), 2);
      EXPECT_EQ(r.statuses.size(), 2u);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::storage);
    }
  }
}

}  // namespace
}  // namespace table_storage::backend::remote
