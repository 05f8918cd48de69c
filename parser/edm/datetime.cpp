// DateTime text. Every row shows a Timestamp, so both directions stay free of allocation and of the C
// library.
#include <cstring>

#include "parser/edm/digits.h"
#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

constexpr std::int64_t kTicksPerDay = 86'400 * kTicksPerSecond;
constexpr std::int64_t kTicksPerMinute = 60 * kTicksPerSecond;
constexpr unsigned kFractionDigits = 7;

// Both conversions count in years that begin on 1 March: the leap day is then the last of its year and month
// lengths follow one linear formula. Day 0 is 0001-01-01; 306 days of the March year 0 lie before it.
constexpr std::int64_t kDaysBeforeYearOne = 306;

std::int64_t days_from_date(unsigned year, unsigned month, unsigned day) {
  const unsigned y = month <= 2 ? year - 1 : year;
  const unsigned m = month <= 2 ? month + 9 : month - 3;  // 0 is March
  const unsigned days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
  return static_cast<std::int64_t>(days) - kDaysBeforeYearOne;
}

struct Date {
  unsigned year, month, day;
};

Date date_from_days(unsigned days) {
  const unsigned n = days + static_cast<unsigned>(kDaysBeforeYearOne);
  const unsigned era = n / 146'097;  // 400 years
  const unsigned in_era = n % 146'097;
  const unsigned year_of_era = (in_era - in_era / 1460 + in_era / 36'524 - in_era / 146'096) / 365;
  const unsigned in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned m = (5 * in_year + 2) / 153;
  const unsigned day = in_year - (153 * m + 2) / 5 + 1;
  const unsigned month = m < 10 ? m + 3 : m - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1u : 0u), month, day};
}

unsigned days_in_month(unsigned year, unsigned month) {
  static constexpr unsigned char kDays[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (leap && month == 2 ? 1u : 0u);
}

// Takes pieces off the front of a text; a piece that is not there leaves it alone.
class Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return at_ == end_; }
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  bool accept(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool pair(unsigned& value) {
    if (end_ - at_ < 2) return false;
    const unsigned tens = static_cast<unsigned char>(at_[0]) - unsigned{'0'};
    const unsigned ones = static_cast<unsigned char>(at_[1]) - unsigned{'0'};
    if (tens > 9 || ones > 9) return false;
    value = tens * 10 + ones;
    at_ += 2;
    return true;
  }
  /// One or more digits after the point, as ticks; what is finer than a tick is cut off.
  bool fraction(std::int64_t& ticks) {
    std::int64_t value = 0;
    unsigned count = 0;
    for (; at_ != end_; ++at_, ++count) {
      const unsigned digit = static_cast<unsigned char>(*at_) - unsigned{'0'};
      if (digit > 9) break;
      if (count < kFractionDigits) value = value * 10 + digit;
    }
    for (unsigned i = count; i < kFractionDigits; ++i) value *= 10;
    ticks = value;
    return count > 0;
  }

 private:
  const char* at_;
  const char* end_;
};

bool read_date(Reader& in, std::int64_t& ticks) {
  unsigned century, year, month, day;
  if (!in.pair(century) || !in.pair(year) || !in.accept('-') || !in.pair(month) || !in.accept('-') ||
      !in.pair(day)) {
    return false;
  }
  year += century * 100;
  if (year == 0 || month == 0 || month > 12 || day == 0 || day > days_in_month(year, month)) return false;
  ticks = days_from_date(year, month, day) * kTicksPerDay;
  return true;
}

bool read_time(Reader& in, std::int64_t& ticks) {
  unsigned hour, minute, second = 0;
  std::int64_t fraction = 0;
  if (!in.pair(hour) || !in.accept(':') || !in.pair(minute)) return false;
  if (in.accept(':')) {
    if (!in.pair(second)) return false;
    if (in.accept('.') && !in.fraction(fraction)) return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  const std::int64_t seconds = (hour * 60 + minute) * 60 + second;
  ticks += seconds * kTicksPerSecond + fraction;
  return true;
}

// Offsets reach 14 hours, as in XML Schema and .NET.
bool read_zone(Reader& in, std::int64_t& ticks) {
  if (in.accept('Z')) return true;
  const bool east = in.peek() == '+';
  if (!in.accept(east ? '+' : '-')) return false;
  unsigned hour, minute;
  if (!in.pair(hour) || !in.accept(':') || !in.pair(minute)) return false;
  if (minute > 59 || hour * 60 + minute > 14 * 60) return false;
  const std::int64_t offset = static_cast<std::int64_t>(hour * 60 + minute) * kTicksPerMinute;
  ticks += east ? -offset : offset;
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_datetime(std::string_view text) {
  Reader in(text);
  std::int64_t ticks;
  if (!read_date(in, ticks)) return std::nullopt;
  if ((in.accept('T') || in.accept(' ')) && !read_time(in, ticks)) return std::nullopt;
  if (!in.done() && !read_zone(in, ticks)) return std::nullopt;
  if (!in.done() || ticks < 0 || ticks > kMaxServiceTicks) return std::nullopt;
  return ticks;
}

void format_datetime_fixed(std::int64_t ticks, char (&out)[kFixedDateTimeSize]) {
  using detail::put_decimal_pair;
  std::memcpy(out, "0000-00-00T00:00:00.0000000Z", kFixedDateTimeSize);
  // A caller's mistake must not index past the tables: it shows as a date that does not exist.
  if (ticks < 0 || ticks > kMaxServiceTicks) return;
  const auto all = static_cast<std::uint64_t>(ticks);
  const auto days = static_cast<unsigned>(all / std::uint64_t{kTicksPerDay});
  const std::uint64_t in_day = all % std::uint64_t{kTicksPerDay};
  const auto seconds = static_cast<unsigned>(in_day / std::uint64_t{kTicksPerSecond});
  auto fraction = static_cast<unsigned>(in_day % std::uint64_t{kTicksPerSecond});
  const Date date = date_from_days(days);

  put_decimal_pair(out, date.year / 100);
  put_decimal_pair(out + 2, date.year % 100);
  put_decimal_pair(out + 5, date.month);
  put_decimal_pair(out + 8, date.day);
  put_decimal_pair(out + 11, seconds / 3600);
  put_decimal_pair(out + 14, seconds / 60 % 60);
  put_decimal_pair(out + 17, seconds % 60);
  put_decimal_pair(out + 25, fraction % 100);
  fraction /= 100;
  put_decimal_pair(out + 23, fraction % 100);
  fraction /= 100;
  put_decimal_pair(out + 21, fraction % 100);
  out[20] = static_cast<char>('0' + fraction / 100);
}

std::string format_datetime(std::int64_t ticks) {
  char fixed[kFixedDateTimeSize];
  format_datetime_fixed(ticks, fixed);
  std::size_t size = kFixedDateTimeSize - 1;  // without the Z
  while (fixed[size - 1] == '0' && size > 20) --size;
  if (size == 20) --size;  // the point goes with the last digit
  std::string text(fixed, size);
  text += 'Z';
  return text;
}

}  // namespace table_storage::edm
