// The Azure CLI as a source of tokens.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <simdjson.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "extension/backend/remote/token.h"
#include "extension/backend/remote/token_reply.h"
#include "parser/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace table_storage::backend::remote {
namespace {

using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void fail_cli(std::string message) { throw Error(Error::Kind::storage, "", std::move(message)); }

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      fail_cli(std::string("the Azure CLI cannot be run: ") + std::strerror(errno));
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  Descriptor read, write;
};

/// A program that was started, in a process group of its own. It does not outlive this object.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const Pipe& out, const Pipe& err) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    // posix_spawn does not write to them.
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int code = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
      pid_ = -1;
      fail_cli("the Azure CLI (" + arguments.front() + ") cannot be run: " + std::strerror(code) +
               ". Install it, put it into PATH and log in with az login");
    }
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);  // az is a script that starts Python
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Exit code once it has ended, at most at `end`; -1 where it did not exit by itself, is still there, or
  /// the host program reaps every child.
  int exit_code(SteadyClock::time_point end) {
    int status = 0;
    for (;;) {
      const pid_t got = waitpid(pid_, &status, WNOHANG);
      if (got == pid_ || (got < 0 && errno != EINTR)) {
        pid_ = -1;
        return got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      if (SteadyClock::now() >= end) return -1;
      poll(nullptr, 0, 5);
    }
  }

 private:
  pid_t pid_ = -1;
};

struct Output {
  std::string out, err;
  int code = -1;
};

Output run(const std::vector<std::string>& arguments, const AzureCli& cli) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  Pipe out, err;
  Child child(arguments, out, err);
  out.write.close();
  err.write.close();
  const auto end = SteadyClock::now() + cli.timeout;
  Output output;
  std::array<pollfd, 2> polled{{{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
  const std::array<std::string*, 2> targets{&output.out, &output.err};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (cli.interrupted && cli.interrupted()) fail_cli("interrupted while the Azure CLI was getting a token");
    if (SteadyClock::now() >= end)
      fail_cli("the Azure CLI (" + cli.program + ") gave no token within " +
               std::to_string(cli.timeout.count()) + " ms");
    poll(polled.data(), polled.size(), 50);
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || targets[i]->size() > kLargest) {
        polled[i].fd = -1;
      } else {
        targets[i]->append(buffer.data(), static_cast<std::size_t>(got));
      }
    }
  }
  output.code = child.exit_code(end);
  return output;
}

class AzureCliSource final : public TokenSource {
 public:
  explicit AzureCliSource(AzureCli cli) : cli_(std::move(cli)) {
    if (cli_.scope.empty()) throw Error(Error::Kind::invalid, "", "a token of the Azure CLI needs a scope");
    for (const std::string* text : {&cli_.scope, &cli_.tenant}) {
      // No shell is involved, but a leading dash would be an option, and az itself may be a batch file
      // elsewhere.
      const bool plain = std::all_of(text->begin(), text->end(), [](char c) {
        return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
               std::string_view("-._:/ ").find(c) != std::string_view::npos;
      });
      if (!plain || text->starts_with('-'))
        throw Error(Error::Kind::invalid, "", "'" + *text + "' is no scope or tenant");
    }
  }

  Token fetch(const Exchanger&, WallTime) const override {
    std::vector<std::string> arguments = {cli_.program, "account", "get-access-token", "--output",
                                          "json",       "--scope", cli_.scope};
    if (!cli_.tenant.empty()) arguments.insert(arguments.end(), {"--tenant", cli_.tenant});
    const Output output = run(arguments, cli_);
    if (output.code > 0 || (output.code < 0 && output.out.empty())) {
      const std::string said = without_secrets(output.err, {});
      fail_cli("the Azure CLI gave no token" + (said.empty() ? "" : ": \"" + said + "\"") + ". Try az login");
    }
    return parse_azure_cli_output(output.out);
  }

 private:
  const AzureCli cli_;
};

}  // namespace

std::unique_ptr<TokenSource> azure_cli_source(AzureCli cli) {
  return std::make_unique<AzureCliSource>(std::move(cli));
}

Token parse_azure_cli_output(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::string_view value, expiry;
  std::int64_t seconds = 0;
  const simdjson::error_code error = parser.parse(json.data(), json.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  const bool is_object = error == simdjson::SUCCESS;
  if (!is_object || object["accessToken"].get(value) != simdjson::SUCCESS || value.empty())
    fail_cli("what the Azure CLI printed is not the JSON of a token with accessToken");
  std::optional<WallTime> expires_at;
  if (object["expires_on"].get(seconds) == simdjson::SUCCESS) {
    expires_at = read_expiry(std::to_string(seconds));
  } else if (object["expires_on"].get(expiry) == simdjson::SUCCESS) {
    expires_at = read_expiry(expiry);
  }
  if (!expires_at && object["expiresOn"].get(expiry) == simdjson::SUCCESS)
    expires_at = read_local_time(expiry);
  if (!expires_at) fail_cli("what the Azure CLI printed does not say when the token expires");
  if (std::any_of(value.begin(), value.end(), [](char c) { return c <= ' ' || c >= 0x7F; }))
    fail_cli("the token that the Azure CLI printed holds characters that no token has");
  return {std::string(value), *expires_at};
}

}  // namespace table_storage::backend::remote
