// The arguments of CREATE VIRTUAL TABLE: one a line.
#include "parser/definition/table_definition.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(definition) {
  std::vector<std::string> arguments;
  for (std::string_view text = input; !text.empty();) arguments.emplace_back(take_line(text));
  try {
    const definition::TableDefinition table = definition::parse_table_definition(arguments);
    for (const definition::Column& column : table.columns) {
      require(!column.name.empty(), "a column has a name");
      for (const definition::Option& option : column.options)
        require(!option.name.empty() && option.position < input.size(), "an option has a name and a place");
    }
    require(table.columns.size() <= arguments.size(), "an argument is one column at most");
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid, "a definition is refused as invalid", error.what());
    check_error(error, input);
  }
}

}  // namespace table_storage::fuzz
