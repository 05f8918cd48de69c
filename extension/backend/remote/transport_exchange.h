// One exchange with libcurl: an easy handle, set up from an HttpRequest and read into a TransferResult.
// Used inside transport.cpp only. Everything here belongs to the thread that drives the handle.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "extension/backend/remote/transport.h"

namespace table_storage::backend::remote {

/// Once for the process, from any thread. Throws Error(storage) where libcurl cannot start.
void initialise_curl();

/// Throws Error(invalid) as Transport::start() says.
void check_request(const HttpRequest& request);

/// An easy handle and what it is doing. Its address must stay the same while it works; one object does one
/// exchange after another.
class Exchange {
 public:
  explicit Exchange(const TransportOptions& options);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  CURL* handle() const { return curl_.get(); }
  /// Sets the handle up; it is then ready for curl_multi_add_handle(). Takes the buffer of `delivery`.
  void prepare(HttpRequest request, Delivery& delivery);
  /// What became of it, once libcurl has said `code`. Drops the request.
  TransferResult finish(CURLcode code) noexcept;
  /// Drops request and answer of an exchange that was removed half-way.
  void abandon() noexcept;

 private:
  struct EasyCleanup {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };
  struct ListCleanup {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  TransferResult result(CURLcode code);
  void set_constants();
  void set_text(CURLoption option, const char* text) const;
  void set_route();
  void set_address();
  void set_headers();
  void set_method();
  void add_header(const std::string& line);
  TransferFailure failure(CURLcode code) const;

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static int on_request(void* self, char*, char*, int, int);
  static int on_socket(void* counters, curl_socket_t, curlsocktype);
  static int on_close(void* counters, curl_socket_t socket);

  const TransportOptions& options_;
  std::unique_ptr<CURL, EasyCleanup> curl_;
  HttpRequest request_;
  std::string url_;  // as the handle has it
  std::string target_;
  std::string line_;       // of a header
  std::string routed_to_;  // the origin that the handle's proxy options are for
  bool routed_directly_ = false;
  std::unique_ptr<curl_slist, ListCleanup> headers_;
  HttpResponse response_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::size_t usual_size_ = 0;  // of the last body, and some
  bool too_large_ = false;      // the answer
  bool out_of_memory_ = false;  // for the answer
  int times_sent_ = 0;
};

}  // namespace table_storage::backend::remote
