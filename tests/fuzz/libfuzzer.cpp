// The entry point of libFuzzer, for the one target that is linked with it.
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  table_storage::fuzz::targets().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
