// The one table of options, and everything that reads it: the validator, its hints, and the reference in
// ts_options.
//
// An option belongs to servers, user mappings, foreign tables or columns; some to several, and then a table's
// value overrides its server's. Values are text, as they stand in OPTIONS (name 'value'); the type says which
// texts are good. Names compare without case.
//
// The table is constant: any thread may call anything here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/definition/table_definition.h"

namespace table_storage::catalog {

/// What can carry an option. The values are bits, so that an option can name several carriers.
enum class ObjectKind : unsigned char { server = 1, user_mapping = 2, table = 4, column = 8 };
/// "server", "user mapping", "table", "column".
std::string_view name_of(ObjectKind kind);

enum class OptionType : unsigned char {
  text,     ///< anything but the empty text
  boolean,  ///< true, false, on, off, yes, no, 1, 0
  integer,  ///< decimal digits with an optional '-', within minimum and maximum
  choice    ///< one of `choices`, without case
};

struct OptionSpec {
  std::string_view name;
  unsigned carriers;  ///< ObjectKind bits
  OptionType type;
  std::string_view default_value;  ///< empty: none, or said in `meaning`
  std::string_view meaning;        ///< one sentence
  std::span<const std::string_view> choices = {};
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::string_view why_no_other =
      {};  ///< what is wrong with another choice that people know, if there is one

  bool carried_by(ObjectKind kind) const { return (carriers & static_cast<unsigned>(kind)) != 0; }
};

std::span<const OptionSpec> all_options();
/// Null if there is no option of that name.
const OptionSpec* find_option(std::string_view name);
/// The names that `kind` may carry, in the order of the table: "table, on_type_mismatch, ...".
std::string option_names(ObjectKind kind);
/// The values that an option takes, for a sentence: "true or false", "null or error", "an integer from 0".
std::string value_choices(const OptionSpec& option);

/// Checks one option of one object. `object_name` only serves the message. Throws Error(invalid) that names
/// the option and the object, and lists what would be valid: the object's options (with the closest one as a
/// guess) or the option's values. The value is not repeated, as it may be a secret in the wrong place.
void validate(ObjectKind kind, std::string_view name, std::string_view value,
              std::string_view object_name = {});

/// The value that counts: of the first of `levels` that has the option (a table before its server), else the
/// default. The text lives as long as the levels. `name` must be an option.
std::string_view effective_value(std::string_view name,
                                 std::initializer_list<std::span<const definition::Option>> levels);

/// Texts of the types above. nullopt: not such a text.
std::optional<bool> parse_boolean(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

/// What looks like a secret in `text`, as a noun ("a shared access signature"); empty if nothing does.
std::string_view secret_shape(std::string_view text);

/// Refuses arguments of CREATE VIRTUAL TABLE that look like they hold a secret, since SQLite keeps their text
/// in the database file, in dumps and in traces. To be called before anything that may quote an argument in
/// an error. Looks at the names inside OPTIONS (...), and outside at names with a value as no column has them
/// (key='x'); and everywhere at the shapes of connection strings, account keys, SAS signatures and bearer
/// tokens. Throws Error(invalid); the message says where a secret belongs and never repeats one.
void refuse_secrets(const std::vector<std::string>& arguments);

}  // namespace table_storage::catalog
