#include "tests/service/wire.h"

#include <algorithm>
#include <charconv>

#include "parser/edm/text.h"
#include "parser/json/entity_json.h"

namespace table_storage::fake {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

[[noreturn]] void bad_syntax() { throw Refusal{400, "InvalidInput", "Bad Request - Error in query syntax."}; }

/// 'it''s' at the front of `rest`.
std::string take_quoted(std::string_view& rest) {
  if (!rest.starts_with('\'')) bad_syntax();
  std::string value;
  std::size_t at = 1;
  for (;; ++at) {
    if (at >= rest.size()) bad_syntax();
    if (rest[at] != '\'') {
      value += rest[at];
    } else if (at + 1 < rest.size() && rest[at + 1] == '\'') {
      value += rest[at++];
    } else {
      break;
    }
  }
  rest.remove_prefix(at + 1);
  return value;
}

void take(std::string_view& rest, std::string_view expected) {
  if (!rest.starts_with(expected)) bad_syntax();
  rest.remove_prefix(expected.size());
}

// The front end lets no control character through, and slashes end a path segment before any quote is looked
// at.
void check_url_key(const std::string& key) {
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) throw Refusal{0, "", ""};
    if (c == '/' || c == '\\') bad_syntax();
  }
}

void append_datetime(std::string& out, std::int64_t ticks, Personality personality) {
  out += '"';
  if (personality == Personality::cosmos) {
    char fixed[edm::kFixedDateTimeSize];
    edm::format_datetime_fixed(ticks, fixed);
    out.append(fixed, sizeof fixed);
  } else {
    out += edm::format_datetime(ticks);
  }
  out += '"';
}

void append_name(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  json::append_string(out, name);
  out += ':';
}

void append_property(std::string& out, const Rendering& how, std::string_view name, edm::ValueView value) {
  const auto annotate = [&](std::string_view type) {
    if (how.metadata == Metadata::none) return;
    append_name(out, std::string(name) + "@odata.type");
    json::append_string(out, type);
  };
  switch (value.type()) {
    case edm::Type::String:
      append_name(out, name);
      json::append_string(out, value.bytes());
      return;
    case edm::Type::Binary:
      annotate("Edm.Binary");
      append_name(out, name);
      json::append_string(out, edm::format_base64(value.bytes()));
      return;
    case edm::Type::Boolean:
      append_name(out, name);
      out += value.as_boolean() ? "true" : "false";
      return;
    case edm::Type::Int32:
      append_name(out, name);
      out += std::to_string(value.as_int32());
      return;
    case edm::Type::Int64:
      annotate("Edm.Int64");
      append_name(out, name);
      json::append_string(out, std::to_string(value.as_int64()));
      return;
    case edm::Type::Double: {
      std::string text = edm::format_double(value.as_double());
      const bool number = value.as_double() - value.as_double() == 0;
      if (!number) annotate("Edm.Double");
      // .NET writes 1E+308 where others write 1e+308.
      std::replace(text.begin(), text.end(), 'e', 'E');
      append_name(out, name);
      if (number) {
        out += text;
      } else {
        json::append_string(out, edm::format_double(value.as_double()));
      }
      return;
    }
    case edm::Type::DateTime:
      annotate("Edm.DateTime");
      append_name(out, name);
      append_datetime(out, value.as_ticks(), how.personality);
      return;
    case edm::Type::Guid:
      annotate("Edm.Guid");
      append_name(out, name);
      json::append_string(out, edm::format_guid(value.bytes()));
      return;
  }
}

void append_system(std::string& out, const Rendering& how, std::string_view name, const Key& key,
                   const Entity& entity) {
  if (name == "Timestamp") {
    if (how.metadata == Metadata::full) {
      append_name(out, "Timestamp@odata.type");
      out += "\"Edm.DateTime\"";
    }
    append_name(out, name);
    append_datetime(out, entity.timestamp, how.personality);
    return;
  }
  append_name(out, name);
  json::append_string(out, name == "PartitionKey" ? key.partition : key.row);
}

bool is_system(std::string_view name) {
  return name == "PartitionKey" || name == "RowKey" || name == "Timestamp";
}

void append_members(std::string& out, const Rendering& how, const Key& key, const Entity& entity) {
  if (how.metadata == Metadata::full) {
    append_name(out, "odata.type");
    json::append_string(out, how.account + "." + how.table);
    const std::string path = entity_path(how.table, key);
    append_name(out, "odata.id");
    json::append_string(out, how.base + "/" + path);
    append_name(out, "odata.etag");
    json::append_string(out, entity.etag);
    append_name(out, "odata.editLink");
    json::append_string(out, path);
  } else if (how.metadata == Metadata::minimal) {
    append_name(out, "odata.etag");
    json::append_string(out, entity.etag);
  }
  if (how.select) {
    for (const std::string& name : *how.select) {
      if (is_system(name)) {
        append_system(out, how, name, key, entity);
        continue;
      }
      const auto at = std::find_if(entity.properties.begin(), entity.properties.end(),
                                   [&](const auto& property) { return property.first == name; });
      if (at != entity.properties.end()) {
        append_property(out, how, name, at->second);
      } else {  // asked for and absent: an explicit null
        append_name(out, name);
        out += "null";
      }
    }
    return;
  }
  const auto system = [&] {
    for (std::string_view name : {"PartitionKey", "RowKey", "Timestamp"})
      append_system(out, how, name, key, entity);
  };
  if (how.personality == Personality::storage) system();
  for (const auto& [name, value] : entity.properties) append_property(out, how, name, value);
  if (how.personality == Personality::cosmos) system();
}

std::string metadata_url(const Rendering& how, bool single) {
  std::string url = how.base + "/$metadata#" + how.table;
  if (single) url += "/@Element";
  if (how.select) {
    url += "&$select=";
    for (const std::string& name : *how.select) {
      if (url.back() != '=') url += ',';
      url += name;
    }
  }
  return url;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0)
        return std::nullopt;
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool unreserved = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' ||
                            c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

std::string entity_path(std::string_view table, const Key& key) {
  const auto quoted = [](std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled.append(c == '\'' ? 2 : 1, c);
    return "'" + percent_encode(doubled) + "'";
  };
  return std::string(table) + "(PartitionKey=" + quoted(key.partition) + ",RowKey=" + quoted(key.row) + ")";
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = percent_decode(part.substr(0, equals), true);
    auto value = percent_decode(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value || !edm::is_valid_utf8(*value)) bad_syntax();
    parameters.emplace_back(*std::move(name), *std::move(value));
  }
  return parameters;
}

Resource parse_path(std::string_view path) {
  if (path == "/") return {};
  const auto decoded = percent_decode(path.substr(1), false);
  if (!decoded || !edm::is_valid_utf8(*decoded)) throw Refusal{0, "", ""};
  std::string_view rest = *decoded;
  if (rest == "$batch") return {Resource::Kind::batch, "", {}};
  const std::size_t end = std::min(rest.find('('), rest.size());
  std::string name(rest.substr(0, end));
  rest.remove_prefix(end);
  if (name.find('/') != std::string::npos) bad_syntax();
  const bool tables = name == "Tables";
  if (rest.empty() || rest == "()")
    return {tables ? Resource::Kind::tables : Resource::Kind::entities, name, {}};
  take(rest, "(");
  if (tables) {
    std::string which = take_quoted(rest);
    if (rest != ")") bad_syntax();
    return {Resource::Kind::table, std::move(which), {}};
  }
  Key key;
  take(rest, "PartitionKey=");
  key.partition = take_quoted(rest);
  take(rest, ",RowKey=");
  key.row = take_quoted(rest);
  if (rest != ")") bad_syntax();
  check_url_key(key.partition);
  check_url_key(key.row);
  return {Resource::Kind::entity, std::move(name), std::move(key)};
}

std::optional<Metadata> parse_accept(std::string_view accept) {
  std::string text;
  for (const char c : accept.substr(0, accept.find(','))) {
    if (c != ' ') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!text.starts_with("application/json")) return std::nullopt;
  if (text.find("odata=nometadata") != std::string::npos) return Metadata::none;
  if (text.find("odata=fullmetadata") != std::string::npos) return Metadata::full;
  return Metadata::minimal;
}

std::string content_type(Metadata metadata, Personality personality) {
  const std::string_view level = metadata == Metadata::none   ? "nometadata"
                                 : metadata == Metadata::full ? "fullmetadata"
                                                              : "minimalmetadata";
  const std::string type = "application/json;odata=" + std::string(level);
  return personality == Personality::cosmos ? type : type + ";streaming=true;charset=utf-8";
}

std::string render_entity(const Rendering& how, const Key& key, const Entity& entity) {
  std::string out = "{";
  if (how.metadata != Metadata::none) {
    append_name(out, "odata.metadata");
    json::append_string(out, metadata_url(how, true));
  }
  append_members(out, how, key, entity);
  return out += '}';
}

std::string render_page(const Rendering& how, const Page& page) {
  const auto metadata = [&](std::string& out) {
    if (how.metadata == Metadata::none) return;
    append_name(out, "odata.metadata");
    json::append_string(out, metadata_url(how, false));
  };
  std::string out = "{";
  out.reserve(512 * page.rows.size() + 256);
  if (how.personality == Personality::storage) metadata(out);
  append_name(out, "value");
  out += '[';
  std::string entity;
  for (const auto& row : page.rows) {
    if (out.back() != '[') out += ',';
    entity = "{";
    append_members(entity, how, row->first, row->second);
    out += entity;
    out += '}';
  }
  out += ']';
  if (how.personality == Personality::cosmos) metadata(out);
  return out += '}';
}

std::string render_error(const Refusal& refusal, Personality personality, std::string_view request_id) {
  const bool cosmos = personality == Personality::cosmos;
  std::string text = refusal.message;
  text += cosmos ? "\n\nRequestID:" : "\nRequestId:";
  text += request_id;
  if (!cosmos) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ticks = std::chrono::duration_cast<std::chrono::microseconds>(now).count() * 10;
    text += "\nTime:" + edm::format_datetime(edm::kUnixEpochTicks + ticks);
  }
  std::string out = R"({"odata.error":{"code":)";
  json::append_string(out, refusal.code);
  out += R"(,"message":{"lang":")";
  out += cosmos ? "en-us" : "en-US";
  out += R"(","value":)";
  json::append_string(out, text);
  return out += "}}}";
}

std::string encode_token(std::string_view text) {
  std::string code = edm::format_base64(text);
  for (char& c : code) c = c == '+' ? '*' : c == '/' ? '_' : c == '=' ? '-' : c;
  return "1!" + std::to_string(code.size()) + "!" + code;
}

std::optional<std::string> decode_token(std::string_view token) {
  if (!token.starts_with("1!")) return std::nullopt;
  token.remove_prefix(2);
  std::size_t length = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, length);
  if (error != std::errc() || stop == end || *stop != '!') return std::nullopt;
  std::string code(stop + 1, end);
  if (code.size() != length) return std::nullopt;
  for (char& c : code) c = c == '*' ? '+' : c == '_' ? '/' : c == '-' ? '=' : c;
  return edm::parse_base64(code);
}

std::string encode_cosmos_token(const Key& key) {
  std::string both = key.partition;
  both += '\0';
  both += key.row;
  return R"({"token":"+RID:~)" + edm::format_base64(both) + R"(#RT:1#TRC:5","range":{"min":"","max":"FF"}})";
}

std::optional<Key> decode_cosmos_token(std::string_view token) {
  const std::size_t from = token.find('~');
  const std::size_t to = token.find("#RT", from == std::string_view::npos ? 0 : from);
  if (from == std::string_view::npos || to == std::string_view::npos) return std::nullopt;
  const auto both = edm::parse_base64(token.substr(from + 1, to - from - 1));
  if (!both) return std::nullopt;
  const std::size_t middle = both->find('\0');
  if (middle == std::string::npos) return std::nullopt;
  return Key{both->substr(0, middle), both->substr(middle + 1)};
}

}  // namespace table_storage::fake
