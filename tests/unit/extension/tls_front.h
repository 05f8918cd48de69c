// TLS in front of a plain server of these tests: what comes in over TLS on one port goes on to another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace table_storage::test {

/// A certificate for localhost and 127.0.0.1 that is its own authority, made by the openssl program. Files go
/// with the object.
class Certificate {
 public:
  Certificate();
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  const std::string& key_file() const { return key_; }
  const std::string& file() const { return certificate_; }

 private:
  std::string key_, certificate_;
};

/// One thread for each connection; they end with the object.
class TlsFront {
 public:
  TlsFront(const Certificate& certificate, std::uint16_t plain_port);
  ~TlsFront();
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  std::uint16_t port() const { return port_; }
  std::string origin() const { return "https://127.0.0.1:" + std::to_string(port_); }

 private:
  struct Context;

  void accept_all();
  void carry(int client);

  std::unique_ptr<Context> context_;
  const std::uint16_t plain_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> connections_;  // the accepting thread's until it is joined
  std::thread thread_;
};

}  // namespace table_storage::test
