#include "tests/unit/extension/tls_front.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace table_storage::test {

namespace {

constexpr int kPollMs = 20;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connected(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  close(socket);
  return -1;
}

bool readable(int socket) {
  pollfd polled{socket, POLLIN, 0};
  return poll(&polled, 1, kPollMs) > 0;
}

}  // namespace

Certificate::Certificate() {
  static std::atomic<int> count{0};
  const char* folder = std::getenv("TMPDIR");
  const std::string base = std::string(folder == nullptr ? "/tmp" : folder) + "/table_storage_tls_" +
                           std::to_string(getpid()) + "_" + std::to_string(++count);
  key_ = base + ".key";
  certificate_ = base + ".pem";
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
      "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " +
      key_ + " -out " + certificate_ + " 2>/dev/null";
  if (std::system(make.c_str()) != 0) throw std::runtime_error("this test needs the openssl program");
}

Certificate::~Certificate() {
  std::remove(key_.c_str());
  std::remove(certificate_.c_str());
}

struct TlsFront::Context {
  SSL_CTX* tls = nullptr;
  ~Context() { SSL_CTX_free(tls); }
};

TlsFront::TlsFront(const Certificate& certificate, std::uint16_t plain_port)
    : context_(std::make_unique<Context>()), plain_port_(plain_port) {
  std::signal(SIGPIPE, SIG_IGN);
  context_->tls = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_file(context_->tls, certificate.file().c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(context_->tls, certificate.key_file().c_str(), SSL_FILETYPE_PEM) != 1)
    throw std::runtime_error("the certificate cannot be used");
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

TlsFront::~TlsFront() {
  stop_ = true;
  thread_.join();
  for (std::thread& connection : connections_) connection.join();
  close(listener_);
}

void TlsFront::accept_all() {
  while (!stop_) {
    if (!readable(listener_)) continue;
    const int client = accept(listener_, nullptr, nullptr);
    if (client >= 0) connections_.emplace_back([this, client] { carry(client); });
  }
}

void TlsFront::carry(int client) {
  SSL* const tls = SSL_new(context_->tls);
  SSL_set_fd(tls, client);
  const int plain = SSL_accept(tls) == 1 ? connected(plain_port_) : -1;
  std::array<char, 16'384> buffer{};
  while (plain >= 0 && !stop_) {
    if (SSL_pending(tls) > 0 || readable(client)) {
      const int got = SSL_read(tls, buffer.data(), static_cast<int>(buffer.size()));
      if (got <= 0 || send(plain, buffer.data(), static_cast<std::size_t>(got), 0) != got) break;
    }
    if (readable(plain)) {
      const ssize_t got = recv(plain, buffer.data(), buffer.size(), 0);
      if (got <= 0 || SSL_write(tls, buffer.data(), static_cast<int>(got)) <= 0) break;
    }
  }
  SSL_free(tls);
  if (plain >= 0) close(plain);
  close(client);
}

}  // namespace table_storage::test
