#include "parser/json/unescape.h"

#include <new>

namespace table_storage::json {

std::optional<std::string> unescaped(std::string_view json) {
  const simdjson::padded_string padded(json);
  if (padded.data() == nullptr) throw std::bad_alloc();
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::raw_json_string string;
  const auto error = parser.iterate(padded).get(document);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error || document.get_raw_json_string().get(string)) return std::nullopt;
  std::string text(unescaped_capacity(json.size()), '\0');
  std::string_view written;
  if (unescape(parser, string, reinterpret_cast<std::uint8_t*>(text.data())).get(written))
    return std::nullopt;
  text.resize(written.size());
  return text;
}

UnescapedStrings::UnescapedStrings(std::string_view padded_json)
    : end_of_json_(padded_json.data() + padded_json.size()) {
  begin_block(padded_json.size());
}

void UnescapedStrings::begin_block(std::size_t size) {
  const std::size_t capacity = unescaped_capacity(size);
  blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(capacity));
  next_ = blocks_.back().get();
  end_ = next_ + capacity;
}

simdjson::simdjson_result<std::string_view> UnescapedStrings::add(
    const simdjson::ondemand::parser& parser, simdjson::ondemand::raw_json_string string) {
  // Read once and in order, all strings fit into the first block; the string cannot be longer than what is
  // left.
  const auto longest = static_cast<std::size_t>(end_of_json_ - string.raw());
  if (static_cast<std::size_t>(end_ - next_) < unescaped_capacity(longest)) begin_block(longest);
  auto text = unescape(parser, string, next_);
  if (text.error() == simdjson::SUCCESS) next_ += text.value_unsafe().size();
  return text;
}

}  // namespace table_storage::json
