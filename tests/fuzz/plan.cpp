// The plan language: what parses prints, and reads back as the same plan.
#include "parser/plan/plan.h"

#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(plan) {
  plan::Plan parsed;
  try {
    parsed = plan::parse_plan(input);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid, "a plan is refused as invalid", error.what());
    check_error(error, input);
    return;
  }
  const std::string printed = plan::print(parsed);
  require(plan::parse_plan(printed) == parsed, "a printed plan reads back the same", printed);
}

}  // namespace table_storage::fuzz
