#include "extension/catalog/options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

using definition::equal_without_case;

constexpr unsigned kTable = static_cast<unsigned>(ObjectKind::table);
constexpr unsigned kColumn = static_cast<unsigned>(ObjectKind::column);
constexpr unsigned kServerOrTable = static_cast<unsigned>(ObjectKind::server) | kTable;

constexpr std::array<std::string_view, 2> kMismatchChoices{"null", "error"};

// A row here is all it takes to make an option known. Order is the order of the reference.
constexpr std::array<std::string_view, 3> kDialectChoices{"storage", "cosmos", "azurite"};

constexpr std::array kOptions{
    OptionSpec{.name = "table",
               .carriers = kTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Name of the table in the service; left out, the SQL name."},
    OptionSpec{.name = "connection_string",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Where the connection string of a remote service is: env:NAME or file:PATH; or "
                          "UseDevelopmentStorage=true for the emulator on this machine."},
    OptionSpec{.name = "endpoint",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Address of a remote service that needs no secret: the emulator on this machine, "
                          "such as http://127.0.0.1:10002/devstoreaccount1."},
    OptionSpec{.name = "dialect",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "",
               .meaning = "Which service answers, where its address does not tell.",
               .choices = kDialectChoices},
    OptionSpec{.name = "concurrency",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "8",
               .meaning = "How many requests of one scan may be under way at once.",
               .minimum = 1,
               .maximum = 128},
    OptionSpec{.name = "max_retries",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "3",
               .meaning = "How often a request that failed for a passing reason is sent again.",
               .minimum = 0,
               .maximum = 20},
    OptionSpec{.name = "connect_timeout",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "10",
               .meaning = "Seconds until a connection must stand.",
               .minimum = 1,
               .maximum = 600},
    OptionSpec{.name = "request_timeout",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "120",
               .meaning = "Seconds until a request must be answered.",
               .minimum = 1,
               .maximum = 3600},
    OptionSpec{.name = "proxy",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Proxy as http://host:port; left out, what the environment says."},
    OptionSpec{.name = "ca_file",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "PEM file of the certificate authorities to trust; left out, the system's."},
    OptionSpec{.name = "allow_http",
               .carriers = kServerOrTable,
               .type = OptionType::boolean,
               .default_value = "false",
               .meaning = "Whether plain http may leave this machine."},
    OptionSpec{.name = "on_type_mismatch",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "null",
               .meaning = "What a column shows for a value of another type than declared: NULL, or an error "
                          "that names the entity.",
               .choices = kMismatchChoices},
    // A scan without a count: the service has none. Large enough that the planner prefers a key look-up to a
    // scan.
    OptionSpec{
        .name = "estimated_rows",
        .carriers = kServerOrTable,
        .type = OptionType::integer,
        .default_value = "100000",
        .meaning = "How many entities the query planner assumes in the table; the service does not say.",
        .minimum = 0},
    OptionSpec{.name = "updatable",
               .carriers = kServerOrTable,
               .type = OptionType::boolean,
               .default_value = "true",
               .meaning = "Whether INSERT, UPDATE and DELETE are allowed."},
    OptionSpec{.name = "property",
               .carriers = kColumn,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Name of the property that the column shows, with its case; left out, the column's "
                          "name."},
};

constexpr std::array kKinds{ObjectKind::server, ObjectKind::user_mapping, ObjectKind::table,
                            ObjectKind::column};

std::vector<std::string_view> names_for(ObjectKind kind) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : kOptions)
    if (option.carried_by(kind)) names.push_back(option.name);
  return names;
}

/// "table readings", or "a table" where the name is not known.
std::string object_text(ObjectKind kind, std::string_view object_name) {
  if (object_name.empty()) return "a " + std::string(name_of(kind));
  return std::string(name_of(kind)) + " " + std::string(object_name);
}

/// "a server or a table".
std::string carriers_text(const OptionSpec& option) {
  std::string out;
  for (ObjectKind kind : kKinds) {
    if (!option.carried_by(kind)) continue;
    if (!out.empty()) out += " or ";
    out += "a " + std::string(name_of(kind));
  }
  return out;
}

bool good(const OptionSpec& option, std::string_view value) {
  switch (option.type) {
    case OptionType::text:
      return !value.empty();
    case OptionType::boolean:
      return parse_boolean(value).has_value();
    case OptionType::integer: {
      const auto number = parse_integer(value);
      return number && *number >= option.minimum && *number <= option.maximum;
    }
    case OptionType::choice:
      return std::any_of(option.choices.begin(), option.choices.end(),
                         [&](std::string_view choice) { return equal_without_case(choice, value); });
  }
  return false;
}

}  // namespace

std::string_view name_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::server:
      return "server";
    case ObjectKind::user_mapping:
      return "user mapping";
    case ObjectKind::table:
      return "table";
    case ObjectKind::column:
      return "column";
  }
  return {};
}

std::span<const OptionSpec> all_options() { return kOptions; }

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& option : kOptions)
    if (equal_without_case(option.name, name)) return &option;
  return nullptr;
}

std::string option_names(ObjectKind kind) {
  std::string out;
  for (std::string_view name : names_for(kind)) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

std::string value_choices(const OptionSpec& option) {
  constexpr auto kNoMinimum = std::numeric_limits<std::int64_t>::min();
  constexpr auto kNoMaximum = std::numeric_limits<std::int64_t>::max();
  switch (option.type) {
    case OptionType::text:
      return "a text that is not empty";
    case OptionType::boolean:
      return "true or false";
    case OptionType::integer: {
      std::string out = "an integer";
      if (option.minimum != kNoMinimum) out += " from " + std::to_string(option.minimum);
      if (option.maximum != kNoMaximum) out += " up to " + std::to_string(option.maximum);
      return out;
    }
    case OptionType::choice: {
      std::string out;
      for (std::size_t i = 0; i < option.choices.size(); ++i) {
        if (i > 0) out += i + 1 == option.choices.size() ? " or " : ", ";
        out += option.choices[i];
      }
      return out;
    }
  }
  return {};
}

void validate(ObjectKind kind, std::string_view name, std::string_view value, std::string_view object_name) {
  const OptionSpec* option = find_option(name);
  const std::string object = object_text(kind, object_name);
  if (!option || !option->carried_by(kind)) {
    const std::string shown = definition::excerpt(name, 40);
    std::string what = option ? shown + " is an option of " + carriers_text(*option) + ", not of " + object
                              : object + " has no option " + shown;
    if (!option)
      if (const std::string_view near = definition::closest(name, names_for(kind)); !near.empty())
        what += "; did you mean " + std::string(near) + "?";
    const std::string names = option_names(kind);
    what += what.back() == '?' ? " " : ". ";
    what += names.empty() ? "A " + std::string(name_of(kind)) + " has no options"
                          : "Options of a " + std::string(name_of(kind)) + " are " + names;
    throw Error(Error::Kind::invalid, "", what);
  }
  if (!good(*option, value))
    throw Error(Error::Kind::invalid, "",
                "option " + std::string(option->name) + " of " + object + " takes " + value_choices(*option));
}

std::string_view effective_value(std::string_view name,
                                 std::initializer_list<std::span<const definition::Option>> levels) {
  for (std::span<const definition::Option> level : levels)
    for (const definition::Option& option : level)
      if (equal_without_case(option.name, name)) return option.value;
  const OptionSpec* spec = find_option(name);
  if (!spec) throw Error(Error::Kind::invalid, "", "there is no option " + std::string(name));
  return spec->default_value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (std::string_view word : {"true", "on", "yes", "1"})
    if (equal_without_case(word, text)) return true;
  for (std::string_view word : {"false", "off", "no", "0"})
    if (equal_without_case(word, text)) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace table_storage::catalog
