#include <gtest/gtest.h>

#include "extension/backend/remote/service_error.h"

namespace table_storage::backend::remote {
namespace {

const Clock::time_point kNow = Clock::from_time_t(1'704'067'200);  // Mon, 01 Jan 2024 00:00:00 GMT

HttpResponse answer(long status, std::string body, Headers headers = {}) {
  HttpResponse response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::move(body);
  return response;
}

std::string json(std::string_view code, std::string_view message) {
  return R"({"odata.error":{"code":")" + std::string(code) + R"(","message":{"lang":"en-US","value":")" +
         std::string(message) + R"("}}})";
}

TEST(RemoteServiceError, Json) {
  const ServiceError e = read_service_error(answer(
      409, json("EntityAlreadyExists", R"(3:The specified entity already exists.\nRequestId:0a\nTime:2024)"),
      {{"x-ms-request-id", "0a-b"}}));
  EXPECT_EQ(e.status, 409);
  EXPECT_EQ(e.code, "EntityAlreadyExists");
  EXPECT_EQ(e.message, "The specified entity already exists.");
  EXPECT_EQ(e.request_id, "0a-b");
  EXPECT_EQ(e.operation, 3u);
}

TEST(RemoteServiceError, IndexIsOptional) {
  EXPECT_EQ(read_service_error(answer(412, json("X", "The update condition failed."))).operation,
            std::nullopt);
  EXPECT_EQ(read_service_error(answer(400, json("X", "99:One of the inputs"))).operation, 99u);
  EXPECT_EQ(read_service_error(answer(400, json("X", ": odd"))).operation, std::nullopt);
  EXPECT_EQ(read_service_error(answer(400, json("X", "12345678901234567890:x"))).operation, std::nullopt);
  EXPECT_EQ(read_service_error(answer(400, json("X", "12"))).operation, std::nullopt);
  EXPECT_EQ(read_service_error(answer(400, json("X", "12 things"))).message, "12 things");
}

TEST(RemoteServiceError, XmlOfEveryShape) {
  const std::string_view ms = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";
  for (const std::string& body :
       {R"(<?xml version="1.0" encoding="utf-8"?><error xmlns=")" + std::string(ms) +
            R"("><code>AuthenticationFailed</code><message xml:lang="en-US">Server failed &amp; so on.
RequestId:1</message></error>)",
        "\xEF\xBB\xBF<?xml version=\"1.0\"?><m:error xmlns:m=\"" + std::string(ms) +
            "\"><m:code>AuthenticationFailed</m:code><m:message>Server failed &amp; so "
            "on.</m:message></m:error>",
        std::string("<?xml version=\"1.0\"?>\n<Error>\n <Code>AuthenticationFailed</Code>\n"
                    " <Message>Server failed &amp; so on.</Message>\n"
                    "<AuthenticationErrorDetail>sig=secret</AuthenticationErrorDetail></Error>")}) {
    const ServiceError e = read_service_error(answer(403, body));
    EXPECT_EQ(e.code, "AuthenticationFailed") << body;
    EXPECT_EQ(e.message, "Server failed & so on.") << body;
  }
}

TEST(RemoteServiceError, HeaderComesFirst) {
  EXPECT_EQ(service_code(answer(404, json("ResourceNotFound", "x"), {{"X-MS-Error-Code", "TableNotFound"}})),
            "TableNotFound");
  EXPECT_EQ(service_code(answer(404, json("ResourceNotFound", "x"))), "ResourceNotFound");
  EXPECT_EQ(service_code(answer(404, "")), "");
  EXPECT_EQ(read_service_error(answer(400, "", {{"x-ms-error-code", "no code <b>"}})).code, "");
  EXPECT_EQ(service_code(answer(404, json("ResourceNotFound", "x"), {{"x-ms-error-code", "<b>"}})),
            "ResourceNotFound");
  EXPECT_EQ(read_service_error(answer(400, json("A_1.b-2", "m"))).code, "A_1.b-2");
  EXPECT_EQ(read_service_error(answer(400, json(std::string(101, 'x'), "m"))).code, "");
}

TEST(RemoteServiceError, HtmlAndNothing) {
  const ServiceError html = read_service_error(answer(
      400,
      "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><HTML><HEAD><TITLE>Bad Request</TITLE></HEAD>"
      "<BODY><h2>Bad Request - Invalid URL</h2>\r\n<hr><p>HTTP Error 400. The request URL is "
      "invalid.</p></BODY></HTML>"));
  EXPECT_EQ(html.code, "");
  EXPECT_EQ(html.message,
            "Bad Request Bad Request - Invalid URL HTTP Error 400. The request URL is invalid.");
  EXPECT_EQ(read_service_error(answer(500, "")).message, "");
  EXPECT_EQ(read_service_error(answer(502, "upstream gone\nsecond")).message, "upstream gone");
}

TEST(RemoteServiceError, DamagedBodies) {
  EXPECT_EQ(read_service_error(answer(500, "{\"odata.error\":5}")).code, "");
  EXPECT_EQ(read_service_error(answer(500, "{\"odata.error\":{\"code\":5}}")).code, "");
  // Cut behind the code: it still counts.
  EXPECT_EQ(read_service_error(answer(403, "<Error><Code>AuthFailed</Code><Mess")).code, "AuthFailed");
  EXPECT_EQ(read_service_error(answer(500, std::string("\xff\xfe\x00 bad", 7))).status, 500);
  // Entities that multiply.
  EXPECT_EQ(
      read_service_error(answer(500, "<!DOCTYPE e [<!ENTITY a \"b\">]><error><code>&a;</code></error>")).code,
      "");
}

TEST(RemoteServiceError, EveryPrefixOfABody) {
  for (const std::string& body :
       {json("EntityAlreadyExists", R"(0:exists \u00e9 \ud83d\ude00.\nRequestId:x)"),
        std::string(
            "\xEF\xBB\xBF<?xml version=\"1.0\"?><m:error xmlns:m=\"x\"><m:code>A</m:code><m:message>B &lt; "
            "\xC3\xA9</m:message></m:error>"),
        std::string("<html><body><p>\xC3\xA9</p></body></html>")}) {
    for (std::size_t size = 0; size <= body.size(); ++size) {
      const std::string cut = body.substr(0, size);
      EXPECT_EQ(to_error(answer(500, cut), "asked", kNow).kind(), Error::Kind::storage);
    }
  }
}

// --- What a person reads ---

TEST(RemoteServiceError, Message) {
  const Error e =
      to_error(answer(404, json("TableNotFound", R"(The table specified does not exist.\nRequestId:1)"),
                      {{"x-ms-request-id", "7f"}}),
               "reading table Devices of server prod", kNow);
  EXPECT_EQ(e.kind(), Error::Kind::missing);
  EXPECT_EQ(e.code(), "TableNotFound");
  EXPECT_EQ(std::string(e.what()),
            "TableNotFound: reading table Devices of server prod: the service answered \"The table specified "
            "does not "
            "exist.\" (HTTP 404, request 7f); ts_create_table(server, table) makes the table");
}

TEST(RemoteServiceError, Kinds) {
  const std::vector<std::pair<long, Error::Kind>> kinds = {
      {404, Error::Kind::missing},     {409, Error::Kind::conflict}, {412, Error::Kind::precondition},
      {501, Error::Kind::unsupported}, {400, Error::Kind::invalid},  {413, Error::Kind::invalid},
      {414, Error::Kind::invalid},     {431, Error::Kind::invalid},  {401, Error::Kind::storage},
      {403, Error::Kind::storage},     {429, Error::Kind::storage},  {500, Error::Kind::storage},
      {503, Error::Kind::storage},     {302, Error::Kind::storage}};
  for (const auto& [status, kind] : kinds)
    EXPECT_EQ(to_error(answer(status, ""), "x", kNow).kind(), kind) << status;
}

TEST(RemoteServiceError, ClocksThatAreApart) {
  const auto message = [](std::string date) {
    return to_error(answer(403, json("AuthenticationFailed", "Server failed."), {{"Date", std::move(date)}}),
                    "x", kNow)
        .message();
  };
  EXPECT_NE(message("Mon, 01 Jan 2024 00:20:00 GMT").find("clock is 20 minutes behind the service's"),
            std::string::npos);
  EXPECT_NE(message("Sun, 31 Dec 2023 23:40:00 GMT").find("clock is 20 minutes ahead of the service's"),
            std::string::npos);
  EXPECT_NE(message("Mon, 01 Jan 2024 03:05:00 GMT").find("clock is 3 hours and 5 minutes behind"),
            std::string::npos);
  for (const char* near : {"Mon, 01 Jan 2024 00:04:00 GMT", "Sun, 31 Dec 2023 23:56:00 GMT", "nonsense"}) {
    EXPECT_EQ(message(near).find("clock"), std::string::npos);
    EXPECT_NE(message(near).find("check the account's name and its key"), std::string::npos);
  }
}

TEST(RemoteServiceError, Hints) {
  const auto message = [](long status, std::string_view code) {
    return to_error(answer(status, code.empty() ? "" : json(code, "m")), "x", kNow).message();
  };
  EXPECT_NE(message(403, "AuthorizationPermissionMismatch").find("sp=r"), std::string::npos);
  EXPECT_NE(message(403, "AuthorizationServiceMismatch").find("ss=t"), std::string::npos);
  EXPECT_NE(message(403, "AuthorizationResourceTypeMismatch").find("srt"), std::string::npos);
  EXPECT_NE(message(403, "Forbidden").find("sp=r"), std::string::npos);
  EXPECT_NE(message(403, "AuthorizationProtocolMismatch").find("https only"), std::string::npos);
  EXPECT_NE(message(403, "AuthorizationSourceIPMismatch").find("does not allow this address"),
            std::string::npos);
  EXPECT_NE(message(403, "AccountIsDisabled").find("the account is disabled"), std::string::npos);
  EXPECT_NE(message(401, "").find("credentials"), std::string::npos);
  EXPECT_NE(message(404, "").find("is the endpoint that of a table service?"), std::string::npos);
  EXPECT_NE(message(405, "").find("is the endpoint that of a table service?"), std::string::npos);
  EXPECT_NE(message(413, "RequestBodyTooLarge").find("fewer or smaller entities"), std::string::npos);
  EXPECT_NE(message(302, "").find("not followed"), std::string::npos);
  EXPECT_NE(message(414, "").find("too long"), std::string::npos);
  EXPECT_NE(message(431, "").find("too long"), std::string::npos);
  EXPECT_NE(message(409, "TableBeingDeleted").find("delete a table"), std::string::npos);
  EXPECT_NE(message(412, "UpdateConditionNotSatisfied").find("changed since"), std::string::npos);
  EXPECT_NE(message(503, "ServerBusy").find("busy"), std::string::npos);
  EXPECT_EQ(message(404, "ResourceNotFound"), "x: the service answered \"m\" (HTTP 404)");
}

TEST(RemoteServiceError, SecretsAreStruckOut) {
  EXPECT_EQ(without_secrets("see https://a/?sv=1&sig=abc%2Bd&x=1 and sig=zz"),
            "see https://a/?sv=1&sig=***&x=1 and sig=***");
  EXPECT_EQ(without_secrets("'SharedKey acct:AbC/+=' not Bearer eyJ0.x.y."),
            "'SharedKey ***' not Bearer ***");
  EXPECT_EQ(without_secrets("SIG=x; SharedKeyLite a:b"), "SIG=***; SharedKeyLite ***");
  EXPECT_EQ(without_secrets("nothing here"), "nothing here");
  EXPECT_EQ(without_secrets("sig= and sig=&x"), "sig= and sig=&x");
  const Error e =
      to_error(answer(400, json("InvalidInput", "bad request /t?sv=1&sig=SECRET%3D here")), "x", kNow);
  EXPECT_EQ(std::string_view(e.what()).find("SECRET"), std::string_view::npos);
}

TEST(RemoteServiceError, LongTextIsCut) {
  const Error e = to_error(answer(500, json("X", std::string(100'000, 'x'))), "asked", kNow);
  EXPECT_LT(e.message().size(), 600u);
  // A body that no service writes is not taken apart.
  const std::string padding(std::size_t{1} << 20, ' ');
  EXPECT_EQ(read_service_error(answer(500, padding + json("X", "m"))).code, "");
  EXPECT_EQ(read_service_error(answer(500, padding + "<Error><Code>X</Code></Error>")).code, "");
}

}  // namespace
}  // namespace table_storage::backend::remote
