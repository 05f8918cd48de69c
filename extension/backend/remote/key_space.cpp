#include "extension/backend/remote/key_space.h"

#include <algorithm>
#include <array>
#include <utility>

#include "extension/backend/limits.h"
#include "parser/edm/prefix.h"

namespace table_storage::backend::remote {

namespace {

/// The characters up to the first that is not below U+D800.
std::u16string units_of(std::string_view key) {
  const std::string_view text = edm::comparable_prefix(key);
  std::u16string units;
  units.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3;
    unsigned unit = length == 1 ? lead : length == 2 ? lead & 0x1FU : lead & 0x0FU;
    for (std::size_t j = 1; j < length; ++j) {
      unit = (unit << 6) | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
    }
    units += static_cast<char16_t>(unit);
    i += length;
  }
  return units;
}

std::string text_of(const std::u16string& units) {
  std::string text;
  text.reserve(units.size());
  for (const char16_t unit : units) {
    if (unit < 0x80) {
      text += static_cast<char>(unit);
    } else if (unit < 0x800) {
      text += static_cast<char>(0xC0 | (unit >> 6));
      text += static_cast<char>(0x80 | (unit & 0x3F));
    } else {
      text += static_cast<char>(0xE0 | (unit >> 12));
      text += static_cast<char>(0x80 | ((unit >> 6) & 0x3F));
      text += static_cast<char>(0x80 | (unit & 0x3F));
    }
  }
  return text;
}

bool is_legal(unsigned unit) {
  if (unit < 0x20 || (unit >= 0x7F && unit < 0xA0) || unit >= 0xD800) return false;
  return unit != '/' && unit != '\\' && unit != '#' && unit != '?';
}

/// The next character that a key may have; 0 if there is none below U+D800.
char16_t successor(char16_t unit) {
  for (unsigned next = unit + 1U; next < 0xD800; ++next) {
    if (is_legal(next)) return static_cast<char16_t>(next);
  }
  return 0;
}

/// Characters that mostly come together.
constexpr std::array<std::u16string_view, 5> kClasses{u"0123456789", u"0123456789ABCDEF", u"0123456789abcdef",
                                                      u"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                                      u"abcdefghijklmnopqrstuvwxyz"};

/// What is likely to come at a place where these were seen.
std::u16string filled(const std::u16string& seen) {
  if (seen.size() < 2) return seen;
  for (const std::u16string_view known : kClasses) {
    if (seen.find_first_not_of(known) == std::u16string::npos) return std::u16string(known);
  }
  return seen;
}

std::size_t common_prefix(const std::u16string& a, const std::u16string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end.first - a.begin());
}

bool fits(const std::u16string& units) { return units.size() <= kMaxKeyUnits; }

}  // namespace

void KeySpace::note(std::string_view key) {
  const std::u16string units = units_of(key);
  if (places_.size() < units.size() + 1) places_.resize(units.size() + 1);
  for (std::size_t i = 0; i < units.size(); ++i) {
    Place& place = places_[i];
    const auto at = std::lower_bound(place.seen.begin(), place.seen.end(), units[i]);
    if (at != place.seen.end() && *at == units[i]) continue;
    if (!is_legal(units[i])) return;
    place.seen.insert(at, units[i]);
    place.digits = filled(place.seen);
  }
  if (is_comparable(key)) places_[units.size()].ends = true;
}

/// A number from 0 to 1 that grows with the key, from this position on.
double KeySpace::value(const std::u16string& key, std::size_t from) const {
  double sum = 0;
  double unit = 1;
  constexpr double kSmallest = 1e-15;
  for (std::size_t i = from; i < key.size() && i < places_.size() && unit > kSmallest; ++i) {
    const Place& place = places_[i];
    if (place.radix() == 0) break;
    unit /= static_cast<double>(place.radix());
    const auto at = std::lower_bound(place.digits.begin(), place.digits.end(), key[i]);
    const auto digit = static_cast<double>(at - place.digits.begin()) + (place.ends ? 1 : 0);
    sum += digit * unit;
    if (at == place.digits.end() || *at != key[i]) break;
  }
  return sum;
}

double KeySpace::share(std::string_view low, std::string_view high, std::string_view key) const {
  const std::u16string from = units_of(low);
  const std::u16string to = units_of(high);
  const std::size_t common = common_prefix(from, to);
  const double first = value(from, common);
  const double width = value(to, common) - first;
  if (key <= low || width <= 0) return 0;
  if (key >= high) return 1;
  return std::clamp((value(units_of(key), common) - first) / width, 0.0, 1.0);
}

std::vector<std::string> KeySpace::between(std::string_view low, std::string_view high,
                                           const std::vector<double>& shares) const {
  std::vector<std::string> found;
  const std::u16string from = units_of(low);
  const std::u16string to = units_of(high);
  const std::size_t common = common_prefix(from, to);
  const double first = value(from, common);
  const double width = value(to, common) - first;
  if (width <= 0) return found;
  // Digits that matter less than this are left out: the text is a bound, not a key.
  const double resolution = width / (8 * static_cast<double>(shares.size() + 1));
  for (const double share : shares) {
    std::u16string units = from.substr(0, common);
    double rest = first + share * width;
    double unit = 1;
    for (std::size_t i = common; i < places_.size() && unit > resolution; ++i) {
      const Place& place = places_[i];
      const std::size_t radix = place.radix();
      if (radix == 0) break;
      rest *= static_cast<double>(radix);
      unit /= static_cast<double>(radix);
      const auto digit = std::min(static_cast<std::size_t>(std::max(rest, 0.0)), radix - 1);
      rest -= static_cast<double>(digit);
      if (place.ends && digit == 0) break;
      units += place.digits[digit - (place.ends ? 1 : 0)];
    }
    if (!fits(units)) continue;
    std::string text = text_of(units);
    if (text <= low || text >= high || (!found.empty() && text <= found.back())) continue;
    found.push_back(std::move(text));
  }
  return found;
}

std::vector<std::string> KeySpace::above(std::string_view low, const std::optional<std::string>& high,
                                         std::size_t most) {
  std::vector<std::string> all;
  const std::u16string units = units_of(low);
  const auto add = [&](std::string text) {
    if (text <= low || (high && text >= *high) || (!all.empty() && text >= all.back())) return;
    all.push_back(std::move(text));
  };
  // Behind the letters and the digits, where most keys end.
  for (const char* behind : {"{", "[", ":"}) add(behind);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (const char16_t next = successor(units[i]); next != 0) add(text_of(units.substr(0, i) + next));
  }
  if (is_comparable(low) && units.size() < kMaxKeyUnits) {
    add(just_above(low));
  }
  if (all.size() <= most) return all;
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t at = most == 1 ? all.size() - 1 : i * (all.size() - 1) / (most - 1);
    chosen.push_back(std::move(all[at]));
  }
  return chosen;
}

std::string just_above(std::string_view key) { return std::string(key) + ' '; }

bool is_comparable(std::string_view key) { return edm::comparable_prefix(key).size() == key.size(); }

}  // namespace table_storage::backend::remote
