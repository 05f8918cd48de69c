// How requests travel: libcurl, its connections kept alive, and at most one thread of our own.
//
// A Transport moves HttpRequests and HttpResponses and knows nothing of tables, credentials or retries. It
// sends a request at most once: where libcurl by itself would send it again (a kept-alive connection that
// died), the transfer ends with a TransferFailure instead, since only the caller knows whether a write may be
// repeated.
//
// There are two ways to use it. start() hands the request to the I/O thread, which is made on the first call:
// for pages fetched ahead and for many requests at once. perform() works in the calling thread and wakes
// nobody: for one request whose answer is waited for. Both keep their connections open.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "extension/backend/remote/http.h"

namespace table_storage::backend::remote {

using TransferResult = std::variant<HttpResponse, TransferFailure>;

/// Asked at least every kInterruptInterval while a call waits; true ends the wait. May be empty.
using Interrupted = std::function<bool()>;
inline constexpr std::chrono::milliseconds kInterruptInterval{50};

/// What a transport has done and holds. Any thread.
struct TransportCounters {
  std::atomic<std::uint64_t> requests = 0;         // sent, each attempt by itself
  std::atomic<std::int64_t> open_connections = 0;  // in use or kept alive
};

struct TransportOptions {
  /// "http://host:port", "socks5h://…"; empty: what the environment says (http_proxy, https_proxy, no_proxy),
  /// except for loopback hosts. Link-local hosts (the metadata service of Azure) are never asked through a
  /// proxy.
  std::string proxy;
  std::string ca_file;  // PEM; empty: libcurl's own
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds request_timeout{120'000};  // from start() to the last byte
  /// How long less than one byte a second may move, whole seconds at least 1. Longer than the service thinks
  /// about a request (30 s), or it would cut off slow queries.
  std::chrono::seconds stall_timeout{60};
  std::size_t idle_connections = 64;                    // kept open at most
  std::size_t largest_answer = std::size_t{256} << 20;  // bytes of body; a larger one is a lost_answer
  std::string user_agent;                               // empty: "table_storage"
  std::shared_ptr<TransportCounters> counters;          // kept up to date where there is one
};

/// What happens to a result before anybody gets it, in the thread that drives the transfer, so that decoding
/// an answer overlaps with what the connection's thread does. It must neither throw nor call the Transport,
/// and it may run although the transfer has been cancelled: it owns what it works on.
using Finish = std::function<void(TransferResult&)>;

/// Less than any service keeps an idle connection open (Azurite 5 s, Storage and Cosmos minutes).
inline constexpr std::chrono::seconds kFresh{3};

/// What goes with a request beside what is sent.
struct Delivery {
  std::optional<std::chrono::milliseconds> timeout;  // in place of request_timeout where it is shorter
  Finish finish;                                     // may be empty
  /// Not over a kept connection that has been idle for more than kFresh, which may be dead without our
  /// knowing. For a request that must not be sent a second time.
  bool fresh_connection = false;
  std::string buffer;  // becomes the body of the answer: memory that was used before; its content is dropped
};

/// A request under way. One thread may use it; the Transport may end before it does. The last reference to go
/// cancels what is not done.
class Transfer {
 public:
  virtual ~Transfer() = default;

  virtual bool done() const = 0;
  /// True when done; false when `until` passed or `interrupted` said so, and then the transfer goes on.
  virtual bool wait(std::chrono::steady_clock::time_point until, const Interrupted& interrupted) = 0;
  /// Ends the transfer with TransferFailure::cancelled unless it is done; the connection is closed in the
  /// background.
  virtual void cancel() = 0;
  /// The answer, once; only when done().
  virtual TransferResult take() = 0;

  /// Waits for the answer. If `interrupted` says so, the transfer is cancelled and so is the result.
  TransferResult get(const Interrupted& interrupted = {});
};

/// Several threads may call start(), perform() and wait_any(). A child process may go on with what it got by
/// fork(): it starts anew, with a thread and connections of its own, and transfers of the parent are
/// lost_answer there.
class Transport {
 public:
  explicit Transport(TransportOptions options);
  /// Cancels what is under way and joins the thread.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Throws Error(invalid) for a request that cannot be sent: an origin that is neither http:// nor https://,
  /// a header with a line break.
  std::shared_ptr<Transfer> start(HttpRequest request, Delivery delivery = {});

  /// The same as start() and get(), and quicker.
  TransferResult perform(HttpRequest request, const Interrupted& interrupted = {}, Delivery delivery = {});

  /// Waits until one of `transfers`, all started here, is done: the first such position; nullopt when `until`
  /// passed, `interrupted` said so or there are none. Null pointers are passed over.
  std::optional<std::size_t> wait_any(const std::vector<std::shared_ptr<Transfer>>& transfers,
                                      std::chrono::steady_clock::time_point until,
                                      const Interrupted& interrupted = {}) const;

  /// Bytes behind the body of an answer that may be read and mean nothing: what a vectorised parser needs.
  static constexpr std::size_t kBodyPadding = 64;

 private:
  class Core;
  Core& core();

  const TransportOptions options_;
  std::atomic<Core*> core_;
};

}  // namespace table_storage::backend::remote
