#include "tests/service/protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "extension/backend/limits.h"
#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"
#include "tests/service/protocol_call.h"

namespace table_storage::fake {
namespace {

using backend::OperationKind;

constexpr std::string_view kHtmlPage =
    "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"\"http://www.w3.org/TR/html4/strict.dtd\">\r\n"
    "<HTML><HEAD><TITLE>Bad Request</TITLE></HEAD>\r\n<BODY><h2>Bad Request - Invalid URL</h2>\r\n"
    "<hr><p>HTTP Error 400. The request URL is invalid.</p>\r\n</BODY></HTML>\r\n";

/// A path or a request without the path style's first segment.
std::string without_account(const std::string& path, const Settings& settings) {
  if (!settings.path_style) return path;
  const std::string prefix = "/" + settings.account;
  if (path == prefix) return "/";
  if (!path.starts_with(prefix + "/"))
    throw Refusal{400, "InvalidUri", "The requested URI does not represent any resource on the server."};
  return path.substr(prefix.size());
}

}  // namespace

Refusal refusal_of(const Error& error) {
  const int status = error.kind() == Error::Kind::invalid       ? 400
                     : error.kind() == Error::Kind::unsupported ? 501
                                                                : 500;
  return {status, error.code(), error.message()};
}

Body parse_body(const std::string& text) {
  Body body;
  for (auto& [name, value] : json::parse_properties(text)) {
    const bool partition = name == "PartitionKey";
    if (partition || name == "RowKey") {
      if (value.type() != edm::Type::String) bad_input("The property '" + name + "' must be a string.");
      (partition ? body.partition : body.row) = std::string(value.view().bytes());
    } else if (name != "Timestamp") {  // what a client sends there is not looked at
      body.properties.emplace_back(name, std::move(value));
    }
  }
  return body;
}

std::string Protocol::base() const {
  return "http://" + host_ + (settings.path_style ? "/" + settings.account : std::string());
}

void Protocol::violate(const Request& request, const std::string& what) {
  constexpr std::size_t kMost = 1000;
  if (violations.size() < kMost)
    violations.push_back(std::to_string(request.number) + " " + request.method + " " + request.path + ": " +
                         what);
}

Answer Protocol::error(const Refusal& refusal) const {
  Answer answer;
  if (refusal.status == 0) {
    answer.status = 400;
    answer.body = kHtmlPage;
    answer.headers = {{"Content-Type", "text/html; charset=us-ascii"}, {"Server", "Microsoft-HTTPAPI/2.0"}};
    answer.close = true;
    return answer;
  }
  std::array<char, 40> id{};
  std::snprintf(id.data(), id.size(), "7f4b4bd6-0002-0000-0000-%012zx", request_id_);
  answer.status = refusal.status;
  answer.body = render_error(refusal, settings.personality, id.data());
  const Metadata level = settings.personality == Personality::cosmos ? Metadata::full : Metadata::minimal;
  answer.headers = {{"Content-Type", content_type(level, settings.personality)}};
  if (refusal.status == 401)
    answer.headers.emplace_back("WWW-Authenticate",
                                "Bearer authorization_uri=https://login.microsoftonline.com/"
                                "72f988bf-0000-0000-0000-2d7cd011db47/oauth2/authorize "
                                "resource_id=https://storage.azure.com");
  return answer;
}

Answer Protocol::answer(const Request& request) {
  ++request_id_;
  const std::string* const host = request.header("Host");
  host_ = host == nullptr ? "127.0.0.1" : *host;
  Answer answer;
  try {
    answer = dispatch(request);
  } catch (const Refusal& refusal) {
    answer = error(refusal);
  } catch (const Error& e) {
    answer = error(refusal_of(e));
  }
  answer.clock_offset = settings.clock_offset;
  if (answer.close) return answer;  // the front end's page has nothing of this
  std::array<char, 40> id{};
  std::snprintf(id.data(), id.size(), "7f4b4bd6-0002-0000-0000-%012zx", request_id_);
  answer.headers.emplace_back("Cache-Control", "no-cache");
  answer.headers.emplace_back("Server", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0");
  answer.headers.emplace_back("x-ms-request-id", id.data());
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (settings.personality == Personality::storage) {
    if (const std::string* version = request.header("x-ms-version"))
      answer.headers.emplace_back("x-ms-version", *version);
  }
  if (const std::string* client_id = request.header("x-ms-client-request-id"))
    answer.headers.emplace_back("x-ms-client-request-id", *client_id);
  return answer;
}

// What the protocol demands of every request; parts of a batch have headers of their own.
void Protocol::check_headers(const Request& request) {
  if (request.header("Expect") != nullptr) violate(request, "Expect was sent");
  const std::string* const version = request.header("x-ms-version");
  if (version == nullptr) {
    violate(request, "x-ms-version is missing");
    throw Refusal{400, "MissingRequiredHeader",
                  "An HTTP header that's mandatory for this request is not specified."};
  }
  const bool shaped = version->size() == 10 && (*version)[4] == '-' && (*version)[7] == '-';
  if (!shaped || *version < "2013-08-15") {
    violate(request, "x-ms-version " + *version + " does not know JSON");
    throw Refusal{400, "InvalidHeaderValue",
                  "The value for one of the HTTP headers is not in the correct format."};
  }
  const bool has_date = request.header("x-ms-date") != nullptr || request.header("Date") != nullptr;
  if (request.header("Authorization") != nullptr && !has_date) violate(request, "x-ms-date is missing");
  if (request.method != "GET" && request.method != "DELETE" && request.header("Content-Length") == nullptr) {
    violate(request, "Content-Length is missing");
    throw Refusal{411, "MissingContentLengthHeader", "The Content-Length header was not specified."};
  }
  constexpr std::size_t kLargest = 4 * 1024 * 1024;
  if (request.body.size() > (settings.personality == Personality::cosmos ? kLargest / 2 : kLargest))
    throw Refusal{413, "RequestBodyTooLarge",
                  "The request body is too large and exceeds the maximum permissible limit."};
}

Protocol::Call Protocol::call_of(const Request& request, bool in_batch) {
  Call call;
  call.request = &request;
  call.in_batch = in_batch;
  call.resource = parse_path(without_account(request.path, settings));
  call.parameters = parse_query(request.query);
  call.method = request.method;
  if (const std::string* tunnelled = request.header("X-HTTP-Method")) {
    if (request.method != "POST")
      throw Refusal{400, "XMethodNotUsingPost",
                    "The request uses X-HTTP-Method with an HTTP verb other than POST."};
    call.method = *tunnelled;
    if (call.method != "MERGE" && call.method != "PUT" && call.method != "DELETE" && call.method != "PATCH")
      throw Refusal{400, "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid."};
  } else if (settings.personality == Personality::cosmos &&
             (call.method == "MERGE" || call.method == "PATCH")) {
    throw Refusal{405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."};
  }
  if (call.method == "PATCH") call.method = "MERGE";
  return call;
}

void Protocol::check_access(const Request& request, const Call& call) const {
  if (!settings.check_authorization) return;
  Access access{lower_case(call.resource.table), "", 'o'};
  using Kind = Resource::Kind;
  if (call.resource.kind == Kind::tables || call.resource.kind == Kind::table) {
    access.table.clear();
    access.resource_type = call.resource.kind == Kind::tables && call.method == "GET" ? 's' : 'c';
    access.permissions = call.method == "GET" ? "r" : call.method == "DELETE" ? "d" : "a";
  } else if (call.resource.kind != Kind::batch) {
    const bool upsert =
        (call.method == "PUT" || call.method == "MERGE") && request.header("If-Match") == nullptr;
    access.permissions = call.method == "GET"      ? "r"
                         : call.method == "POST"   ? "a"
                         : call.method == "DELETE" ? "d"
                         : upsert                  ? "au"
                                                   : "u";
  }
  authorise(request, {settings.account, settings.key, settings.bearer_tokens}, access,
            std::chrono::system_clock::now() + settings.clock_offset);
}

Answer Protocol::dispatch(const Request& request) {
  check_headers(request);
  Call call = call_of(request, false);
  check_access(request, call);
  if (call.resource.kind == Resource::Kind::batch) return batch(request);
  const std::string* accept = request.header("Accept");
  const std::string* const format = call.parameter("$format");
  const auto metadata = parse_accept(format != nullptr ? *format : accept == nullptr ? "" : *accept);
  if (!metadata) {
    violate(request, "Accept is not application/json");
    throw Refusal{415, "AtomFormatNotSupported", "Atom format is not supported."};
  }
  call.metadata = *metadata;
  return execute(call);
}

Answer Protocol::execute(const Call& call) {
  const Request& request = *call.request;
  if (!request.body.empty()) {
    const std::string* const type = request.header("Content-Type");
    if (type == nullptr || !type->starts_with("application/json")) {
      violate(request, "a body whose Content-Type is not application/json");
      if (type == nullptr)
        throw Refusal{400, "PropertiesNeedValue",
                      "The values are not specified for all properties in the entity."};
      throw Refusal{415, "AtomFormatNotSupported", "Atom format is not supported."};
    }
  }
  if (request.header("If-None-Match") != nullptr && call.method != "GET") {
    violate(request, "If-None-Match on a write");
    bad_input();
  }
  if (call.parameter("$select") != nullptr &&
      (request.header("DataServiceVersion") == nullptr || request.header("MaxDataServiceVersion") == nullptr))
    violate(request, "$select without DataServiceVersion and MaxDataServiceVersion");
  for (const auto& [name, value] : call.parameters) {
    constexpr std::array kKnown{"$filter", "$select", "$top", "$format"};
    if (name.starts_with('$') && std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
      violate(request, "the query option " + name + " is not one of the service's");
  }
  switch (call.resource.kind) {
    case Resource::Kind::tables:
      return tables(call);
    case Resource::Kind::table:
      return one_table(call);
    case Resource::Kind::entities:
      if (call.method == "GET") return query(call);
      if (call.method == "POST") return change(call);
      break;
    case Resource::Kind::entity:
      if (call.method == "GET") return point(call);
      if (call.method != "POST") return change(call);
      break;
    case Resource::Kind::service:
    case Resource::Kind::batch:
      throw Refusal{501, "NotImplemented",
                    "The requested operation is not implemented on the specified resource."};
  }
  throw Refusal{405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."};
}

Answer Protocol::json(int status, const Call& call, std::string body) const {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  answer.headers = {{"Content-Type", content_type(call.metadata, settings.personality)}};
  return answer;
}

Rendering Protocol::rendering(const Call& call, const std::string& table) const {
  Rendering how{call.metadata, settings.personality, base(), settings.account, table, std::nullopt};
  if (const std::string* const select = call.parameter("$select"); select != nullptr && !select->empty()) {
    how.select.emplace();
    std::string_view rest = *select;
    for (;;) {
      const std::size_t comma = rest.find(',');
      std::string_view name = rest.substr(0, comma);
      while (name.starts_with(' ')) name.remove_prefix(1);
      while (name.ends_with(' ')) name.remove_suffix(1);
      if (name == "*") {
        how.select.reset();
        return how;
      }
      if (name.empty()) bad_input();
      how.select->emplace_back(name);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    constexpr std::size_t kMostNames = 255;
    if (how.select->size() > kMostNames) bad_input();
  }
  return how;
}

namespace {

std::size_t parse_top(const std::string* text, Personality personality) {
  constexpr int kMost = 1000;
  if (text == nullptr) return kMost;
  const auto top = edm::parse_int32(*text);
  if (!top || *top < 0 || (*top > kMost && personality == Personality::storage)) bad_input();
  return static_cast<std::size_t>(*top);
}

std::optional<odata::Filter> parse_filter_option(const std::string* text) {
  if (text == nullptr || text->empty()) return std::nullopt;
  return odata::parse_filter(*text);
}

}  // namespace

Answer Protocol::tables(const Call& call) {
  if (call.method == "POST") {
    const Body body = parse_body(call.request->body);
    const auto name = std::find_if(body.properties.begin(), body.properties.end(),
                                   [](const auto& property) { return property.first == "TableName"; });
    if (name == body.properties.end() || name->second.type() != edm::Type::String)
      throw Refusal{400, "PropertiesNeedValue",
                    "The values are not specified for all properties in the entity."};
    const std::string table(name->second.view().bytes());
    store.create_table(table);
    const std::string location = base() + "/Tables('" + table + "')";
    Answer answer;
    if (call.prefers_no_content()) {
      answer.status = 204;
      answer.headers = {{"Preference-Applied", "return-no-content"}};
    } else {
      std::string text = "{";
      if (call.metadata != Metadata::none)
        text += R"("odata.metadata":")" + base() + R"(/$metadata#Tables/@Element",)";
      answer = json(201, call, text + R"("TableName":")" + table + "\"}");
    }
    answer.headers.emplace_back("Location", location);
    return answer;
  }
  if (call.method != "GET")
    throw Refusal{405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."};

  // A store of names, so that filters work on TableName as on any property.
  Table names{"Tables", Rows(KeyOrder{Personality::storage})};
  for (const auto& [lower, table] : store.tables())
    names.rows[{lower, ""}].properties = {{"TableName", edm::Value::string(table.name)}};
  Query query;
  query.filter = parse_filter_option(call.parameter("$filter"));
  query.top = parse_top(call.parameter("$top"), settings.personality);
  if (const std::string* const token = call.parameter("NextTableName")) {
    const auto name = decode_token(*token);
    if (!name) bad_input();
    query.from = Key{name->substr(0, name->find('\x01')), ""};
  }
  Paging paging = settings.paging;
  paging.partition_pages = paging.trailing_empty_page = false;
  const Page page = store.query(names, query, paging);
  std::string text = "{";
  if (call.metadata != Metadata::none) text += R"("odata.metadata":")" + base() + R"(/$metadata#Tables",)";
  text += R"("value":[)";
  for (const auto& row : page.rows) {
    if (text.back() != '[') text += ',';
    text += R"({"TableName":")" + std::string(row->second.properties.front().second.view().bytes()) + "\"}";
  }
  Answer answer = json(200, call, text + "]}");
  if (page.next)
    answer.headers.emplace_back("x-ms-continuation-NextTableName",
                                encode_token(page.next->partition + "\x01" + "08d50a8e5a8b1a00"));
  return answer;
}

Answer Protocol::one_table(const Call& call) {
  const std::string& name = call.resource.table;
  if (call.method == "DELETE") {
    store.drop_table(name, settings.deletion_time);
    Answer answer;
    answer.status = 204;
    return answer;
  }
  if (call.method != "GET")
    throw Refusal{405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."};
  const Table* const table = store.find_table(name);
  if (table == nullptr) throw Refusal{404, "ResourceNotFound", "The specified resource does not exist."};
  std::string text = "{";
  if (call.metadata != Metadata::none)
    text += R"("odata.metadata":")" + base() + R"(/$metadata#Tables/@Element",)";
  return json(200, call, text + R"("TableName":")" + table->name + "\"}");
}

Answer Protocol::query(const Call& call) {
  Table& table = store.table(call.resource.table);
  Query query;
  query.filter = parse_filter_option(call.parameter("$filter"));
  query.top = parse_top(call.parameter("$top"), settings.personality);
  const std::string* const partition = call.parameter("NextPartitionKey");
  const std::string* const row = call.parameter("NextRowKey");
  if ((row != nullptr && row->empty()) || (partition != nullptr && partition->empty()) ||
      (row != nullptr && partition == nullptr)) {
    violate(*call.request, "an empty or half continuation token");
    bad_input();
  }
  if (partition != nullptr && settings.personality == Personality::cosmos) {
    const auto key = decode_cosmos_token(*partition);
    if (!key || row == nullptr || *row != "NA") bad_input();
    query.from = key;
  } else if (partition != nullptr) {
    const auto from = decode_token(*partition);
    const auto from_row = row == nullptr ? std::optional<std::string>("") : decode_token(*row);
    if (!from || !from_row) bad_input();
    query.from = Key{*from, *from_row};
  }
  const Rendering how = rendering(call, table.name);
  const Page page = store.query(table, query, settings.paging);
  Answer answer = json(200, call, render_page(how, page));
  answer.chunked = settings.chunked_pages;
  if (page.next && settings.personality == Personality::cosmos) {
    answer.headers.emplace_back("x-ms-continuation-NextPartitionKey", encode_cosmos_token(*page.next));
    answer.headers.emplace_back("x-ms-continuation-NextRowKey", "NA");
  } else if (page.next) {
    answer.headers.emplace_back("x-ms-continuation-NextPartitionKey", encode_token(page.next->partition));
    if (page.next_has_row)
      answer.headers.emplace_back("x-ms-continuation-NextRowKey", encode_token(page.next->row));
  }
  return answer;
}

Answer Protocol::point(const Call& call) {
  const Key& key = call.resource.key;
  backend::check_key("PartitionKey", key.partition);
  backend::check_key("RowKey", key.row);
  const Table& table = store.table(call.resource.table);
  const auto at = table.rows.find(key);
  if (at == table.rows.end())
    throw Refusal{404, "ResourceNotFound", "The specified resource does not exist."};
  Answer answer = json(200, call, render_entity(rendering(call, table.name), at->first, at->second));
  answer.headers.emplace_back("ETag", at->second.etag);
  return answer;
}

Answer Protocol::change(const Call& call) {
  const Request& request = *call.request;
  const std::string* const if_match = request.header("If-Match");
  Change change;
  if (if_match != nullptr) change.if_match = *if_match;
  if (call.method == "POST") {
    Body body = parse_body(request.body);
    if (!body.partition || !body.row)
      throw Refusal{400, "PropertiesNeedValue",
                    "The values are not specified for all properties in the entity."};
    change.key = {*body.partition, *body.row};
    change.properties = std::move(body.properties);
  } else {
    change.key = call.resource.key;
    if (call.method == "PUT" || call.method == "MERGE") {
      Body body = parse_body(request.body);
      if ((body.partition && *body.partition != change.key.partition) ||
          (body.row && *body.row != change.key.row)) {
        violate(request, "the keys of the body are not those of the URL");
        bad_input();
      }
      change.properties = std::move(body.properties);
      const bool put = call.method == "PUT";
      change.kind = if_match != nullptr
                        ? (put ? OperationKind::replace : OperationKind::merge)
                        : (put ? OperationKind::insert_or_replace : OperationKind::insert_or_merge);
    } else if (call.method == "DELETE") {
      if (if_match == nullptr) {
        violate(request, "DELETE without If-Match");
        throw Refusal{400, "MissingRequiredHeader",
                      "An HTTP header that's mandatory for this request is not specified."};
      }
      change.kind = OperationKind::remove;
    } else {
      throw Refusal{405, "MethodNotAllowed",
                    "The requested method is not allowed on the specified resource."};
    }
  }
  // The service looks at the keys' characters before it looks for the table.
  backend::check_key("PartitionKey", change.key.partition);
  backend::check_key("RowKey", change.key.row);
  Table& table = store.table(call.resource.table);
  const Entity entity = store.apply(table, change);

  Answer answer;
  answer.status = 204;
  if (change.kind == OperationKind::insert) {
    if (call.prefers_no_content()) {
      answer.headers = {{"Preference-Applied", "return-no-content"}};
    } else {
      Rendering how = rendering(call, table.name);
      answer = json(201, call, render_entity(how, change.key, entity));
    }
    const std::string url = base() + "/" + entity_path(table.name, change.key);
    answer.headers.emplace_back("Location", url);
    answer.headers.emplace_back("DataServiceId", url);
  }
  if (!entity.etag.empty()) answer.headers.emplace_back("ETag", entity.etag);
  return answer;
}

}  // namespace table_storage::fake
