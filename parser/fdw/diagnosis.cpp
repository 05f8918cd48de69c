#include "parser/fdw/diagnosis.h"

#include <algorithm>
#include <array>
#include <vector>

#include "parser/definition/closest.h"
#include "parser/definition/grammar.h"
#include "parser/fdw/grammar.h"
#include "parser/fdw/script.h"

namespace table_storage::fdw {
namespace {

constexpr std::size_t kQuotedWord = 32;  // bytes of a word that a message repeats

bool is_capital(char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }

/// The words of the language in an expectation: those in capitals.
std::vector<std::string_view> language_words(std::string_view expected) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < expected.size();) {
    std::size_t end = i;
    while (end < expected.size() && is_capital(expected[end])) ++end;
    if (end - i >= 2) words.push_back(expected.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

std::string_view word_at(std::string_view rest) {
  const auto end = std::find_if(rest.begin(), rest.end(), [](char c) {
    const char l = definition::lower(c);
    return !((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '_' ||
             static_cast<unsigned char>(l) >= 0x80);
  });
  return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
}

std::string guess(std::string_view expected, std::string_view rest) {
  const std::vector<std::string_view> words = language_words(expected);
  const std::string_view near = definition::closest(word_at(rest), words);
  if (near.empty() || definition::equal_without_case(near, word_at(rest))) return {};
  return "; did you mean " + std::string(near) + "?";
}

/// What a reader of PostgreSQL's or SQLite's manual may have wanted.
std::string hint(std::string_view expected, std::string_view rest) {
  const auto starts = [&](std::string_view word) { return definition::starts_with_word(rest, word); };
  if (expected == kExpectedTable && starts("data"))
    return "; the foreign-data wrapper table_storage is there without being made";
  if (expected == kExpectedStatement &&
      (starts("select") || starts("insert") || starts("update") || starts("delete") || starts("pragma") ||
       starts("begin") || starts("commit") || starts("with") || starts("grant") || starts("set")))
    return "; other SQL is no business of fdw() and runs as a statement of its own";
  if ((expected == kExpectedCreate || expected == kExpectedAlter || expected == kExpectedDrop) &&
      starts("table"))
    return "; an ordinary table is none of fdw()'s, a foreign one is a FOREIGN TABLE";
  if ((expected == kExpectedServerChange || expected == kExpectedTableChange) && starts("owner"))
    return "; SQLite has no roles, so nothing has an owner";
  if (expected == kExpectedTableChange && starts("set"))
    return "; to have it in another schema, drop it there and create it here (entities stay)";
  if (expected == kExpectedUser && guess(expected, rest).empty())
    return "; SQLite has no roles, so a mapping is for whoever uses the database";
  if (expected == definition::kExpectedValue) {
    if (rest.starts_with("=")) return "; an option is written without =, as in (endpoint 'https://...')";
    return ", as in (page_size '500')";
  }
  if (expected == kExpectedColumnChange && (starts("set") || starts("drop")))
    return "; entities have no column constraints and no defaults, any property may be missing";
  return {};
}

/// The word or mark that stands in the way, for " before `…`". No more than that, and nothing of an option's
/// value, as it may be a secret: with a quote or comma astray, what follows is one as well.
std::string met(std::string_view expected, std::string_view rest) {
  if (rest.empty()) return " at the end";
  if (expected == definition::kExpectedValue || expected == kExpectedOptionEnd) return {};
  std::string_view word = word_at(rest);
  if (word.empty()) word = rest.substr(0, rest[0] == '/' || rest[0] == '-' ? 2 : 1);
  return " before `" + definition::excerpt(word, kQuotedWord) + "`";
}

}  // namespace

std::string place_text(std::string_view text, std::size_t position) {
  position = std::min(position, text.size());
  const std::string_view before = text.substr(0, position);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line = before.substr(line_start);
  const auto characters = std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(characters + 1);
}

Error invalid(std::string_view text, std::size_t position, const std::string& message) {
  return Error(Error::Kind::invalid, "", place_text(text, position) + ": " + message).at(position);
}

Error syntax_error(std::string_view text, std::size_t position, const std::string& expected) {
  const std::string_view rest = text.substr(std::min(position, text.size()));
  std::string what = "expected " + expected + met(expected, rest);
  const std::string told = hint(expected, rest);
  what += told.empty() ? guess(expected, rest) : told;
  return invalid(text, position, what);
}

}  // namespace table_storage::fdw
