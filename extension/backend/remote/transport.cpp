#include "extension/backend/remote/transport.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "extension/backend/remote/transport_exchange.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

using SteadyClock = std::chrono::steady_clock;

// How long poll() sleeps where nothing but libcurl's own timers and wake-ups can end it early.
constexpr int kIdlePollMs = 60'000;
// Where libcurl could not do all that it should, for want of memory.
constexpr int kTroubledPollMs = 10;

// A few times what it takes to put a thread to sleep and wake it again. Only a service in the same machine
// answers within that, and then sleeping would be most of the wait.
constexpr std::chrono::microseconds kNear{200};

TransferFailure cancelled() { return {TransferFailure::Kind::cancelled, "cancelled"}; }

struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using Multi = std::unique_ptr<CURLM, MultiCleanup>;

Multi make_multi(std::size_t idle_connections) {
  Multi multi(curl_multi_init());
  if (!multi) throw std::bad_alloc();
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS,
                    static_cast<long>(std::max<std::size_t>(1, idle_connections)));
  return multi;
}

void add_to(CURLM* multi, Exchange& exchange) {
  if (curl_multi_add_handle(multi, exchange.handle()) == CURLM_OK) return;
  exchange.abandon();
  throw std::bad_alloc();  // the only reason: the handle is sound and in no other hands
}

/// A request given to the I/O thread. Members are guarded by Mailbox::mutex.
struct Job {
  HttpRequest request;
  Delivery delivery;
  std::atomic<bool> done = false;  // set with the mutex held; a reader without it sees `result` complete
  TransferResult result;
};

/// What the I/O thread and the consumers share. It outlives the Core while a Transfer does.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;  // a job is done
  std::vector<std::shared_ptr<Job>> started;
  bool dropped = false;  // jobs that may be under way have been cancelled: done, but not by the I/O thread
  bool stop = false;
  CURLM* multi = nullptr;  // to wake; null once the thread is gone
  const pid_t owner = getpid();

  // After fork() the mutex may be locked for ever by a thread that is not there.
  bool inherited() const { return owner != getpid(); }

  void wake() const {
    if (multi != nullptr) curl_multi_wakeup(multi);
  }

  void complete(Job& job, TransferResult result) {
    {
      const std::lock_guard lock(mutex);
      if (job.done) return;  // cancelled meanwhile
      job.result = std::move(result);
      job.done.store(true, std::memory_order_release);
    }
    changed.notify_all();
  }

  /// Until ready(), called with the mutex held, or `until`, or `interrupted`.
  template <typename Ready>
  bool wait(const Ready& ready, SteadyClock::time_point until, const Interrupted& interrupted) {
    std::unique_lock lock(mutex);
    while (!ready()) {
      if (interrupted) {
        lock.unlock();  // it is someone else's code
        const bool stop_waiting = interrupted();
        lock.lock();
        if (ready()) break;
        if (stop_waiting) return false;
      }
      const auto now = SteadyClock::now();
      if (now >= until) return false;
      changed.wait_until(lock, std::min(until, now + kInterruptInterval));
    }
    return true;
  }
};

class StartedTransfer final : public Transfer {
 public:
  StartedTransfer(std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Job> job)
      : mailbox_(std::move(mailbox)), job_(std::move(job)) {}
  ~StartedTransfer() override { drop(); }
  StartedTransfer(const StartedTransfer&) = delete;
  StartedTransfer& operator=(const StartedTransfer&) = delete;

  bool done() const override { return job_->done.load(std::memory_order_acquire) || mailbox_->inherited(); }

  bool wait(SteadyClock::time_point until, const Interrupted& interrupted) override {
    if (mailbox_->inherited()) return true;
    return mailbox_->wait([&] { return job_->done.load(); }, until, interrupted);
  }

  void cancel() override { drop(); }

  TransferResult take() override {
    if (mailbox_->inherited())
      return TransferFailure{TransferFailure::Kind::lost_answer, "the process was forked meanwhile"};
    const std::lock_guard lock(mailbox_->mutex);
    return std::move(job_->result);
  }

  /// With the mutex held.
  const Job& job() const { return *job_; }

 private:
  void drop() {
    if (mailbox_->inherited()) return;
    const std::lock_guard lock(mailbox_->mutex);
    if (job_->done) return;
    job_->result = cancelled();
    job_->done = true;
    mailbox_->dropped = true;
    mailbox_->wake();
  }

  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<Job> job_;
};

/// The I/O thread: everything here but the constructor and stop() runs in it.
class Driver {
 public:
  Driver(const TransportOptions& options, std::shared_ptr<Mailbox> mailbox)
      : options_(options), mailbox_(std::move(mailbox)), multi_(make_multi(options.idle_connections)) {
    mailbox_->multi = multi_.get();  // the caller holds the mutex
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::bad_alloc&) {
      mailbox_->multi = nullptr;
      throw;
    } catch (const std::system_error& e) {
      mailbox_->multi = nullptr;
      throw Error(Error::Kind::storage, "",
                  std::string("no thread for requests can be started: ") + e.what());
    }
  }

  ~Driver() {
    {
      const std::lock_guard lock(mailbox_->mutex);
      mailbox_->stop = true;
      mailbox_->wake();
    }
    thread_.join();
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->multi = nullptr;
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

 private:
  struct Running {
    std::unique_ptr<Exchange> exchange;
    std::shared_ptr<Job> job;
  };

  void run() {
#ifdef __linux__
    pthread_setname_np(pthread_self(), "table_storage");  // what debuggers and profilers show
#endif
    std::vector<std::shared_ptr<Job>> started;
    for (;;) {
      bool dropped = false;
      {
        const std::lock_guard lock(mailbox_->mutex);
        if (mailbox_->stop) break;
        started.swap(mailbox_->started);
        dropped = std::exchange(mailbox_->dropped, false);
      }
      for (const auto& job : started) begin(job);
      started.clear();
      if (dropped) end_cancelled();
      int running = 0;
      const CURLMcode code = curl_multi_perform(multi_.get(), &running);
      collect();
      curl_multi_poll(multi_.get(), nullptr, 0, code == CURLM_OK ? kIdlePollMs : kTroubledPollMs, nullptr);
    }
    stop_all();
  }

  void begin(const std::shared_ptr<Job>& job) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      if (job->done) return;  // cancelled before it began
    }
    TransferFailure failure = TransferFailure::no_memory(TransferFailure::Kind::connect);
    try {
      // From here on nothing is allocated where it could not be answered for.
      running_.reserve(running_.size() + 1);
      idle_.reserve(running_.size() + idle_.size() + 1);
      Running running{idle_exchange(), job};
      running.exchange->prepare(std::move(job->request), job->delivery);
      add_to(multi_.get(), *running.exchange);
      running_.push_back(std::move(running));
      return;
    } catch (const Error& e) {
      failure = failure_of(TransferFailure::Kind::connect, e.what());
    } catch (const std::bad_alloc&) {
      // As it was made above.
    }
    mailbox_->complete(*job, std::move(failure));
  }

  std::unique_ptr<Exchange> idle_exchange() {
    if (idle_.empty()) return std::make_unique<Exchange>(options_);
    auto exchange = std::move(idle_.back());
    idle_.pop_back();
    return exchange;
  }

  void collect() {
    int left = 0;
    while (CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      Exchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      const std::shared_ptr<Job> job = end(exchange);
      TransferResult result = exchange->finish(code);
      if (job->delivery.finish && !job->done) job->delivery.finish(result);
      job->delivery.finish = nullptr;  // what it owns is the consumer's from here on
      mailbox_->complete(*job, std::move(result));
    }
  }

  void end_cancelled() {
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (!running_[i].job->done) continue;
      Exchange* const exchange = running_[i].exchange.get();
      end(exchange);
      exchange->abandon();
    }
  }

  // Takes the exchange out of libcurl's hands and puts it back among the idle ones.
  std::shared_ptr<Job> end(Exchange* exchange) {
    curl_multi_remove_handle(multi_.get(), exchange->handle());
    const auto at = std::find_if(running_.begin(), running_.end(),
                                 [&](const Running& running) { return running.exchange.get() == exchange; });
    std::shared_ptr<Job> job = std::move(at->job);
    idle_.push_back(std::move(at->exchange));
    running_.erase(at);
    return job;
  }

  void stop_all() {
    while (!running_.empty()) {
      Exchange* const exchange = running_.back().exchange.get();
      mailbox_->complete(*end(exchange), cancelled());
      exchange->abandon();
    }
    std::vector<std::shared_ptr<Job>> waiting;
    {
      const std::lock_guard lock(mailbox_->mutex);
      waiting.swap(mailbox_->started);
    }
    for (const auto& job : waiting) mailbox_->complete(*job, cancelled());
  }

  const TransportOptions& options_;
  const std::shared_ptr<Mailbox> mailbox_;
  const Multi multi_;
  std::vector<Running> running_;
  std::vector<std::unique_ptr<Exchange>> idle_;
  std::thread thread_;
};

/// One request at a time, driven by the thread that waits for it.
class Direct {
 public:
  explicit Direct(const TransportOptions& options)
      : multi_(make_multi(options.idle_connections)), exchange_(options) {}

  TransferResult perform(HttpRequest request, Delivery& delivery, const Interrupted& interrupted) {
    exchange_.prepare(std::move(request), delivery);
    add_to(multi_.get(), exchange_);
    // However it ends, an exception from `interrupted` included.
    struct Removal {
      Direct& direct;
      ~Removal() { curl_multi_remove_handle(direct.multi_.get(), direct.exchange_.handle()); }
    };
    std::optional<CURLcode> code;
    const auto sent = SteadyClock::now();
    {
      const Removal removal{*this};
      code = drive(interrupted);
    }
    static const bool has_processors = std::thread::hardware_concurrency() > 1;
    is_near_ = has_processors && SteadyClock::now() - sent < kNear;
    if (!code) {
      exchange_.abandon();
      return cancelled();
    }
    TransferResult result = exchange_.finish(*code);
    if (delivery.finish) delivery.finish(result);
    return result;
  }

  std::mutex mutex;

 private:
  std::optional<CURLcode> drive(const Interrupted& interrupted) {
    const int slice = interrupted ? static_cast<int>(kInterruptInterval.count()) : kIdlePollMs;
    const auto until = SteadyClock::now() + kNear;
    for (;;) {
      int running = 0;
      const bool troubled = curl_multi_perform(multi_.get(), &running) != CURLM_OK;
      if (running == 0) {
        int left = 0;
        while (CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
          if (message->msg == CURLMSG_DONE) return message->data.result;
        }
        return CURLE_FAILED_INIT;  // not reached: what does not run is done
      }
      if (is_near_ && SteadyClock::now() < until && awaited(until)) continue;
      if (interrupted && interrupted()) return std::nullopt;
      curl_multi_poll(multi_.get(), nullptr, 0, troubled ? kTroubledPollMs : slice, nullptr);
    }
  }

  /// Looks for news without sleeping. True if there are any.
  bool awaited(SteadyClock::time_point until) const {
    do {
      int ready = 0;
      if (curl_multi_poll(multi_.get(), nullptr, 0, 0, &ready) != CURLM_OK) return false;
      if (ready > 0) return true;
    } while (SteadyClock::now() < until);
    return false;
  }

  const Multi multi_;
  Exchange exchange_;
  bool is_near_ = false;  // the last answer came within kNear
};

}  // namespace

TransferResult Transfer::get(const Interrupted& interrupted) {
  bool stop = false;  // it may say so only once
  Interrupted remembering;
  if (interrupted) remembering = [&] { return stop = interrupted(); };
  while (!wait(SteadyClock::now() + std::chrono::hours(1), remembering)) {
    if (stop) cancel();
  }
  return take();
}

class Transport::Core {
 public:
  explicit Core(const TransportOptions& options)
      : options_(options), mailbox_(std::make_shared<Mailbox>()), direct_(options) {}

  bool inherited() const { return mailbox_->inherited(); }

  std::shared_ptr<Transfer> start(HttpRequest request, Delivery delivery) {
    auto job = std::make_shared<Job>();
    job->request = std::move(request);
    job->delivery = std::move(delivery);
    auto transfer = std::make_shared<StartedTransfer>(mailbox_, job);
    const std::lock_guard lock(mailbox_->mutex);
    if (!driver_) driver_ = std::make_unique<Driver>(options_, mailbox_);
    mailbox_->started.push_back(std::move(job));
    mailbox_->wake();
    return transfer;
  }

  TransferResult perform(HttpRequest request, Delivery delivery, const Interrupted& interrupted) {
    std::unique_lock lock(direct_.mutex, std::try_to_lock);
    if (lock.owns_lock()) return direct_.perform(std::move(request), delivery, interrupted);
    return start(std::move(request), std::move(delivery))->get(interrupted);  // another thread is at it
  }

  std::optional<std::size_t> wait_any(const std::vector<std::shared_ptr<Transfer>>& transfers,
                                      SteadyClock::time_point until, const Interrupted& interrupted) const {
    std::optional<std::size_t> found;
    const auto find = [&] {
      for (std::size_t i = 0; i < transfers.size() && !found; ++i) {
        const auto* transfer = static_cast<const StartedTransfer*>(transfers[i].get());
        if (transfer != nullptr && transfer->job().done) found = i;
      }
      return found.has_value();
    };
    const bool any =
        std::any_of(transfers.begin(), transfers.end(), [](const auto& t) { return t != nullptr; });
    if (any) mailbox_->wait(find, until, interrupted);
    return found;
  }

 private:
  const TransportOptions& options_;
  const std::shared_ptr<Mailbox> mailbox_;
  Direct direct_;
  std::unique_ptr<Driver> driver_;  // last: its thread uses the others
};

Transport::Transport(TransportOptions options) : options_(std::move(options)) {
  initialise_curl();
  core_ = new Core(options_);
}

Transport::~Transport() {
  Core* const core = core_.load();
  // The parent's connections are not this process's to close: TLS would say goodbye over the shared socket.
  if (!core->inherited()) delete core;
}

Transport::Core& Transport::core() {
  Core* current = core_.load();
  if (!current->inherited()) return *current;
  auto fresh = std::make_unique<Core>(options_);
  // The old one is left alone, its thread does not exist here.
  if (core_.compare_exchange_strong(current, fresh.get())) return *fresh.release();
  return *current;
}

std::shared_ptr<Transfer> Transport::start(HttpRequest request, Delivery delivery) {
  check_request(request);
  return core().start(std::move(request), std::move(delivery));
}

TransferResult Transport::perform(HttpRequest request, const Interrupted& interrupted, Delivery delivery) {
  check_request(request);
  return core().perform(std::move(request), std::move(delivery), interrupted);
}

std::optional<std::size_t> Transport::wait_any(const std::vector<std::shared_ptr<Transfer>>& transfers,
                                               SteadyClock::time_point until,
                                               const Interrupted& interrupted) const {
  const Core& core = *core_.load();
  for (std::size_t i = 0; core.inherited() && i < transfers.size(); ++i) {
    if (transfers[i] != nullptr) return i;  // lost, all of them
  }
  return core.wait_any(transfers, until, interrupted);
}

}  // namespace table_storage::backend::remote
