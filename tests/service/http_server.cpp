#include "tests/service/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace table_storage::fake {
namespace {

using Clock = std::chrono::steady_clock;

enum Command : int { kStop = 1, kCloseIdle = 2, kStopListening = 4 };

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

void check(bool good, const char* what) {
  if (!good)
    throw std::runtime_error(std::string("the fake service cannot start: ") + what + ": " +
                             std::strerror(errno));
}

void append_chunked(std::string& out, std::string_view body) {
  constexpr std::size_t kChunk = 40 * 1024;
  std::array<char, 16> hex{};
  for (std::size_t at = 0; at < body.size(); at += kChunk) {
    const std::string_view chunk = body.substr(at, kChunk);
    const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), chunk.size(), 16).ptr;
    out.append(hex.data(), end).append("\r\n").append(chunk).append("\r\n");
  }
  out += "0\r\n\r\n";
}

}  // namespace

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* find_header(const Headers& headers, std::string_view name) {
  const auto at = std::find_if(headers.begin(), headers.end(),
                               [&](const auto& header) { return equal_without_case(header.first, name); });
  return at == headers.end() ? nullptr : &at->second;
}

std::string http_date(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

struct HttpServer::Connection {
  enum class State : unsigned char { reading, delayed, sending, silent };

  int fd = -1;
  std::size_t number = 0;
  std::size_t requests = 0;
  State state = State::reading;
  bool gated = false;  // the headers of the request that is being read have passed the gate
  std::string in;
  std::string out;
  std::size_t sent = 0;
  std::size_t limit = 0;  // of `out`, where the ending says so
  Answer::Ending ending = Answer::Ending::whole;
  bool close_after = false;
  std::size_t slow_bytes = 0;
  Clock::time_point due;
};

HttpServer::HttpServer(std::uint16_t port, Handler handler, Gate gate)
    : handler_(std::move(handler)), gate_(std::move(gate)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  check(listener_ >= 0, "socket");
  const int one = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  check(listen(listener_, 512) == 0, "listen");
  socklen_t size = sizeof address;
  check(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  port_ = ntohs(address.sin_port);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  check(epoll_ >= 0 && wake_ >= 0, "epoll");
  for (const int fd : {listener_, wake_}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  command(kStop);
  thread_.join();
  for (auto& [fd, connection] : by_descriptor_) ::close(fd);
  if (listener_ >= 0) ::close(listener_);
  ::close(epoll_);
  ::close(wake_);
}

void HttpServer::command(int which) {
  commands_.fetch_or(which);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

void HttpServer::close_idle() {
  const std::lock_guard lock(command_mutex_);
  const std::size_t before = obeyed_;
  command(kCloseIdle);
  while (obeyed_ == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void HttpServer::stop_listening() {
  const std::lock_guard lock(command_mutex_);
  const std::size_t before = obeyed_;
  command(kStopListening);
  while (obeyed_ == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void HttpServer::run() {
  std::array<epoll_event, 64> events{};
  while ((commands_ & kStop) == 0) {
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), next_timeout());
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == wake_) {
        std::uint64_t value = 0;
        [[maybe_unused]] const ssize_t got = read(wake_, &value, sizeof value);
      } else if (event.data.fd == listener_) {
        accept_all();
      } else if (const auto at = by_descriptor_.find(event.data.fd); at != by_descriptor_.end()) {
        Connection& connection = at->second;
        if ((event.events & EPOLLOUT) != 0 && connection.state == Connection::State::sending) {
          send(connection);
        } else {
          on_readable(connection);
        }
      }
    }
    run_timers();
    obey();
  }
}

void HttpServer::obey() {
  const int asked = commands_.fetch_and(kStop) & ~kStop;
  if (asked == 0) return;
  if ((asked & kCloseIdle) != 0) {
    std::vector<int> idle;
    for (const auto& [fd, connection] : by_descriptor_) {
      if (connection.state == Connection::State::reading && connection.in.empty()) idle.push_back(fd);
    }
    for (const int fd : idle) close(by_descriptor_.at(fd), false);
  }
  if ((asked & kStopListening) != 0 && listener_ >= 0) {
    ::close(listener_);
    listener_ = -1;
  }
  ++obeyed_;
}

void HttpServer::accept_all() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    Connection& connection = by_descriptor_[fd];
    connection.fd = fd;
    connection.number = ++accepted_;
    ++open_;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
}

void HttpServer::on_readable(Connection& connection) {
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    const ssize_t got = recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      connection.in.append(buffer.data(), static_cast<std::size_t>(got));
      if (static_cast<std::size_t>(got) == buffer.size()) continue;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      close(connection, false);
      return;
    }
    break;
  }
  if (connection.state == Connection::State::reading && !connection.in.empty()) serve(connection);
}

// Reads one request from the buffer; false while it is not whole. A message that is no HTTP leaves method
// empty.
bool HttpServer::parse(Connection& connection, Request& request) {
  if (const char first = connection.in.front(); first < 'A' || first > 'Z') {  // TLS, for one
    close(connection, false);
    return false;
  }
  const std::size_t end = connection.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  std::string_view head(connection.in.data(), end);
  const std::size_t first = std::min(head.find("\r\n"), head.size());
  const std::string_view line = head.substr(0, first);
  const std::size_t space = line.find(' ');
  const std::size_t version = line.rfind(" HTTP/1.");
  if (space == std::string_view::npos || version == std::string_view::npos || version <= space) return true;
  std::string_view target = line.substr(space + 1, version - space - 1);
  // Absolute form, as clients send it to a proxy.
  if (target.starts_with("http://")) target.remove_prefix(std::min(target.find('/', 7), target.size()));
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  head.remove_prefix(first);
  while (!head.empty()) {
    head.remove_prefix(2);
    const std::size_t stop = std::min(head.find("\r\n"), head.size());
    const std::string_view field = head.substr(0, stop);
    const std::size_t colon = std::min(field.find(':'), field.size());
    request.headers.emplace_back(trimmed(field.substr(0, colon)),
                                 trimmed(field.substr(std::min(colon + 1, field.size()))));
    head.remove_prefix(stop);
  }
  request.method = line.substr(0, space);
  request.connection = connection.number;
  request.on_connection = connection.requests;
  if (!connection.gated) {
    connection.gated = true;
    if (gate_ && gate_(request)) {
      close(connection, true);
      return false;
    }
    if (const std::string* expect = request.header("Expect"); expect != nullptr) {
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      [[maybe_unused]] const ssize_t sent =
          ::send(connection.fd, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
    }
  }
  std::size_t length = 0;
  if (const std::string* text = request.header("Content-Length"))
    std::from_chars(text->data(), text->data() + text->size(), length);
  if (connection.in.size() - end - 4 < length) return false;
  request.body = connection.in.substr(end + 4, length);
  connection.in.erase(0, end + 4 + length);
  return true;
}

void HttpServer::serve(Connection& connection) {
  Request request;
  const int fd = connection.fd;
  if (!parse(connection, request)) return;
  if (by_descriptor_.find(fd) == by_descriptor_.end()) return;
  connection.gated = false;
  ++connection.requests;
  request.number = ++requests_;

  Answer answer;
  if (request.method.empty()) {
    answer.status = 400;
    answer.close = true;
  } else {
    answer = handler_(request);
  }

  std::string& out = connection.out;
  out =
      "HTTP/1.1 " + std::to_string(answer.status) + " " + std::string(reason_phrase(answer.status)) + "\r\n";
  for (const auto& [name, value] : answer.headers) out.append(name).append(": ").append(value).append("\r\n");
  out += "Date: " + http_date(std::chrono::system_clock::now() + answer.clock_offset) + "\r\n";
  const bool bodiless = answer.status == 204 || request.method == "HEAD";
  if (answer.chunked && !bodiless) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (answer.status != 204) {
    out += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  }
  if (answer.close) out += "Connection: close\r\n";
  out += "\r\n";
  const std::size_t head = out.size();
  if (!bodiless) {
    if (answer.chunked) {
      append_chunked(out, answer.body);
    } else {
      out += answer.body;
    }
  }
  connection.sent = 0;
  connection.ending = answer.ending;
  connection.limit = out.size();
  if (answer.ending != Answer::Ending::whole)
    connection.limit = answer.before_headers ? 0 : std::min(out.size(), head + answer.body_bytes);
  connection.close_after = answer.close;
  connection.slow_bytes = answer.slow_bytes;
  connection.due = Clock::now() + answer.delay;
  if (answer.ending == Answer::Ending::never) {
    connection.state = Connection::State::silent;
  } else if (answer.delay.count() > 0) {
    connection.state = Connection::State::delayed;
  } else {
    connection.state = Connection::State::sending;
    send(connection);
  }
}

void HttpServer::send(Connection& connection) {
  while (connection.sent < connection.limit) {
    std::size_t size = connection.limit - connection.sent;
    if (connection.slow_bytes > 0) size = std::min(size, connection.slow_bytes);
    const ssize_t written =
        ::send(connection.fd, connection.out.data() + connection.sent, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EAGAIN) {
      watch(connection, true);
      return;
    }
    if (written < 0) {
      close(connection, false);
      return;
    }
    connection.sent += static_cast<std::size_t>(written);
    if (connection.slow_bytes > 0 && connection.sent < connection.limit) {
      connection.state = Connection::State::delayed;
      connection.due = Clock::now() + std::chrono::milliseconds(10);
      return;
    }
  }
  finish(connection);
}

void HttpServer::finish(Connection& connection) {
  if (connection.ending == Answer::Ending::reset) {
    close(connection, true);
  } else if (connection.ending == Answer::Ending::close || connection.close_after) {
    close(connection, false);
  } else {
    connection.state = Connection::State::reading;
    connection.out.clear();
    watch(connection, false);
    if (!connection.in.empty()) serve(connection);
  }
}

void HttpServer::close(Connection& connection, bool reset) {
  const int fd = connection.fd;
  if (reset) {
    const linger now{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  ::close(fd);
  by_descriptor_.erase(fd);
  --open_;
}

void HttpServer::watch(const Connection& connection, bool write) const {
  epoll_event event{};
  event.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.fd = connection.fd;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
}

int HttpServer::next_timeout() const {
  int timeout = -1;
  const auto now = Clock::now();
  for (const auto& [fd, connection] : by_descriptor_) {
    if (connection.state != Connection::State::delayed) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(connection.due - now).count();
    const int wait = static_cast<int>(std::clamp<long>(left, 0, 60'000));
    timeout = timeout < 0 ? wait : std::min(timeout, wait);
  }
  return timeout;
}

void HttpServer::run_timers() {
  const auto now = Clock::now();
  std::vector<int> due;
  for (const auto& [fd, connection] : by_descriptor_) {
    if (connection.state == Connection::State::delayed && connection.due <= now) due.push_back(fd);
  }
  for (const int fd : due) {
    Connection& connection = by_descriptor_.at(fd);
    connection.state = Connection::State::sending;
    send(connection);
  }
}

}  // namespace table_storage::fake
