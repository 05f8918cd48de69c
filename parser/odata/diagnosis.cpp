#include "parser/odata/diagnosis.h"

#include <algorithm>
#include <array>

#include "parser/odata/characters.h"
#include "parser/odata/operators.h"

namespace table_storage::odata {
namespace {

constexpr std::size_t kBefore = 32;
constexpr std::size_t kAfter = 32;

// An operator or `not` in other than lower case.
bool is_shouted(std::string_view word, const std::string& lowered) {
  return lowered != word && (find_operator(lowered) != nullptr || lowered == "not");
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

// A message is one line.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view word_at(std::string_view text, std::size_t position) {
  const char* const first = text.data() + position;
  return {first, static_cast<std::size_t>(skip_name(first, text.data() + text.size()) - first)};
}

// The word that ends right before `position`, white space aside; ASCII letters only, which suffices for
// operators.
std::string_view word_before(std::string_view text, std::size_t position) {
  while (position > 0 && is_space(static_cast<unsigned char>(text[position - 1]))) --position;
  std::size_t first = position;
  while (first > 0 && is_ascii_letter(text[first - 1])) --first;
  return text.substr(first, position - first);
}

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

struct Symbol {
  std::string_view written, meant;
};
constexpr std::array<Symbol, 13> kSymbols = {{{"==", "eq"},
                                              {"!=", "ne"},
                                              {"<>", "ne"},
                                              {">=", "ge"},
                                              {"<=", "le"},
                                              {"&&", "and"},
                                              {"||", "or"},
                                              {"=", "eq"},
                                              {">", "gt"},
                                              {"<", "lt"},
                                              {"!", "not"},
                                              {"*", "mul"},
                                              {"%", "mod"}}};

// What was probably meant; empty if nothing comes to mind.
std::string hint(std::string_view text, std::size_t position, std::string_view expected) {
  if (position == text.size()) return {};
  const std::string_view rest = text.substr(position);
  for (const Symbol& symbol : kSymbols) {
    if (rest.substr(0, symbol.written.size()) == symbol.written) {
      return "; \"" + std::string(symbol.written) + "\" is written " + std::string(symbol.meant);
    }
  }
  const std::string_view word = word_at(text, position);
  if (const std::string lowered = lower(word); is_shouted(word, lowered)) {
    return "; operators are written in lower case: " + lowered;
  }
  const std::string_view before = word_before(text, position);
  if (const std::string lowered = lower(before); is_shouted(before, lowered)) {
    return "; operators are written in lower case: " + lowered;
  }
  // `a eq and b eq 5`: the word stood where an operand is due, so it was taken for a property.
  const bool after_operand =
      expected == kExpectEnd || expected == kExpectClosing || expected == kExpectClosingCall;
  if (after_operand && find_operator(before) != nullptr) {
    return "; \"" + std::string(before) +
           "\" before it was read as a property name, since no operator can stand there";
  }
  switch (rest.front()) {
    case '"':
      return "; strings stand in single quotes: 'text'";
    case '+':
      return "; a number has no leading +";
    case '.':
      return "; a number needs digits on both sides of the point: 0.5";
    case '\'':
      if (before == "datetime" || before == "guid" || before == "binary" || before == "X") {
        return "; the quote must follow " + std::string(before) + " at once";
      }
      break;
    case '(':
      if (after_operand && !before.empty()) return "; in a function call the '(' follows the name at once";
      break;
    case ')':
      if (expected == kExpectEnd) return "; no '(' is open here";
      break;
    default:
      break;
  }
  return {};
}

std::string place(std::string_view text, std::size_t position) {
  return " (at position " + std::to_string(position) + " in " + quote_around(text, position) + ")";
}

}  // namespace

std::string quote_around(std::string_view text, std::size_t position) {
  std::size_t first = position > kBefore ? position - kBefore : 0;
  std::size_t last = std::min(text.size(), position + kAfter);
  // Whole text if what would be cut is hardly longer than the mark for it.
  if (first <= 4) first = 0;
  if (text.size() - last <= 4) last = text.size();
  while (first > 0 && is_continuation(text[first])) --first;
  while (last < text.size() && is_continuation(text[last])) ++last;
  return std::string("\"") + (first > 0 ? "…" : "") + one_line(text.substr(first, last - first)) +
         (last < text.size() ? "…" : "") + "\"";
}

std::string shorten(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return one_line(text);
  std::size_t last = kMost;
  while (last > 0 && is_continuation(text[last])) --last;
  return one_line(text.substr(0, last)) + "…";
}

Error syntax_error(std::string_view text, std::size_t position, std::string_view expected) {
  const char* const begin = text.data();
  position = static_cast<std::size_t>(skip_spaces(begin + position, begin + text.size()) - begin);
  return Error(Error::Kind::invalid, "InvalidInput",
               "Syntax error at position " + std::to_string(position) + " in " +
                   quote_around(text, position) + ": expected " + std::string(expected) +
                   hint(text, position, expected))
      .at(position);
}

Error invalid(std::string_view text, std::size_t position, const std::string& message) {
  return Error(Error::Kind::invalid, "InvalidInput", message + place(text, position)).at(position);
}

Error not_implemented(std::string_view text, std::size_t position, const std::string& message) {
  return Error(Error::Kind::unsupported, "NotImplemented", message + place(text, position)).at(position);
}

}  // namespace table_storage::odata
