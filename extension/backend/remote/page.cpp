#include "extension/backend/remote/page.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "extension/backend/remote/page_members.h"
#include "extension/backend/remote/parser_pool.h"
#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/json/typed_value.h"
#include "parser/json/unescape.h"

namespace table_storage::backend::remote {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::size_t kFirstArena = 4096;

[[noreturn]] void fail_page(const std::string& what) {
  throw Error(Error::Kind::storage, "", "the answer of the service is damaged: " + what);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view without_blanks(std::string_view token) {
  while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
  return token;
}

/// What stands between the quotes of a JSON string, escapes and all; a view of nothing for another token.
std::string_view between_quotes(std::string_view token) {
  token = without_blanks(token);
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return {};
  return token.substr(1, token.size() - 2);
}

bool is_integer(std::string_view number) {
  return std::all_of(number.begin(), number.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

constexpr std::array<bool, 256> kScalarStart = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("\"-0123456789tfn")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

std::optional<edm::Type> type_of(std::string_view annotation) {
  for (int i = 0; i < edm::kTypeCount; ++i) {
    const auto type = static_cast<edm::Type>(i);
    if (edm::name_of(type) == annotation) return type;
  }
  return std::nullopt;
}

}  // namespace

// --- Page
// ------------------------------------------------------------------------------------------------------

Page::Row& Page::append() {
  values_.resize(values_.size() + width_);
  return rows_.emplace_back();
}

void Page::clear(std::size_t properties) {
  rows_.clear();
  width_ = properties;
  values_.clear();
  all_.clear();
  all_ends_.clear();
  if (!arena_) arena_ = std::make_unique<std::pmr::monotonic_buffer_resource>(kFirstArena);
  arena_->release();
}

void Page::show(std::size_t row, EntityView& entity) const {
  entity.partition_key = rows_[row].partition_key;
  entity.row_key = rows_[row].row_key;
  entity.timestamp = rows_[row].timestamp;
  const edm::ValueView* const values = values_.data() + row * width_;
  entity.properties.assign(values, values + width_);
  if (all_ends_.empty()) {
    entity.all.clear();
  } else {
    const NamedValue* const all = all_.data();
    entity.all.assign(all + (row == 0 ? 0 : all_ends_[row - 1]), all + all_ends_[row]);
  }
}

EntityView Page::operator[](std::size_t row) const {
  EntityView entity;
  show(row, entity);
  return entity;
}

std::string Page::take_buffer() {
  clear(0);
  return std::exchange(body_, {});
}

std::string Page::etag(std::size_t row) const {
  const std::string_view token = std::string_view(body_).substr(rows_[row].etag, rows_[row].etag_size);
  const std::string_view text = between_quotes(token);
  // W/\"datetime'…'\": escaped quotes, and nothing else in practice.
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || std::string_view("\"\\/").find(text[i]) == std::string_view::npos) {
        std::optional<std::string> whole = json::unescaped(without_blanks(token));
        if (!whole) fail_page("an odata.etag");
        return std::move(*whole);
      }
    }
    result += text[i];
  }
  return result;
}

// --- Decoding
// --------------------------------------------------------------------------------------------------

class PageDecoder {
 public:
  PageDecoder(const Projection& projection, std::shared_ptr<ParserPool> parsers)
      : parsers_(std::move(parsers)), projection_(projection), members_(projection_) {
    // A property that is wanted twice is read once and copied.
    for (std::size_t i = 0; i < projection_.properties.size(); ++i) {
      const auto first =
          std::find(projection_.properties.begin(), projection_.properties.end(), projection_.properties[i]);
      const auto from = static_cast<std::size_t>(first - projection_.properties.begin());
      if (from != i) copies_.emplace_back(from, i);
    }
  }

  void read(std::string body, Page& page, bool list) {
    page.clear(projection_.properties.size());
    page_ = &page;
    size_ = body.size();
    page.body_ = std::move(body);
    page.body_.append(simdjson::SIMDJSON_PADDING, '\0');
    const std::size_t skip = std::string_view(page.body_).starts_with(kBom) ? kBom.size() : 0;
    json_ = std::string_view(page.body_).substr(skip, size_ - skip);
    const ParserPool::Loan parser(*parsers_);
    parser_ = &*parser;
    try {
      if (json_.find_first_not_of(kBlanks) == std::string_view::npos) fail_page("it is empty");
      check(parser_->iterate(json_.data(), json_.size(), json_.size() + simdjson::SIMDJSON_PADDING)
                .get(document_));
      ondemand::object root;
      check(document_.get_object().get(root));
      if (list) {
        read_envelope(root);
      } else {
        read_entity(root);
      }
      if (document_.current_location().error() == simdjson::SUCCESS) check(simdjson::TRAILING_CONTENT);
    } catch (...) {
      page.clear(0);
      throw;
    }
  }

 private:
  void read_envelope(ondemand::object root) {
    bool found = false;
    for (auto&& result : root) {
      ondemand::field field;
      check(std::move(result).get(field));
      if (field.key() == "value" && !found) {
        found = true;
        read_entities(field.value());
      } else if (field.key() == "odata.error" || field.key() == "error") {
        // A service that fails while it streams has sent its 200 already.
        fail_page("the service broke off with an error");
      }
    }
    if (!found) fail_page("it holds no list of entities (\"value\")");
  }

  void read_entities(ondemand::value value) {
    ondemand::array array;
    check(value.get_array().get(array));
    for (auto&& result : array) {
      ondemand::value element;
      check(std::move(result).get(element));
      ondemand::object entity;
      check(element.get_object().get(entity));
      read_entity(entity);
    }
  }

  void read_entity(ondemand::object object) {
    members_.start_entity();
    ++row_;
    Page::Row& row = page_->append();
    properties_ = page_->properties(page_->size() - 1);
    bool has_partition_key = false;
    bool has_row_key = false;
    for (auto result : object) {
      if (result.error() != simdjson::SUCCESS) check(result.error());
      // By reference: a copy would read at once what has just been written in pieces, which stalls the
      // processor for longer than all the rest takes.
      ondemand::field&& field = std::move(result).value_unsafe();
      const char* const raw = field.key().raw();
      Member& member = members_.find(raw, available(raw));
      ondemand::value& value = field.value();
      const std::string_view token = value.raw_json_token();
      check_scalar(member, token);
      switch (member.role) {
        case Member::Role::skipped:
          break;
        case Member::Role::etag:
          row.etag = static_cast<std::uint32_t>(token.data() - page_->body_.data());
          row.etag_size = static_cast<std::uint32_t>(token.size());
          break;
        case Member::Role::partition_key:
          row.partition_key = key_of(member, token, value);
          has_partition_key = true;
          break;
        case Member::Role::row_key:
          row.row_key = key_of(member, token, value);
          has_row_key = true;
          break;
        case Member::Role::timestamp:
          read_timestamp(row, member, token);
          break;
        case Member::Role::annotation:
          annotate(*member.base, token);
          break;
        case Member::Role::property:
          if (member.valued_row == row_) fail_twice(member);
          member.token = token;
          member.at = raw;
          read_property(member, token, value);
          member.valued_row = row_;
          break;
      }
    }
    if (!has_partition_key) fail_page("an entity has no PartitionKey");
    if (!has_row_key) fail_page("an entity has no RowKey");
    for (const auto& [from, to] : copies_) properties_[to] = properties_[from];
    if (projection_.all_properties) page_->all_ends_.push_back(page_->all_.size());
  }

  void read_property(Member& member, std::string_view token, ondemand::value& value) {
    const auto type =
        member.annotated_row == row_ ? std::optional(member.annotation) : std::optional<edm::Type>();
    if (!projection_.all_properties) {
      decode(properties_[member.slot], member, token, &value, type);
      return;
    }
    // The member may be forgotten before the page is, and the body holds the name unless it has escapes.
    const bool plain = member.raw.size() == member.name.size() + 1;
    std::vector<NamedValue>& all = page_->all_;
    member.position = all.size();
    all.emplace_back();
    decode(all.back().value, member, token, &value, type);
    if (!all.back().value.present()) {
      all.pop_back();
      member.position = kNoSlot;
      return;
    }
    all.back().name = plain ? std::string_view(member.at, member.name.size()) : keep(member.name);
    if (member.slot != kNoSlot) properties_[member.slot] = all.back().value;
  }

  /// The type of a property that has been read without.
  void retype(const Member& member) {
    edm::ValueView value;
    decode(value, member, member.token, nullptr, member.annotation);
    if (member.slot != kNoSlot) properties_[member.slot] = value;
    if (projection_.all_properties && member.position != kNoSlot) page_->all_[member.position].value = value;
  }

  void annotate(Member& base, std::string_view token) {
    // A property has the same type in nearly every entity.
    const std::string_view text = between_quotes(token);
    const auto type = edm::name_of(base.annotation) == text ? base.annotation : type_of(text);
    if (!type) {
      fail_page("the property " + json::shown_text(base.name) + " of " + place() + " has the unknown type " +
                shown_token(token));
    }
    base.annotated_row = row_;
    base.annotation = *type;
    // It came after its value.
    if (base.valued_row == row_) retype(base);
  }

  std::string_view key_of(const Member& member, std::string_view token, ondemand::value& value) {
    if (token.front() != '"') fail_page("the " + member.name + " of an entity is no string");
    return text_of(token, &value);
  }

  void read_timestamp(Page::Row& row, const Member& member, std::string_view token) {
    if (token.front() == 'n' && without_blanks(token) == "null") return;
    const auto ticks = edm::parse_datetime(between_quotes(token));
    if (!ticks) fail_page("the " + member.name + " of " + place() + " is no time: " + shown_token(token));
    row.timestamp = *ticks;
  }

  /// An entity is flat: its values are scalars, each followed by a comma or the closing brace. simdjson steps
  /// over what nobody asks for without looking, and from a value that is missing it steps to the end of the
  /// entity: the members on the way would be lost without a word.
  void check_scalar(const Member& member, std::string_view token) const {
    const char next = token.data()[token.size()];
    if (kScalarStart[static_cast<unsigned char>(token.front())] && (next == ',' || next == '}')) return;
    if (member.name.starts_with("odata.") && (token.front() == '{' || token.front() == '[')) return;
    if (token.front() == '{' || token.front() == '[') fail_nested(member);
    fail_value(member, token);
  }

  /// `value` is null for a value that the iterator has left behind.
  void decode(edm::ValueView& out, const Member& member, std::string_view token, ondemand::value* value,
              std::optional<edm::Type> type) {
    switch (token.front()) {
      case '"':
        return decode_string(out, member, token, value, type);
      case 't':
      case 'f':
      case 'n': {
        const std::string_view word = without_blanks(token);
        if (word == "null") return void(out = edm::ValueView::missing());
        if (type && *type != edm::Type::Boolean) fail_type(member, token, *type);
        if (word == "true") return void(out = edm::ValueView::boolean(true));
        if (word == "false") return void(out = edm::ValueView::boolean(false));
        break;
      }
      default:
        return decode_number(out, member, token, value, type);
    }
    fail_value(member, token);
  }

  void decode_number(edm::ValueView& out, const Member& member, std::string_view token,
                     ondemand::value* value, std::optional<edm::Type> type) {
    const std::string_view number = without_blanks(token);
    if ((!type || *type == edm::Type::Int32 || *type == edm::Type::Int64) && is_integer(number)) {
      if (!json::read_token(number)) fail_value(member, token);
      if (!type || *type == edm::Type::Int32) {
        if (const auto v = edm::parse_int32(number)) return void(out = edm::ValueView::int32(*v));
      } else if (const auto v = edm::parse_int64(number)) {
        return void(out = edm::ValueView::int64(*v));
      }
      if (type) fail_type(member, token, *type);
    }
    if (type && *type != edm::Type::Double) fail_type(member, token, *type);
    double number_value = 0;
    if (value) {
      if (value->get_double().get(number_value)) fail_value(member, token);
      return void(out = edm::ValueView::real(number_value));
    }
    const auto v = json::read_token(number) ? edm::parse_double(number) : std::nullopt;
    if (!v) fail_value(member, token);
    return void(out = edm::ValueView::real(*v));
  }

  void decode_string(edm::ValueView& out, const Member& member, std::string_view token,
                     ondemand::value* value, std::optional<edm::Type> type) {
    const std::string_view text = text_of(token, value);
    if (!type) return void(out = edm::ValueView::string(text));
    switch (*type) {
      case edm::Type::String:
        return void(out = edm::ValueView::string(text));
      case edm::Type::Int64:
        if (const auto v = edm::parse_int64(text)) return void(out = edm::ValueView::int64(*v));
        break;
      case edm::Type::Int32:
        if (const auto v = edm::parse_int32(text)) return void(out = edm::ValueView::int32(*v));
        break;
      case edm::Type::DateTime:
        if (const auto v = edm::parse_datetime(text)) return void(out = edm::ValueView::datetime(*v));
        break;
      case edm::Type::Guid:
        if (const auto v = edm::parse_guid(text))
          return void(out = edm::ValueView::guid(keep({v->data(), v->size()})));
        break;
      case edm::Type::Binary:
        if (const auto v = edm::parse_base64(text)) return void(out = edm::ValueView::binary(keep(*v)));
        break;
      case edm::Type::Double:
        if (const auto v = edm::parse_double(text)) return void(out = edm::ValueView::real(*v));
        break;
      case edm::Type::Boolean:
        break;
    }
    fail_type(member, token, *type);
  }

  /// The text of a JSON string: a view of the body if it has no escapes.
  std::string_view text_of(std::string_view token, ondemand::value* value) {
    const std::string_view text = between_quotes(token);
    if (std::memchr(token.data(), '\\', token.size()) == nullptr) {
      if (text.data() == nullptr) fail_page("a string is not closed");
      return text;
    }
    if (value) {
      ondemand::raw_json_string raw;
      check(value->get_raw_json_string().get(raw));
      const std::size_t capacity = json::unescaped_capacity(token.size());
      std::string_view unescaped;
      check(json::unescape(*parser_, raw, static_cast<std::uint8_t*>(page_->arena_->allocate(capacity, 1)))
                .get(unescaped));
      return unescaped;
    }
    const std::optional<std::string> unescaped = json::unescaped(without_blanks(token));
    if (!unescaped) fail_page("a string has a wrong escape");
    return keep(*unescaped);
  }

  std::string_view keep(std::string_view bytes) {
    if (bytes.empty()) return "";
    char* const copy = static_cast<char*>(page_->arena_->allocate(bytes.size(), 1));
    std::memcpy(copy, bytes.data(), bytes.size());
    return {copy, bytes.size()};
  }

  std::size_t available(const char* where) const {
    return static_cast<std::size_t>(json_.data() + json_.size() - where);
  }

  // --- What went wrong ---

  static std::string shown_token(std::string_view token) { return json::shown_text(without_blanks(token)); }

  std::string place() const {
    const Page::Row& row = page_->rows_.back();
    return "the entity (" + json::shown_text(row.partition_key) + ", " + json::shown_text(row.row_key) + ")";
  }

  [[noreturn]] void fail_value(const Member& member, std::string_view token) const {
    fail_page("the value of property " + json::shown_text(member.name) + " of " + place() +
              " is no JSON: " + shown_token(token));
  }
  [[noreturn]] void fail_twice(const Member& member) const {
    fail_page("the property " + json::shown_text(member.name) + " of " + place() + " stands there twice");
  }
  [[noreturn]] void fail_nested(const Member& member) const {
    fail_page("the property " + json::shown_text(member.name) + " of " + place() +
              " holds an object or array");
  }
  [[noreturn]] void fail_type(const Member& member, std::string_view token, edm::Type type) const {
    fail_page("the value " + shown_token(token) + " of property " + json::shown_text(member.name) + " of " +
              place() + " is not of its type " + std::string(edm::name_of(type)));
  }

  void check(simdjson::error_code error) {
    if (error == simdjson::SUCCESS) return;
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    std::string what = std::string("its JSON is not valid (") + simdjson::error_message(error) + ")";
    const char* where = nullptr;
    if (error != simdjson::TRAILING_CONTENT && page_->size() > 0 &&
        document_.current_location().get(where) == simdjson::SUCCESS && where >= json_.data() &&
        where <= json_.data() + json_.size()) {
      what += " at byte " + std::to_string(where - json_.data());
    }
    fail_page(what + ", of " + std::to_string(size_) + " bytes");
  }

  const std::shared_ptr<ParserPool> parsers_;
  Projection projection_;
  Members members_;
  std::vector<std::pair<std::size_t, std::size_t>> copies_;
  ondemand::parser* parser_ = nullptr;  // while a page is read
  ondemand::document document_;
  Page* page_ = nullptr;
  std::string_view json_;
  std::size_t size_ = 0;
  std::uint64_t row_ = 0;
  edm::ValueView* properties_ = nullptr;  // of the row that is being read
};

// --- PageReader
// ------------------------------------------------------------------------------------------------

std::shared_ptr<ParserPool> make_parser_pool() { return std::make_shared<ParserPool>(); }

PageReader::PageReader(const Projection& projection, std::shared_ptr<ParserPool> parsers)
    : decoder_(std::make_unique<PageDecoder>(projection, std::move(parsers))) {}
PageReader::~PageReader() = default;

void PageReader::read_list(std::string body, Page& page) { decoder_->read(std::move(body), page, true); }
void PageReader::read_entity(std::string body, Page& page) { decoder_->read(std::move(body), page, false); }

std::vector<std::string> read_table_names(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  const simdjson::error_code error = parser.parse(body.data(), body.size(), true)["value"].get(list);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    fail_page("it holds no list of tables (\"value\")");
  }
  std::vector<std::string> names;
  for (const simdjson::dom::element element : list) {
    std::string_view name;
    if (element["TableName"].get(name)) fail_page("a table has no TableName");
    names.emplace_back(name);
  }
  return names;
}

}  // namespace table_storage::backend::remote
