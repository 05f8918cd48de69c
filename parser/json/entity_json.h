// Entities as the JSON of the service's minimal metadata: what `_properties` shows and takes, and what pages
// hold.
//
// Source: "Payload format for Table service operations"; each type's encoding: entity_writer.cpp.
// Free functions without state: any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/edm/value.h"

namespace table_storage::json {

using Property = std::pair<std::string, edm::Value>;

/// Reads one JSON object of properties: `"name": value`, with `"name@odata.type": "Edm.Int64"` before or
/// after it. Without an annotation a string is a String, true/false a Boolean, an integer in Int32 an Int32,
/// a larger one a Double, a number with '.' or exponent a Double, null no property at all. `odata.*` members
/// are skipped. Order is that of the text. Throws Error(invalid, "InvalidInput") naming the member that is
/// wrong, and DuplicatePropertiesSpecified for a name that comes twice.
std::vector<Property> parse_properties(std::string_view json);

/// Appends `"name@odata.type":"…","name":value` (the annotation only where minimal metadata has it). Call it
/// between begin/end of an object; writes the comma itself unless `out` ends in '{'.
void append_property(std::string& out, std::string_view name, edm::ValueView value);

/// Appends a JSON string with its quotes.
void append_string(std::string& out, std::string_view utf8);

}  // namespace table_storage::json
