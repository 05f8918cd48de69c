// The fake service as a program, for scripts and clients in other processes.
//
//   fake_service [--port N] [--cosmos] [--set page_size=3]… [--fault "action=answer;status=503;nth=2"]…
//
// Prints its endpoint and serves until standard input ends or a signal comes. While it runs, http://…/__fake/
// takes fault and config (POST, the same texts), forget and reset, and shows requests and violations.
#include <unistd.h>

#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/service/fake_service.h"

namespace fake = table_storage::fake;

int main(int argc, char** argv) try {
  fake::FakeOptions options;
  options.administration = true;
  std::vector<std::string> faults;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::invalid_argument(argument + " needs a value");
      return argv[++i];
    };
    if (argument == "--port") {
      options.port = static_cast<std::uint16_t>(std::stoul(value()));
    } else if (argument == "--cosmos") {
      options.settings.personality = fake::Personality::cosmos;
      options.settings.path_style = false;
    } else if (argument == "--set") {
      fake::change_setting(options.settings, value());
    } else if (argument == "--fault") {
      faults.push_back(value());
    } else {
      throw std::invalid_argument("unknown argument " + argument);
    }
  }
  fake::FakeService service(options);
  for (const std::string& text : faults) service.add_fault(fake::parse_fault(text));
  std::cout << service.endpoint() << std::endl;  // at once: a script waits for it
  char buffer[256];
  while (read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
  }
  return 0;
} catch (const std::exception& e) {
  std::cerr << "fake_service: " << e.what() << "\n";
  return 2;
}
