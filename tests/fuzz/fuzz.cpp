#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>

namespace table_storage::fuzz {
namespace {

constexpr std::size_t kLongestMessage = 4000;

// Between the hexadecimal digits and the end of the alphabet, by one letter.
char rotated(char c) {
  if ((c >= 'g' && c < 'z') || (c >= 'G' && c < 'Z')) return static_cast<char>(c + 1);
  if (c == 'z') return 'g';
  if (c == 'Z') return 'G';
  return c;
}

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

void require(bool holds, std::string_view what, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "NOT TRUE: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

void check_error(const Error& error, std::string_view text) {
  require(!error.message().empty(), "an error has words", text);
  require(error.message().size() <= kLongestMessage, "an error is short", error.message());
  require(error.position().value_or(0) <= text.size(), "an error's place lies in the text", error.what());
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string with_another_secret(std::string_view text, std::string_view mark) {
  std::string other(text);
  for (std::size_t at = 0; (at = other.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    for (; at < other.size(); ++at) {
      const char c = other[at];
      const bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '+' || c == '/' || c == '%' || c == '=';
      if (!is_part) break;
      other[at] = rotated(c);
    }
  }
  return other;
}

}  // namespace table_storage::fuzz
