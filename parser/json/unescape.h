// Strings of JSON that hold escapes, by simdjson, into memory of the caller's.
//
// simdjson's own get_string() writes into a buffer of the parser, and does not look whether there was memory
// for that buffer (so up to version 3.0.1 at least).
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace table_storage::json {

/// Bytes to have for a string whose JSON takes `size` bytes: escapes only shrink, and simdjson writes in
/// blocks.
constexpr std::size_t unescaped_capacity(std::size_t size) { return size + simdjson::SIMDJSON_PADDING; }

/// `to` has unescaped_capacity(); `parser` has begun to read a text. STRING_ERROR for a wrong escape.
inline simdjson::simdjson_result<std::string_view> unescape(const simdjson::ondemand::parser& parser,
                                                            simdjson::ondemand::raw_json_string string,
                                                            std::uint8_t* to) {
  return parser.unescape(string, to);
}

/// The text of `json`, which is one JSON string and nothing else; nullopt if it is not.
std::optional<std::string> unescaped(std::string_view json);

/// Keeps the unescaped strings of one text for as long as it lives.
class UnescapedStrings {
 public:
  explicit UnescapedStrings(std::string_view padded_json);

  simdjson::simdjson_result<std::string_view> add(const simdjson::ondemand::parser& parser,
                                                  simdjson::ondemand::raw_json_string string);

 private:
  void begin_block(std::size_t size);

  const char* end_of_json_;
  std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
  std::uint8_t* next_ = nullptr;
  std::uint8_t* end_ = nullptr;
};

}  // namespace table_storage::json
