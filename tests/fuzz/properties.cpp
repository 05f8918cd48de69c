// Entities as JSON, as `_properties` takes them: what is read is written and reads back as the same.
#include "parser/json/entity_json.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(properties) {
  std::vector<json::Property> properties;
  try {
    properties = json::parse_properties(input);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid, "properties are refused as invalid", error.what());
    check_error(error, input);
    return;
  }
  std::string written = "{";
  for (const auto& [name, value] : properties) json::append_property(written, name, value);
  written += '}';
  require(json::parse_properties(written) == properties, "written properties read back the same", written);
}

}  // namespace table_storage::fuzz
