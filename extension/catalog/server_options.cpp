// Options of servers as text and back, how ALTER changes them, and what they may not say together.
#include <algorithm>
#include <array>

#include "extension/backend/local/statement.h"
#include "extension/catalog/account_name.h"
#include "extension/catalog/reference.h"
#include "extension/catalog/server.h"
#include "extension/catalog/server_store.h"
#include "parser/connection/connection_string.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::quoted_identifier;
using definition::equal_without_case;

namespace {

std::string quoted_object(ObjectKind kind, std::string_view object) {
  return std::string(name_of(kind)) + " " + quoted_identifier(object);
}

}  // namespace

const std::string* find_value(const Options& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const definition::Option& option) {
    return equal_without_case(option.name, name);
  });
  return found == options.end() ? nullptr : &found->value;
}

void check_options(ObjectKind kind, const Options& options, std::string_view object) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    validate(kind, options[i].name, options[i].value, object);
    for (std::size_t j = 0; j < i; ++j) {
      if (equal_without_case(options[i].name, options[j].name))
        refuse("option " + options[i].name + " of " + quoted_object(kind, object) + " is given twice");
    }
  }
}

Options changed_options(Options options, std::span<const OptionChange> changes, ObjectKind kind,
                        std::string_view object) {
  using Action = OptionChange::Action;
  const std::string what = quoted_object(kind, object);
  for (const OptionChange& change : changes) {
    // A wrong name is told as such, not as one that is not there.
    const OptionSpec* spec = find_option(change.name);
    if (change.action != Action::drop || !spec || !spec->carried_by(kind))
      validate(kind, change.name, change.value, object);
    const auto place = std::find_if(options.begin(), options.end(), [&](const definition::Option& option) {
      return equal_without_case(option.name, change.name);
    });
    const bool found = place != options.end();
    const std::string name(spec->name);
    if (change.action == Action::add && found)
      refuse("option " + name + " of " + what + " is there already; SET changes it");
    if (change.action != Action::add && !found) {
      refuse("option " + name + " of " + what + " is not set" +
             (change.action == Action::set ? "; ADD sets it" : ""));
    }
    if (change.action == Action::drop) {
      options.erase(place);
    } else if (found) {
      place->value = change.value;
    } else {
      options.push_back({name, change.value, 0});
    }
  }
  return options;
}

std::string options_text(const Options& options) {
  std::string text;
  for (const definition::Option& option : options) {
    const OptionSpec* spec = find_option(option.name);
    text += (text.empty() ? "" : ", ") + (spec ? std::string(spec->name) : quoted_identifier(option.name));
    text += " '";
    for (const char c : option.value) {
      if (c == '\'') text += '\'';
      text += c;
    }
    text += '\'';
  }
  return text;
}

Options parse_options(const std::string& text) {
  if (text.empty()) return {};
  try {
    return definition::parse_table_definition({"OPTIONS (" + text + ")"}).options;
  } catch (const Error&) {
    // What the text holds is unknown, and an error of the parser quotes it.
    refuse(
        "the stored options do not parse; they are written as in OPTIONS (…), such as endpoint 'https://…'");
  }
}

void check_server_options(const Options& options, std::string_view name) {
  check_options(ObjectKind::server, options, name);
  const std::string what = quoted_object(ObjectKind::server, name);
  for (const definition::Option& option : options) {
    const bool is_string = equal_without_case(option.name, "connection_string");
    const std::string_view shape = secret_shape(option.value);
    const bool is_secret = is_string ? !is_stored_reference(option.value) &&
                                           !equal_without_case(option.value, "UseDevelopmentStorage=true")
                                     : !shape.empty();
    if (!is_secret) continue;
    refuse("option " + option.name + " of " + what + " holds " +
           (is_string ? "a connection string itself" : "what looks like " + std::string(shape)) +
           ", which would be kept in the database file. Say where it is, 'env:NAME' or 'file:PATH'; or give "
           "it to the connection alone, in memory: CREATE USER MAPPING FOR CURRENT_USER SERVER " +
           quoted_identifier(name) + " OPTIONS (" + (is_string ? "connection_string" : "account_key") +
           " '…')");
  }

  const auto has = [&](std::string_view option) { return find_value(options, option) != nullptr; };
  const std::string* backend = find_value(options, "backend");
  const bool local = backend != nullptr && equal_without_case(*backend, "local");
  constexpr std::array<std::string_view, 3> kPlaces{"connection_string", "endpoint", "account"};
  for (const std::string_view place : kPlaces) {
    if (local && has(place))
      refuse(what + " has backend 'local' and " + std::string(place) + ", which is for a remote service");
  }
  if (!local && has("database")) refuse(what + " has database, which is for a server with backend 'local'");
  for (const std::string_view place : {"endpoint", "account"}) {
    if (has("connection_string") && has(place))
      refuse(what + " has connection_string and " + std::string(place) + "; the first says it all");
  }
  if (const std::string* account = find_value(options, "account");
      account != nullptr && !is_account_name(*account)) {
    refuse("option account of " + what +
           " holds a character that no account has: letters, digits and '-' are right");
  }
  if (const std::string* endpoint = find_value(options, "endpoint")) {
    try {
      connection::parse_endpoint_url(*endpoint);
    } catch (Error& error) {
      error.prefix(what);
      throw;
    }
  }
}

std::string place_of(const Options& options) {
  Options kept;
  for (const std::string_view name : {"backend", "database", "connection_string", "endpoint", "account",
                                      "proxy", "ca_file", "allow_http"}) {
    if (const std::string* value = find_value(options, name)) kept.push_back({std::string(name), *value, 0});
  }
  return options_text(kept);
}

}  // namespace table_storage::catalog
