// PostgreSQL's statements about foreign data.
#include "parser/fdw/script.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(fdw) {
  try {
    for (const fdw::ScriptStatement& statement : fdw::parse_script(input)) {
      require(statement.position < input.size(), "a statement has a place", input);
      require(!fdw::command_tag(statement.statement).empty(), "a statement has a tag", input);
      fdw::place_text(input, statement.position);
    }
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid, "a script is refused as invalid", error.what());
    check_error(error, input);
  }
}

}  // namespace table_storage::fuzz
