// Bounds on which the orders of SQLite and of the service agree.
#include "parser/edm/prefix.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "parser/edm/compare.h"

namespace table_storage::edm {
namespace {

TEST(EdmPrefix, EndsBeforeTheFirstCharacterThatIsOrderedOtherwise) {
  const std::vector<std::pair<std::string_view, std::string_view>> texts = {
      {"", ""},
      {"abc", "abc"},
      {"größe", "größe"},
      {"日本", "日本"},
      {"a\xED\x9F\xBF", "a\xED\x9F\xBF"},  // U+D7FF, the last
      {"a\xEE\x80\x80z", "a"},             // U+E000
      {"a\xEF\xBF\xBDz", "a"},             // U+FFFD
      {"日😀本", "日"},
      {"\U0001D49C", ""},
      // Not UTF-8: a surrogate, a continuation alone, and characters that are cut short or broken off.
      {"a\xED\xA0\x80", "a"},
      {"a\x80z", "a"},
      {"a\xC3", "a"},
      {"a\xE6\x97", "a"},
      {"a\xC3z", "a"},
      {"a\xE6\x97z", "a"},
      {"a\xE6zz", "a"},
  };
  for (const auto& [text, prefix] : texts) EXPECT_EQ(comparable_prefix(text), prefix) << text;
}

TEST(EdmPrefix, Successor) {
  const std::vector<std::pair<std::string_view, std::string_view>> prefixes = {
      {"a", "b"},
      {"abc", "abd"},
      {"a\x7F", "a\xC2\x80"},        // one byte to two
      {"\xDF\xBF", "\xE0\xA0\x80"},  // U+07FF, two to three
      {"日本", "日\xE6\x9C\xAD"},    // U+672C, U+672D
      {"ab\xED\x9F\xBF", "ac"},      // nothing comparable is behind U+D7FF
      {"a\xED\x9F\xBF\xED\x9F\xBF", "b"},
  };
  for (const auto& [prefix, next] : prefixes) EXPECT_EQ(prefix_successor(prefix), next) << prefix;
  EXPECT_EQ(prefix_successor(""), std::nullopt);
  EXPECT_EQ(prefix_successor("\xED\x9F\xBF\xED\x9F\xBF"), std::nullopt);
}

// What the two are for: prefix <= text < successor where text starts with the prefix, in both orders; and
// only there, but for U+D7FF, behind which there is no character to name.
TEST(EdmPrefix, BoundsHoldInBothOrders) {
  const std::vector<std::string> characters = {"\x01",
                                               "a",
                                               "b",
                                               "\x7F",
                                               "\xC2\x80",
                                               "ß",
                                               "\xDF\xBF",
                                               "\xE0\xA0\x80",
                                               "日",
                                               "\xED\x9F\xBF",
                                               "\xEE\x80\x80",
                                               "\xEF\xBF\xBD",
                                               "\U00010000",
                                               "😀"};
  std::mt19937 random(1);
  const auto text = [&](std::size_t most) {
    std::string made;
    for (std::size_t size = random() % (most + 1); size > 0; --size)
      made += characters[random() % characters.size()];
    return made;
  };
  std::size_t inside = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string pattern = text(2);
    const std::string value = text(3);
    const std::string_view prefix = comparable_prefix(pattern);
    const auto next = prefix_successor(prefix);
    const bool starts = std::string_view(value).starts_with(prefix);
    if (starts && !prefix.empty()) ++inside;
    const bool in_bytes = value >= prefix && (!next || value < *next);
    const bool in_utf16 = compare_utf16(value, prefix) >= 0 && (!next || compare_utf16(value, *next) < 0);
    ASSERT_TRUE(!starts || (in_bytes && in_utf16)) << pattern << " " << value;
    if (!prefix.ends_with("\xED\x9F\xBF")) {
      ASSERT_EQ(in_bytes, starts) << pattern << " " << value;
      ASSERT_EQ(in_utf16, starts) << pattern << " " << value;
    }
  }
  EXPECT_GT(inside, 1000U);
}

}  // namespace
}  // namespace table_storage::edm
