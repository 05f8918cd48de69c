// From one JSON scalar and its type annotation to a typed value: the half of the entity JSON that knows the
// Edm types and nothing about objects. Pure functions; several threads may call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/edm/value.h"

namespace table_storage::json {

/// A JSON value that is neither object nor array.
struct Scalar {
  enum class Kind { null, boolean, number, string };
  Kind kind;
  std::string_view text;  ///< string: unescaped, valid UTF-8; the others: the token as it stands in the JSON
};

/// Reads a token that is no string, object or array; nullopt if it is no JSON (`nul`, `01`, `.5`, `1.`).
std::optional<Scalar> read_token(std::string_view token);

/// The value of member `name`, which is not null. Without `annotation` the form of the token decides the
/// type; with it ("Edm.Int64") the text has to be of that type in full. Throws Error(invalid): InvalidInput
/// for an unknown type or a value that is not of the type, OutOfRangeInput for a DateTime the service does
/// not take.
edm::Value typed_value(std::string_view name, const Scalar& scalar,
                       std::optional<std::string_view> annotation);

/// `text` for a message: JSON-quoted, shortened at a character boundary.
std::string shown_text(std::string_view text);

/// Throws Error(invalid) with the code that the service would answer with.
[[noreturn]] void fail(std::string message, std::string code = "InvalidInput");

}  // namespace table_storage::json
