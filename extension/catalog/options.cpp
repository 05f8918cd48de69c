#include "extension/catalog/options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {
namespace {

using definition::equal_without_case;

constexpr std::array kKinds{ObjectKind::server, ObjectKind::user_mapping, ObjectKind::table,
                            ObjectKind::column};

std::vector<std::string_view> names_for(ObjectKind kind) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : all_options())
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

const OptionSpec* find_option(std::string_view name) {
  for (const OptionSpec& option : all_options())
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
                "option " + std::string(option->name) + " of " + object + " takes " + value_choices(*option) +
                    (option->why_no_other.empty() ? "" : "; ") + std::string(option->why_no_other));
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
