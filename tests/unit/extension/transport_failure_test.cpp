// Every way in which no answer comes, and that the kinds are told apart: a request that may have been carried
// out is never taken for one that was not, and none is sent twice.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/unit/extension/transport_fixture.h"

namespace table_storage::backend::remote::testing {
namespace {

class TransportFailureTest : public TransportTest {};
INSTANTIATE_TEST_SUITE_P(Ways, TransportFailureTest, ::testing::Values(Way::perform, Way::start),
                         [](const auto& way) { return way.param == Way::perform ? "Perform" : "Start"; });

/// A port of this machine on which connecting never ends: its queue is full.
class FullPort {
 public:
  FullPort() {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    listen(listener_, 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    for (int& client : clients_) {
      client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    std::this_thread::sleep_for(20ms);
  }
  ~FullPort() {
    for (const int client : clients_) close(client);
    close(listener_);
  }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int listener_ = -1;
  std::array<int, 4> clients_{};
  int port_ = 0;
};

TEST_P(TransportFailureTest, NothingListens) {
  service_.stop_listening();
  const TransferResult result = send(get());
  EXPECT_EQ(outcome(result), "unreachable");
  EXPECT_NE(reason(result).find("Failed to connect to 127.0.0.1 port"), std::string::npos) << reason(result);
}

TEST_P(TransportFailureTest, NoSuchHost) {
  HttpRequest lost = get();
  lost.origin = "https://account.table.invalid";
  lost.query = "sig=secret";
  const TransferResult result = send(lost);
  EXPECT_EQ(outcome(result), "unreachable");
  EXPECT_EQ(reason(result).find("secret"), std::string::npos) << reason(result);
}

TEST_P(TransportFailureTest, ConnectingHasALimit) {
  const FullPort full;
  TransportOptions options;
  options.connect_timeout = 200ms;
  Transport transport(options);
  HttpRequest stuck = get();
  stuck.origin = full.origin();
  const long taken = milliseconds([&] { EXPECT_EQ(outcome(send(transport, stuck)), "connect"); });
  EXPECT_GE(taken, 190);
  EXPECT_LT(taken, 3000);
}

TEST_P(TransportFailureTest, DeadConnectionIsNotUsedTwice) {
  // libcurl by itself would send each of these again, and the service would see it twice.
  using Action = Fault::Action;
  for (const Action action : {Action::reset_before_reading, Action::reset_before_answer,
                              Action::close_before_answer, Action::lost_answer}) {
    ASSERT_EQ(outcome(send(get())), "answer 200");
    service_.forget_requests();
    service_.add_fault({.action = action});
    const TransferResult result = send(insert("row" + std::to_string(static_cast<int>(action))));
    EXPECT_EQ(outcome(result), "dead_reused") << static_cast<int>(action);
    EXPECT_EQ(service_.request_count(), 1u) << static_cast<int>(action);
  }
  EXPECT_TRUE(service_.get("Things", {"p", "row" + std::to_string(static_cast<int>(Action::lost_answer))}))
      << "this one was carried out";
  EXPECT_EQ(service_.size("Things"), 2u);
}

TEST_P(TransportFailureTest, FreshConnectionWithoutAnswer) {
  using Action = Fault::Action;
  for (const Action action : {Action::reset_before_reading, Action::reset_before_answer,
                              Action::close_before_answer, Action::lost_answer}) {
    service_.forget_requests();
    service_.close_idle_connections();
    Transport transport{TransportOptions{}};
    service_.add_fault({.action = action});
    const TransferResult result = send(transport, insert("row" + std::to_string(static_cast<int>(action))));
    EXPECT_EQ(outcome(result), "lost_answer") << static_cast<int>(action);
    EXPECT_FALSE(reason(result).empty());
    EXPECT_EQ(service_.request_count(), 1u) << static_cast<int>(action);
  }
}

TEST_P(TransportFailureTest, CutBodies) {
  using Action = Fault::Action;
  for (const bool chunked : {true, false}) {
    service_.configure([&](fake::Settings& settings) { settings.chunked_pages = chunked; });
    for (const Action action : {Action::cut_body, Action::reset_in_body}) {
      for (const std::size_t bytes : {0u, 1u, 100u, 4000u}) {
        ASSERT_EQ(outcome(send(get())), "answer 200");
        service_.forget_requests();
        service_.add_fault({.action = action, .bytes = bytes});
        // The answer had begun: on a reused connection too this is no dead connection.
        EXPECT_EQ(outcome(send(get())), "lost_answer")
            << chunked << " " << static_cast<int>(action) << " " << bytes;
        EXPECT_EQ(service_.request_count(), 1u);
      }
    }
  }
}

TEST_P(TransportFailureTest, WholeTransferHasALimit) {
  TransportOptions options;
  options.request_timeout = 300ms;
  Transport transport(options);
  service_.add_fault({.action = Fault::Action::hang});
  const long hanging = milliseconds([&] { EXPECT_EQ(outcome(send(transport, get())), "lost_answer"); });
  EXPECT_GE(hanging, 290);
  EXPECT_LT(hanging, 3000);
  // Bytes keep coming, too slowly.
  service_.add_fault({.action = Fault::Action::slow_body, .bytes = 10});
  EXPECT_LT(milliseconds([&] { EXPECT_EQ(outcome(send(transport, get())), "lost_answer"); }), 3000);
}

TEST_P(TransportFailureTest, StallEndsATransfer) {
  TransportOptions options;
  options.stall_timeout = 1s;
  Transport transport(options);
  service_.add_fault({.action = Fault::Action::hang});
  const long taken = milliseconds([&] { EXPECT_EQ(outcome(send(transport, get())), "lost_answer"); });
  EXPECT_GE(taken, 900);
  EXPECT_LT(taken, 5000);
}

TEST_P(TransportFailureTest, InterruptEndsAWait) {
  service_.add_fault({.action = Fault::Action::hang, .times = 0});
  int asked = 0;
  const long taken =
      milliseconds([&] { EXPECT_EQ(outcome(send(get(), [&] { return ++asked == 4; })), "cancelled"); });
  EXPECT_LT(taken, 1000);
  service_.clear_faults();
  EXPECT_EQ(outcome(send(get())), "answer 200") << "the transport goes on";

  const FullPort full;
  HttpRequest stuck = get();
  stuck.origin = full.origin();
  asked = 0;
  EXPECT_LT(milliseconds([&] { EXPECT_EQ(outcome(send(stuck, [&] { return ++asked == 4; })), "cancelled"); }),
            1000);
}

TEST_P(TransportFailureTest, OwnLimitOfOneRequest) {
  service_.add_fault({.action = Fault::Action::hang, .times = 0});
  const long taken = milliseconds([&] {
    const TransferResult result =
        GetParam() == Way::perform
            ? transport_.perform(get(), {}, {.timeout = 200ms, .finish = {}, .buffer = {}})
            : transport_.start(get(), {.timeout = 200ms, .finish = {}, .buffer = {}})->get();
    EXPECT_EQ(outcome(result), "lost_answer");
  });
  EXPECT_LT(taken, 3000);
}

TEST_P(TransportFailureTest, PlainServerIsNoTlsServer) {
  HttpRequest secure = get();
  secure.origin.replace(0, 4, "https");
  EXPECT_EQ(outcome(send(secure)), "connect");
  EXPECT_EQ(service_.request_count(), 0u);
}

class StartedTransferTest : public TransportTest {};
INSTANTIATE_TEST_SUITE_P(Only, StartedTransferTest, ::testing::Values(Way::start));

TEST_P(StartedTransferTest, CancelReturnsAtOnce) {
  const FullPort full;
  service_.add_fault({.action = Fault::Action::hang, .times = 0});
  HttpRequest stuck = get();
  stuck.origin = full.origin();
  for (HttpRequest request : {get(), stuck}) {
    const auto transfer = transport_.start(request);
    EXPECT_FALSE(transfer->wait(in(30ms), {}));
    EXPECT_FALSE(transfer->done());
    EXPECT_LT(milliseconds([&] { transfer->cancel(); }), 500);
    EXPECT_TRUE(transfer->done());
    transfer->cancel();
    EXPECT_EQ(outcome(transfer->take()), "cancelled");
  }
  // The connection goes too; it takes the I/O thread a moment.
  for (int i = 0; i < 100 && service_.open_connections() > 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(service_.open_connections(), 0u);
}

TEST_P(StartedTransferTest, LastReferenceCancels) {
  service_.add_fault({.action = Fault::Action::hang});
  auto transfer = transport_.start(get());
  for (int i = 0; i < 100 && service_.request_count() == 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(service_.open_connections(), 1u);
  transfer.reset();
  for (int i = 0; i < 100 && service_.open_connections() > 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(service_.open_connections(), 0u);
  EXPECT_EQ(outcome(transport_.start(get())->get()), "answer 200");
}

TEST_P(StartedTransferTest, TransportEndsFirst) {
  const FullPort full;
  service_.add_fault({.action = Fault::Action::hang, .times = 0});
  std::vector<std::shared_ptr<Transfer>> transfers;
  const long taken = milliseconds([&] {
    Transport short_lived{TransportOptions{}};
    for (int i = 0; i < 10; ++i) transfers.push_back(short_lived.start(get()));
    HttpRequest stuck = get();
    stuck.origin = full.origin();
    transfers.push_back(short_lived.start(stuck));
    std::this_thread::sleep_for(20ms);
    transfers.push_back(short_lived.start(get()));  // may not even have begun
  });
  EXPECT_LT(taken, 1000);
  for (const auto& transfer : transfers) EXPECT_EQ(outcome(transfer->get()), "cancelled");
  transfers.front()->cancel();
}

TEST_P(StartedTransferTest, WaitingEndsByTimeOrInterrupt) {
  service_.add_fault({.action = Fault::Action::delay, .delay = 300ms});
  const auto transfer = transport_.start(get());
  int asked = 0;
  EXPECT_FALSE(transfer->wait(in(5s), [&] { return ++asked == 2; }));
  EXPECT_FALSE(transfer->wait(in(1ms), {}));
  EXPECT_TRUE(transfer->wait(in(5s), [] { return false; })) << "neither ended the transfer";
  EXPECT_EQ(outcome(transfer->take()), "answer 200");
}

// The certificate of a server is checked, and the option ca_file is how to trust one of one's own.
TEST_P(TransportFailureTest, CertificatesAreChecked) {
  const std::string folder = ::testing::TempDir() + "transport_tls_" + std::to_string(getpid());
  const std::string key = folder + ".key", certificate = folder + ".pem";
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
      "subjectAltName=DNS:localhost -keyout " +
      key + " -out " + certificate + " 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0) << "this test needs the openssl program";
  const std::string port = std::to_string(20'000 + getpid() % 20'000 + (GetParam() == Way::start ? 1 : 0));
  const std::string serve = "exec openssl s_server -quiet -www -accept 127.0.0.1:" + port + " -key " + key +
                            " -cert " + certificate + " 2>/dev/null >/dev/null & echo $!";
  FILE* const shell = popen(serve.c_str(), "r");
  int pid = 0;
  ASSERT_EQ(std::fscanf(shell, "%d", &pid), 1);
  pclose(shell);

  HttpRequest secure;
  secure.headers = {{"Accept", "text/html"}};
  TransportOptions trusting;
  trusting.ca_file = certificate;
  Transport trusted(trusting);
  std::string seen;
  for (int i = 0; i < 100 && seen != "answer 200"; ++i) {  // until it listens
    std::this_thread::sleep_for(20ms);
    secure.origin = "https://localhost:" + port;
    seen = outcome(send(trusted, secure));
  }
  EXPECT_EQ(seen, "answer 200");
  const TransferResult unknown = send(secure);
  EXPECT_EQ(outcome(unknown), "connect");
  EXPECT_NE(reason(unknown).find("certificate"), std::string::npos) << reason(unknown);
  secure.origin = "https://127.0.0.1:" + port;  // trusted, but of another name
  EXPECT_EQ(outcome(send(trusted, secure)), "connect");
  kill(pid, SIGKILL);
  std::remove(key.c_str());
  std::remove(certificate.c_str());
}

}  // namespace
}  // namespace table_storage::backend::remote::testing
