#include "extension/backend/remote/token_reply.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

#include "parser/edm/text.h"

namespace table_storage::backend::remote {
namespace {

namespace dom = simdjson::dom;

std::optional<WallTime> epoch_seconds(std::int64_t seconds) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  if (seconds < 0 || seconds > kYear9999) return std::nullopt;
  // The clock counts nanoseconds in 64 bits on Linux, which end in 2262.
  constexpr std::int64_t kLast = 9'000'000'000;
  return WallTime(std::chrono::seconds(std::min(seconds, kLast)));
}

// Numbers come as JSON numbers from some endpoints and as text from others.
std::optional<std::int64_t> integer_of(const dom::element& element) {
  std::int64_t integer = 0;
  if (element.get(integer) == simdjson::SUCCESS) return integer;
  double real = 0;
  if (element.get(real) == simdjson::SUCCESS && real >= 0 && real < 1e15)
    return static_cast<std::int64_t>(real);
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) return edm::parse_int64(text);
  return std::nullopt;
}

std::string text_member(const dom::object& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

// A token goes into a header as it is.
bool is_plain(std::string_view token) {
  return !token.empty() &&
         std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::optional<std::chrono::seconds> offset_of(std::string_view zone) {
  if (zone.empty() || zone == "Z" || zone == "UTC" || zone == "GMT") return std::chrono::seconds(0);
  int hours = 0, minutes = 0, used = 0;
  char sign = 0;
  if (std::sscanf(std::string(zone).c_str(), "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 ||
      static_cast<std::size_t>(used) != zone.size() || (sign != '+' && sign != '-') || hours > 14 ||
      minutes > 59)
    return std::nullopt;
  const std::chrono::seconds offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return sign == '-' ? -offset : offset;
}

// "10/26/2020 1:30:00 PM +00:00" and the same without PM, with 24 hours.
std::optional<WallTime> read_american(const std::string& text) {
  int month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0, used = 0;
  if (std::sscanf(text.c_str(), "%2d/%2d/%4d %2d:%2d:%2d%n", &month, &day, &year, &hour, &minute, &second,
                  &used) != 6)
    return std::nullopt;
  std::string_view rest = std::string_view(text).substr(static_cast<std::size_t>(used));
  const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  skip_blanks();
  if (rest.starts_with("AM") || rest.starts_with("PM")) {
    // The same endpoint has been seen to write 24 hours with AM or PM behind them.
    if (hour == 12) hour = 0;
    if (rest.starts_with("PM") && hour < 12) hour += 12;
    rest.remove_prefix(2);
    skip_blanks();
  }
  const auto offset = offset_of(rest);
  if (!offset) return std::nullopt;
  std::array<char, 32> iso{};
  std::snprintf(iso.data(), iso.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, hour, minute,
                second);
  const auto ticks = edm::parse_datetime(iso.data());
  if (!ticks) return std::nullopt;
  const auto time = epoch_seconds((*ticks - edm::kUnixEpochTicks) / edm::kTicksPerSecond - offset->count());
  return time;
}

}  // namespace

std::optional<WallTime> read_expiry(std::string_view text) {
  if (const auto seconds = edm::parse_int64(text)) return epoch_seconds(*seconds);
  return read_american(std::string(text));
}

std::optional<WallTime> read_local_time(std::string_view text) {
  std::tm time{};
  if (std::sscanf(std::string(text).c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &time.tm_year, &time.tm_mon,
                  &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec) != 6)
    return std::nullopt;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  time.tm_isdst = -1;
  return epoch_seconds(std::mktime(&time));
}

std::optional<Token> read_token_reply(std::string_view json, WallTime now) {
  dom::parser parser;
  dom::object object;
  const simdjson::error_code error = parser.parse(json.data(), json.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) return std::nullopt;
  Token token{text_member(object, "access_token"), {}};
  if (!is_plain(token.value)) return std::nullopt;

  std::optional<WallTime> expiry;
  dom::element member;
  if (object["expires_on"].get(member) == simdjson::SUCCESS) {
    std::string_view text;
    if (member.get(text) == simdjson::SUCCESS) {
      expiry = read_expiry(text);
    } else if (const auto seconds = integer_of(member)) {
      expiry = epoch_seconds(*seconds);
    }
  }
  if (!expiry && object["expires_in"].get(member) == simdjson::SUCCESS) {
    constexpr std::int64_t kLongest = 10 * 365 * 86'400LL;
    const auto seconds = integer_of(member);
    if (seconds && *seconds >= 0) expiry = now + std::chrono::seconds(std::min(*seconds, kLongest));
  }
  if (!expiry) return std::nullopt;
  token.expires_at = *expiry;
  return token;
}

TokenRefusal read_token_refusal(std::string_view body) {
  dom::parser parser;
  dom::object object;
  if (parser.parse(body.data(), body.size()).get(object) != simdjson::SUCCESS) return {};
  TokenRefusal refusal{text_member(object, "error"), text_member(object, "error_description")};
  if (refusal.description.empty()) refusal.description = text_member(object, "message");
  refusal.description.resize(std::min(refusal.description.find_first_of("\r\n"), refusal.description.size()));
  return refusal;
}

std::string without_secrets(std::string_view text, std::string_view secret) {
  constexpr std::size_t kLongest = 300;
  constexpr std::string_view kHidden = "[hidden]";
  std::string out(text);
  if (!secret.empty()) {
    for (std::size_t at = out.find(secret); at != std::string::npos;
         at = out.find(secret, at + kHidden.size()))
      out.replace(at, secret.size(), kHidden);
  }
  // Tokens begin with the base64 of {" as a rule; others are long runs without a blank.
  constexpr std::size_t kLongestWord = 80;
  std::size_t from = 0;
  while (from < out.size()) {
    const std::size_t begin = std::min(out.find_first_not_of(" \t\r\n\"'=:,", from), out.size());
    const std::size_t end = std::min(out.find_first_of(" \t\r\n\"'=:,", begin), out.size());
    const std::string_view word = std::string_view(out).substr(begin, end - begin);
    if (word.size() > kLongestWord || (word.starts_with("eyJ") && word.size() > 16)) {
      out.replace(begin, word.size(), kHidden);
      from = begin + kHidden.size();
    } else {
      from = end;
    }
  }
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (out.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
    out.resize(end);
    out += "…";
  }
  return edm::is_valid_utf8(out) ? out : std::string("(a text that is not UTF-8)");
}

}  // namespace table_storage::backend::remote
