#include "tests/oom/service_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/service/fake_service.h"

namespace table_storage::oom {
namespace {

[[noreturn]] void serve(const std::vector<std::string>& tables, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  fake::FakeOptions options;
  options.recorded_requests = 0;
  fake::change_setting(options.settings, "page_size=3");
  fake::FakeService service(options);
  for (const std::string& table : tables) service.create_table(table);
  const std::uint16_t port = service.port();
  if (write(out, &port, sizeof port) != sizeof port) _exit(2);
  for (;;) pause();
}

}  // namespace

ServiceProcess::ServiceProcess(const std::vector<std::string>& tables) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  child_ = fork();
  if (child_ < 0) std::abort();
  if (child_ == 0) serve(tables, ends[1]);
  close(ends[1]);
  if (read(ends[0], &port_, sizeof port_) != sizeof port_) std::abort();
  close(ends[0]);
}

ServiceProcess::~ServiceProcess() {
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

}  // namespace table_storage::oom
