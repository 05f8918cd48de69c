// Text forms of the protocol as the service writes and reads them: URLs, entities, errors, continuation
// tokens. Written apart from the client's own code, so that a mistake does not cancel out. Pure functions:
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/service/http_server.h"
#include "tests/service/store.h"

namespace table_storage::fake {

/// %XX decoded; `plus_is_space` in queries, never in paths. nullopt for a broken escape.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Decoded names and values in order. Throws Refusal.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

/// What a path below the account names, decoded.
struct Resource {
  enum class Kind : unsigned char { service, tables, table, entities, entity, batch };
  Kind kind = Kind::service;
  std::string table;
  Key key;  // entity only
};
/// `path` begins with '/', without the account's segment. Throws Refusal; status 0 of it means the HTML page
/// that the front end gives for a URL that it does not let through.
Resource parse_path(std::string_view path);

enum class Metadata : unsigned char { none, minimal, full };
/// nullopt where the header asks for something that is no JSON.
std::optional<Metadata> parse_accept(std::string_view accept);
std::string content_type(Metadata metadata, Personality personality);

struct Rendering {
  Metadata metadata = Metadata::minimal;
  Personality personality = Personality::storage;
  std::string base;  // "http://127.0.0.1:10002/devstoreaccount1"
  std::string account;
  std::string table;
  std::optional<std::vector<std::string>> select;
};
std::string render_entity(const Rendering& how, const Key& key, const Entity& entity);
std::string render_page(const Rendering& how, const Page& page);

/// The JSON of an error; `request_id` and a time stand in its message.
std::string render_error(const Refusal& refusal, Personality personality, std::string_view request_id);

/// Percent-encoding of all but unreserved characters.
std::string percent_encode(std::string_view text);
std::string entity_path(std::string_view table, const Key& key);

/// "1!16!cGs4MDEwMTZlOA--"
std::string encode_token(std::string_view text);
std::optional<std::string> decode_token(std::string_view token);
/// Cosmos' blob for the next partition key; both keys are inside.
std::string encode_cosmos_token(const Key& key);
std::optional<Key> decode_cosmos_token(std::string_view token);

}  // namespace table_storage::fake
