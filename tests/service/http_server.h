// An HTTP/1.1 server for tests: one thread, plain sockets on loopback, and every way to answer badly.
//
// It knows messages and connections, nothing of tables. Requests of all connections are handled one after
// another by its thread, so a handler needs no locks of its own against itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace table_storage::fake {

using Headers = std::vector<std::pair<std::string, std::string>>;
/// First header of that name, without case; null if there is none.
const std::string* find_header(const Headers& headers, std::string_view name);
bool equal_without_case(std::string_view a, std::string_view b);

struct Request {
  std::string method;
  std::string path;   // as received, percent-encoded
  std::string query;  // likewise, without '?'
  Headers headers;
  std::string body;
  std::size_t number = 0;         // from 1, over the life of the server
  std::size_t connection = 0;     // from 1
  std::size_t on_connection = 0;  // how many requests came on it before

  const std::string* header(std::string_view name) const { return find_header(headers, name); }
};

/// An answer, and what goes wrong on its way.
struct Answer {
  enum class Ending : unsigned char {
    whole,
    reset,  // the connection is reset after `bytes` of the message
    close,  // it is closed in good order after `bytes`
    never   // nothing is sent and the connection stays open
  };

  int status = 200;
  Headers headers;  // without Content-Length and Date
  std::string body;
  bool chunked = false;
  bool close = false;                    // Connection: close
  std::chrono::seconds clock_offset{0};  // of the Date header

  Ending ending = Ending::whole;
  bool before_headers = false;  // reset, close: nothing at all is sent
  std::size_t body_bytes = 0;   // reset, close: so many bytes behind the headers are
  std::chrono::milliseconds delay{0};
  std::size_t slow_bytes = 0;  // if not 0: so many bytes each 10 ms
};

class HttpServer {
 public:
  /// Called for each request in the server's thread.
  using Handler = std::function<Answer(const Request&)>;
  /// Called when the headers of a request are there and its body is not read; true resets the connection.
  using Gate = std::function<bool(const Request&)>;

  /// Port 0: any free one. Throws std::runtime_error where it cannot listen.
  HttpServer(std::uint16_t port, Handler handler, Gate gate);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return accepted_; }
  std::size_t open_connections() const { return open_; }

  /// Closes every connection that waits for a request; returns when it is done.
  void close_idle();
  /// From here on connecting is refused. Connections that are open stay.
  void stop_listening();

 private:
  struct Connection;

  void run();
  void command(int which);
  void obey();
  void accept_all();
  void on_readable(Connection& connection);
  void serve(Connection& connection);
  bool parse(Connection& connection, Request& request);
  void send(Connection& connection);
  void finish(Connection& connection);
  void close(Connection& connection, bool reset);
  int next_timeout() const;
  void run_timers();
  void watch(const Connection& connection, bool write) const;

  const Handler handler_;
  const Gate gate_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int epoll_ = -1;
  int wake_ = -1;
  std::atomic<int> commands_{0};
  std::atomic<std::size_t> obeyed_{0};
  std::mutex command_mutex_;
  std::atomic<std::size_t> accepted_{0};
  std::atomic<std::size_t> open_{0};
  std::size_t requests_ = 0;
  std::map<int, Connection> by_descriptor_;
  std::thread thread_;
};

/// "Mon, 01 Jan 2024 00:00:00 GMT"
std::string http_date(std::chrono::system_clock::time_point time);
std::string_view reason_phrase(int status);

}  // namespace table_storage::fake
