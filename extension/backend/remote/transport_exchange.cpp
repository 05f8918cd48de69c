#include "extension/backend/remote/transport_exchange.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "parser/error.h"

// CURLOPT_PREREQFUNCTION is the only way to keep libcurl from sending a request twice.
static_assert(LIBCURL_VERSION_NUM >= 0x075000, "libcurl 7.80 or newer is needed");

namespace table_storage::backend::remote {
namespace {

constexpr long kReceiveBuffer = 64L * 1024;                  // pages have hundreds of kilobytes
constexpr std::size_t kLargestUsual = std::size_t{4} << 20;  // set aside at most before it is known to come

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool has_header(const Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return equal_without_case(header.first, name); });
}

// Host of "scheme://host:port", brackets of an IPv6 address included.
std::string_view host_of(std::string_view origin) {
  origin.remove_prefix(std::min(origin.find("://") + 3, origin.size()));
  const std::size_t from = origin.starts_with('[') ? origin.find(']') : 0;
  return origin.substr(0, origin.find_first_of(":/", from == std::string_view::npos ? 0 : from));
}

/// Whether libcurl may find a proxy in the environment.
bool environment_has_proxy() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    if (is_set(name)) return true;
  }
  return false;
}

bool is_link_local(std::string_view host) { return host.starts_with("169.254."); }

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "[::1]" || equal_without_case(host, "localhost") ||
         (host.size() > 10 && equal_without_case(host.substr(host.size() - 10), ".localhost"));
}

constexpr std::array<bool, 256> kTokenCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = ' ' + 1; c < 0x7F; ++c) table[c] = true;
  for (const char c : std::string_view("\"(),/:;<=>?@[\\]{}")) table[static_cast<unsigned char>(c)] = false;
  return table;
}();

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; });
}

bool breaks_line(std::string_view text) {
  bool found = false;
  for (const char c : text) found |= c == '\r' || c == '\n' || c == '\0';
  return found;
}

// 0 means no limit to libcurl, and no transfer may be without one.
template <class Duration>
long at_least_one(Duration duration) {
  return std::max<long>(1, static_cast<long>(duration.count()));
}

}  // namespace

void initialise_curl() {
  static std::once_flag once;
  std::call_once(once, [] {
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK)
      throw Error(Error::Kind::storage, "", std::string("libcurl cannot start: ") + curl_easy_strerror(code));
  });
}

void check_request(const HttpRequest& request) {
  // Without a way out of the loop, which lets the compiler take many characters at a time.
  const auto printable = [](std::string_view text) {
    bool all = true;
    for (const char c : text) all &= c > ' ' && c < 0x7F;
    return all;
  };
  const std::string& origin = request.origin;
  if (!(origin.starts_with("https://") || origin.starts_with("http://")) || host_of(origin).empty() ||
      !printable(origin))
    refuse("an endpoint must be of the form https://host or http://host:port");
  if (origin.find_first_of("/?#@", origin.find("://") + 3) != std::string::npos)
    refuse("an endpoint's scheme, host and port may be followed by a path only, and hold no user name");
  if (!is_token(request.method)) refuse("an HTTP method must be a word of letters");
  // Never shown: the query may hold a signature.
  const auto has = [](const std::string& text, char c) { return text.find(c) != std::string::npos; };
  if (!request.path.starts_with('/') || !printable(request.path) || !printable(request.query) ||
      has(request.path, '?') || has(request.path, '#') || has(request.query, '#'))
    refuse("the path or the query of a request is not percent-encoded");
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) refuse("a header of a request has no proper name");
    // A line break would let a value, such as an ETag that someone else stored, add headers.
    if (breaks_line(value)) refuse("the header " + name + " of a request holds a line break");
  }
}

Exchange::Exchange(const TransportOptions& options) : options_(options), curl_(curl_easy_init()) {
  if (!curl_) throw std::bad_alloc();
  set_constants();
}

/// What is the same for every request; setting it each time would cost as much as a small request itself.
void Exchange::set_constants() {
  CURL* const curl = handle();
  curl_easy_setopt(curl, CURLOPT_PRIVATE, this);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, kReceiveBuffer);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);  // a name that is being looked up does not delay cancelling
#endif
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options_.ca_file.empty()) set_text(CURLOPT_CAINFO, options_.ca_file.c_str());
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, at_least_one(options_.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, at_least_one(options_.stall_timeout));
  curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (options_.counters) {
    // A connection keeps these from the exchange that opened it, and goes with its transport at the latest.
    curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, &Exchange::on_socket);
    curl_easy_setopt(curl, CURLOPT_SOCKOPTDATA, options_.counters.get());
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, &Exchange::on_close);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, options_.counters.get());
  }
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Exchange::on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Exchange::on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &Exchange::on_request);
  curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

/// libcurl copies the text of an option and forgets the old one first. A request must not go out without it:
/// it would be another request.
void Exchange::set_text(CURLoption option, const char* text) const {
  if (curl_easy_setopt(handle(), option, text) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

void Exchange::prepare(HttpRequest request, Delivery& delivery) {
  abandon();
  request_ = std::move(request);
  response_.body = std::move(delivery.buffer);
  response_.body.clear();
  CURL* const curl = handle();
  error_[0] = '\0';
  const auto timeout =
      std::min(delivery.timeout.value_or(options_.request_timeout), options_.request_timeout);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, at_least_one(timeout));
  constexpr long kUsualAge = 118;  // libcurl's own
  curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN,
                   delivery.fresh_connection ? static_cast<long>(kFresh.count()) : kUsualAge);
  set_route();
  set_address();
  set_method();
  set_headers();
}

/// libcurl takes longer to take a long URL apart and to print it again than a service in the same machine
/// takes to answer. What stands in the request line is known here, so libcurl gets it beside a short URL,
/// except where a proxy may want the whole.
void Exchange::set_address() {
  target_.assign(request_.path);
  if (!request_.query.empty()) target_.append("?").append(request_.query);
  const bool direct = routed_directly_ || (options_.proxy.empty() && !environment_has_proxy());
  std::string url = request_.origin;
  url += direct ? "/" : target_;
  set_text(CURLOPT_REQUEST_TARGET, direct ? target_.c_str() : nullptr);
  if (url == url_) return;
  set_text(CURLOPT_URL, url.c_str());
  url_ = std::move(url);
}

void Exchange::set_route() {
  if (routed_to_ == request_.origin) return;
  const std::string_view host = host_of(request_.origin);
  routed_directly_ = is_link_local(host) || (is_loopback(host) && options_.proxy.empty());
  const char* proxy = nullptr;  // what the environment says
  const char* no_proxy = nullptr;
  if (routed_directly_) {
    proxy = "";  // the empty text switches the environment off too
  } else if (!options_.proxy.empty()) {
    proxy = options_.proxy.c_str();
    no_proxy = "";  // the option wins over the environment's exceptions
  }
  set_text(CURLOPT_PROXY, proxy);
  set_text(CURLOPT_NOPROXY, no_proxy);
  routed_to_ = request_.origin;
}

void Exchange::set_method() {
  CURL* const curl = handle();
  const std::string& method = request_.method;
  const bool takes_body = method == "POST" || method == "PUT" || method == "MERGE" || method == "PATCH";
  if (takes_body || !request_.body.empty()) {
    // Without a body this sends Content-Length: 0, which the service demands.
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request_.body.data());
  } else {
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
  }
  set_text(CURLOPT_CUSTOMREQUEST, method.c_str());
}

void Exchange::add_header(const std::string& line) {
  curl_slist* const extended = curl_slist_append(headers_.get(), line.c_str());
  if (extended == nullptr) throw std::bad_alloc();
  static_cast<void>(headers_.release());  // part of the extended list
  headers_.reset(extended);
}

void Exchange::set_headers() {
  headers_.reset();
  bool has_agent = false;
  for (const auto& [name, value] : request_.headers) {
    // "Name:" would remove the header; "Name;" is libcurl's word for an empty one.
    line_.assign(name).append(value.empty() ? ";" : ": ").append(value);
    add_header(line_);
    has_agent = has_agent || equal_without_case(name, "User-Agent");
  }
  // What libcurl would add by itself, and must not; without a body that is Accept alone.
  const auto leave_out = [this](const char* name) {
    if (!has_header(request_.headers, name)) add_header(line_.assign(name).append(":"));
  };
  leave_out("Accept");
  if (request_.method != "GET" || !request_.body.empty()) {
    leave_out("Expect");
    leave_out("Content-Type");
  }
  curl_easy_setopt(handle(), CURLOPT_HTTPHEADER, headers_.get());
  const char* const agent = options_.user_agent.empty() ? "table_storage" : options_.user_agent.c_str();
  set_text(CURLOPT_USERAGENT, has_agent ? nullptr : agent);
}

TransferResult Exchange::finish(CURLcode code) noexcept {
  try {
    return result(code);
  } catch (const std::bad_alloc&) {
    const bool sent = times_sent_ > 0;
    abandon();
    return TransferFailure::no_memory(sent ? TransferFailure::Kind::lost_answer
                                           : TransferFailure::Kind::connect);
  }
}

TransferResult Exchange::result(CURLcode code) {
  if (code != CURLE_OK) {
    TransferFailure failed = failure(code);
    abandon();
    return failed;
  }
  curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &response_.status);
  curl_off_t microseconds = 0;
  curl_easy_getinfo(handle(), CURLINFO_TOTAL_TIME_T, &microseconds);
  response_.took = std::chrono::microseconds(microseconds);
  curl_off_t sent = 0;
  curl_easy_getinfo(handle(), CURLINFO_PRETRANSFER_TIME_T, &sent);
  curl_easy_getinfo(handle(), CURLINFO_STARTTRANSFER_TIME_T, &microseconds);
  response_.answered_in = std::chrono::microseconds(std::max<curl_off_t>(microseconds - sent, 0));
  response_.received = response_.body.size();
  const std::size_t padded = response_.body.size() + Transport::kBodyPadding;
  usual_size_ = std::min(padded + padded / 8, kLargestUsual);
  if (response_.body.capacity() < padded) response_.body.reserve(padded);
  HttpResponse answer = std::move(response_);
  abandon();
  return answer;
}

void Exchange::abandon() noexcept {
  request_ = {};
  response_ = {};
  headers_.reset();
  too_large_ = false;
  out_of_memory_ = false;
  times_sent_ = 0;
}

TransferFailure Exchange::failure(CURLcode code) const {
  using Kind = TransferFailure::Kind;
  if (code == CURLE_ABORTED_BY_CALLBACK && times_sent_ > 1)
    return {Kind::dead_reused, "the kept-alive connection was closed before an answer came"};
  if (code == CURLE_OUT_OF_MEMORY || out_of_memory_)
    return TransferFailure::no_memory(times_sent_ == 0 ? Kind::connect : Kind::lost_answer);
  if (too_large_)
    return {Kind::lost_answer,
            "the answer is larger than " + std::to_string(options_.largest_answer) + " bytes"};

  long opened = 0;
  curl_easy_getinfo(handle(), CURLINFO_NUM_CONNECTS, &opened);
  const bool answered = response_.status != 0 || !response_.headers.empty() || !response_.body.empty();
  const bool broken = code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
  Kind kind = Kind::lost_answer;
  if (times_sent_ == 0) {
    long system_error = 0;
    curl_easy_getinfo(handle(), CURLINFO_OS_ERRNO, &system_error);
    const bool refused = code == CURLE_COULDNT_CONNECT && system_error == ECONNREFUSED;
    kind = refused || code == CURLE_COULDNT_RESOLVE_HOST ? Kind::unreachable : Kind::connect;
  } else if (broken && opened == 0 && !answered) {
    kind = Kind::dead_reused;
  }
  std::string reason = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
  // No text of libcurl's holds the query today. It may hold a signature, so do not rely on that.
  if (!request_.query.empty() && reason.find(request_.query) != std::string::npos)
    reason = curl_easy_strerror(code);
  while (!reason.empty() && (reason.back() == '\n' || reason.back() == '.')) reason.pop_back();
  return {kind, std::move(reason)};
}

std::size_t Exchange::on_header(char* data, std::size_t size, std::size_t count, void* self) try {
  auto& response = static_cast<Exchange*>(self)->response_;
  std::string_view line(data, size * count);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  const std::size_t colon = line.find(':');
  if (line.starts_with("HTTP/") && (colon == std::string_view::npos || colon > line.find(' '))) {
    response.headers.clear();  // of an interim answer (1xx) before this one
    response.status = 1;       // an answer has begun; which one libcurl tells at the end
    return size * count;
  }
  if (colon == std::string_view::npos) return size * count;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  response.headers.emplace_back(line.substr(0, colon), value);
  return size * count;
} catch (...) {
  static_cast<Exchange*>(self)->out_of_memory_ = true;
  return 0;
}

std::size_t Exchange::on_body(char* data, std::size_t size, std::size_t count, void* self) try {
  auto& exchange = *static_cast<Exchange*>(self);
  std::string& body = exchange.response_.body;
  const std::size_t length = size * count;
  if (body.size() + length > exchange.options_.largest_answer) {
    exchange.too_large_ = true;
    return 0;
  }
  if (body.empty()) {
    curl_off_t announced = 0;
    curl_easy_getinfo(exchange.handle(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    // Believed up to a limit: the number is only what the other side says.
    constexpr curl_off_t kBelieved = curl_off_t{8} << 20;
    if (announced > 0)
      body.reserve(static_cast<std::size_t>(std::min(announced, kBelieved)) + Transport::kBodyPadding);
    else if (length * 2 > static_cast<std::size_t>(kReceiveBuffer))  // the first of several pieces, as a rule
      body.reserve(std::max(length * 4, exchange.usual_size_));
  } else if (body.size() + length > body.capacity()) {
    // Pages come without a length and are about as large as the one before.
    body.reserve(std::max(body.size() * 2, exchange.usual_size_) + length);
  }
  body.append(data, length);
  return length;
} catch (...) {
  static_cast<Exchange*>(self)->out_of_memory_ = true;
  return 0;
}

// Called each time before the request is written. A second time means that libcurl found the kept-alive
// connection closed and is about to send the request again on another one.
int Exchange::on_request(void* self, char*, char*, int, int) {
  auto& exchange = *static_cast<Exchange*>(self);
  if (++exchange.times_sent_ > 1) return CURL_PREREQFUNC_ABORT;
  if (exchange.options_.counters) ++exchange.options_.counters->requests;
  return CURL_PREREQFUNC_OK;
}

int Exchange::on_socket(void* counters, curl_socket_t, curlsocktype) {
  ++static_cast<TransportCounters*>(counters)->open_connections;
  return CURL_SOCKOPT_OK;
}

int Exchange::on_close(void* counters, curl_socket_t socket) {
  --static_cast<TransportCounters*>(counters)->open_connections;
  return close(socket);
}

}  // namespace table_storage::backend::remote
