// What travels, and how: requests as they arrive, answers as they come back, connections kept.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "parser/error.h"
#include "tests/unit/extension/transport_fixture.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TABLE_STORAGE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TABLE_STORAGE_SANITIZED 1
#endif
#endif

namespace table_storage::backend::remote::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Ways, TransportTest, ::testing::Values(Way::perform, Way::start),
                         [](const auto& way) { return way.param == Way::perform ? "Perform" : "Start"; });

TEST_P(TransportTest, AnswerComesWhole) {
  const TransferResult result = send(get());
  ASSERT_EQ(outcome(result), "answer 200");
  const auto& response = std::get<HttpResponse>(result);
  EXPECT_TRUE(response.body.starts_with("{\"odata.metadata\"")) << response.body.substr(0, 80);
  EXPECT_TRUE(response.body.ends_with("\"}]}"));
  EXPECT_GE(response.body.capacity(), response.body.size() + Transport::kBodyPadding);
  EXPECT_EQ(response.header("content-type"),
            "application/json;odata=minimalmetadata;streaming=true;charset=utf-8");
  EXPECT_EQ(response.header("Nothing"), std::nullopt);
}

TEST_P(TransportTest, NothingIsAddedToARequest) {
  HttpRequest merge = request("MERGE", "/Things(PartitionKey='p',RowKey='r')");
  merge.headers.emplace_back("Content-Type", "application/json");
  merge.headers.emplace_back("x-empty", "");
  merge.body = "{\"A\":1}";
  EXPECT_EQ(outcome(send(merge)), "answer 204");
  EXPECT_EQ(outcome(send(get())), "answer 200");
  EXPECT_EQ(outcome(send(request("POST", "/Nowhere"))), "answer 400");
  const auto seen = service_.requests();
  ASSERT_EQ(seen.size(), 3u);

  const auto names = [](const fake::Request& request) {
    std::string out;
    for (const auto& [name, value] : request.headers) out += name + " ";
    return out;
  };
  EXPECT_EQ(seen[0].request.method, "MERGE");
  EXPECT_EQ(seen[0].request.body, "{\"A\":1}");
  EXPECT_EQ(names(seen[0].request),
            "Host User-Agent Accept x-ms-version Content-Type x-empty Content-Length ");
  EXPECT_EQ(*seen[0].request.header("User-Agent"), "table_storage");
  EXPECT_EQ(names(seen[1].request), "Host User-Agent Accept x-ms-version ");
  EXPECT_EQ(names(seen[2].request), "Host User-Agent Accept x-ms-version Content-Length ");
  EXPECT_EQ(*seen[2].request.header("Content-Length"), "0");
}

TEST_P(TransportTest, PathAndQueryArriveAsTheyAre) {
  HttpRequest odd = request("GET", "/a/../b/./%2e%2e/c%2Fd(PartitionKey='it''s%20%25',RowKey='~')");
  odd.query = "$filter=A%20eq%20'%2b'&sig=a%3d%2Bb+c";
  send(odd);
  const auto seen = service_.requests();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].request.path, odd.path);
  EXPECT_EQ(seen[0].request.query, odd.query);
}

TEST_P(TransportTest, ConnectionsAreKept) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(outcome(send(get())), "answer 200");
  EXPECT_EQ(service_.connections(), 1u);
  // Closed by the other side while idle: noticed before anything is sent.
  service_.close_idle_connections();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(outcome(send(get())), "answer 200");
  EXPECT_EQ(service_.connections(), 2u);
}

TEST_P(TransportTest, EveryStatusIsAnAnswer) {
  service_.add_fault({.status = 503, .headers = {{"Retry-After", "7"}}});
  const TransferResult busy = send(get());
  ASSERT_EQ(outcome(busy), "answer 503");
  EXPECT_EQ(std::get<HttpResponse>(busy).header("retry-after"), "7");

  service_.add_fault(
      {.action = Fault::Action::empty_body, .status = 302, .headers = {{"Location", "/elsewhere"}}});
  EXPECT_EQ(outcome(send(get())), "answer 302");
  EXPECT_EQ(service_.request_count(), 2u) << "a redirection was followed";
}

TEST_P(TransportTest, LargeBodies) {
  HttpRequest large = insert("large");
  std::string properties;
  for (int i = 0; i < 100; ++i)
    properties += ",\"P" + std::to_string(i) + "\":\"" + std::string(5000, 'y') + "\"";
  large.body.insert(large.body.size() - 1, properties);
  large.body.append(2 << 20, ' ');  // JSON does not mind
  const TransferResult result = send(large);
  ASSERT_EQ(outcome(result), "answer 201");
  EXPECT_EQ(service_.requests().front().request.body.size(), large.body.size());
  EXPECT_GT(std::get<HttpResponse>(result).body.size(), 500'000u);

  TransportOptions small;
  small.largest_answer = 100'000;
  Transport limited(small);
  const TransferResult refused = send(limited, get());
  EXPECT_EQ(outcome(refused), "lost_answer");
  EXPECT_EQ(reason(refused), "the answer is larger than 100000 bytes");
}

TEST_P(TransportTest, ImpossibleRequestsAreRefused) {
  const auto message = [&](HttpRequest request) {
    try {
      return outcome(send(std::move(request)));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::invalid);
      return std::string(error.what());
    }
  };
  for (const char* origin : {"", "ftp://host", "file:///etc/passwd", "http://", "https://user:pw@host",
                             "http://h/p", "http://h?q", "host", "http://a b"}) {
    HttpRequest wrong = get();
    wrong.origin = origin;
    EXPECT_TRUE(message(wrong).starts_with("an endpoint")) << origin << ": " << message(wrong);
  }
  HttpRequest injected = get();
  injected.headers.emplace_back("If-Match", "W/\"x\"\r\nx-evil: 1");
  EXPECT_EQ(message(injected), "the header If-Match of a request holds a line break");
  for (const char* path : {"relative", "/a b", "/a\nb", "/ä", "/a?b", "/a#b"}) {
    HttpRequest wrong = get();
    wrong.path = path;
    EXPECT_EQ(message(wrong), "the path or the query of a request is not percent-encoded") << path;
  }
  HttpRequest wrong = get();
  wrong.query = "sig=very secret";
  EXPECT_EQ(message(wrong), "the path or the query of a request is not percent-encoded");
  EXPECT_EQ(service_.request_count(), 0u);
}

TEST_P(TransportTest, ProxyOption) {
  // The fake takes the absolute form of a request, as a proxy gets it.
  HttpRequest far = get();
  far.origin = "http://tables.invalid:1234";
  TransportOptions options;
  options.proxy = service_.origin();
  Transport by_proxy(options);
  EXPECT_EQ(outcome(send(by_proxy, far)), "answer 200");
  EXPECT_EQ(*service_.requests().back().request.header("Host"), "tables.invalid:1234");

  // What the environment says is not for this machine.
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  EXPECT_EQ(outcome(send(get())), "answer 200");
  EXPECT_EQ(outcome(send(far)), "unreachable");
  unsetenv("http_proxy");
}

TEST_P(TransportTest, SeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) good += outcome(send(get())) == "answer 200" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 200);
}

TEST_P(TransportTest, ChildProcessStartsAnew) {
#ifdef TABLE_STORAGE_SANITIZED
  GTEST_SKIP()
      << "the thread sanitizer knows no threads in a forked process, and a lock of the address sanitizer's "
         "allocator may have been held by a thread that the child does not have";
#endif
  ASSERT_EQ(outcome(send(get())), "answer 200");
  const auto under_way = transport_.start(get());
  const pid_t child = fork();
  if (child == 0) {
    // Nothing of gtest in here. The thread and the connections of the parent must not be touched.
    const bool lost = under_way->done() && outcome(under_way->take()) == "lost_answer";
    const bool works =
        outcome(send(get())) == "answer 200" && outcome(transport_.start(get())->get()) == "answer 200";
    _exit(lost && works ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(outcome(under_way->get()), "answer 200");
  EXPECT_EQ(outcome(send(get())), "answer 200");
}

TEST(TransportSetTest, ManyAtOnce) {
  FakeService service(without_authorization());
  service.create_table("Things");
  for (int i = 0; i < 50; ++i) service.put("Things", {"p", std::to_string(i)}, {});
  service.add_fault({.action = Fault::Action::delay, .times = 0, .delay = 100ms});
  Transport transport{TransportOptions{}};
  std::vector<std::shared_ptr<Transfer>> transfers;
  const long taken = milliseconds([&] {
    for (int i = 0; i < 50; ++i) {
      HttpRequest request;
      request.origin = service.origin();
      request.path = "/devstoreaccount1/Things(PartitionKey='p',RowKey='" + std::to_string(i) + "')";
      request.headers = {{"Accept", "application/json;odata=nometadata"}, {"x-ms-version", "2019-02-02"}};
      transfers.push_back(transport.start(std::move(request)));
    }
    for (int i = 0; i < 50; ++i) {
      const TransferResult result = transfers[static_cast<std::size_t>(i)]->get();
      ASSERT_EQ(outcome(result), "answer 200");
      EXPECT_NE(std::get<HttpResponse>(result).body.find("\"RowKey\":\"" + std::to_string(i) + "\""),
                std::string::npos);
    }
  });
  EXPECT_GE(taken, 100);
  EXPECT_LT(taken, 3000) << "one after another this takes 5000 ms";
}

TEST(TransportSetTest, WaitAnyFindsTheFirst) {
  FakeService service(without_authorization());
  service.create_table("Things");
  service.add_fault({.action = Fault::Action::delay, .path_contains = "slow", .times = 0, .delay = 400ms});
  service.add_fault({.action = Fault::Action::hang, .path_contains = "never", .times = 0});
  Transport transport{TransportOptions{}};
  const auto start = [&](const std::string& query) {
    HttpRequest request;
    request.origin = service.origin();
    request.path = "/devstoreaccount1/Things()";
    request.query = query;
    request.headers = {{"Accept", "application/json"}, {"x-ms-version", "2019-02-02"}};
    return transport.start(std::move(request));
  };
  std::vector<std::shared_ptr<Transfer>> transfers = {start("never"), nullptr, start("slow"), start("quick")};
  EXPECT_EQ(transport.wait_any(transfers, in(5s)), 3u);
  EXPECT_EQ(outcome(transfers[3]->take()), "answer 200");
  transfers[3] = nullptr;
  EXPECT_EQ(transport.wait_any(transfers, in(10ms)), std::nullopt);
  EXPECT_EQ(transport.wait_any(transfers, in(5s)), 2u);
  transfers[2] = nullptr;
  int asked = 0;
  EXPECT_EQ(transport.wait_any(transfers, in(5s), [&] { return ++asked == 3; }), std::nullopt);
  EXPECT_EQ(transport.wait_any({}, in(5s)), std::nullopt);
}

}  // namespace
}  // namespace table_storage::backend::remote::testing
