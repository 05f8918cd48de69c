//   chaos [--statements N] [--seed N] [--faults SHARE]
//
// chaos.h says what is done. The last line is the figures; exit status 0: nothing was wrong.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "extension/backend/remote/parallel_scan.h"
#include "extension/module/near_service.h"
#include "tests/chaos/chaos.h"

int main(int argc, char** argv) {
  table_storage::backend::remote::least_wait_for_parts = 0;  // the fake answers at once
  table_storage::module::near_service = 0;
  table_storage::chaos::Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (value != nullptr && name == "--statements") {
      options.statements = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && name == "--faults") {
      options.faults = std::strtod(value, nullptr);
    } else {
      std::fputs("usage: chaos [--statements N] [--seed N] [--faults SHARE]\n", stderr);
      return 2;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return table_storage::chaos::Chaos(options).run() ? 0 : 1;
}
