#include "extension/backend/remote/http_date.h"

#include <curl/curl.h>

#include <cstdio>

namespace table_storage::backend::remote {

std::string format_http_date(Clock::time_point time) {
  using namespace std::chrono;
  // Not strftime(): its names of days and months are the locale's.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time - day));
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02u %s %04d %02d:%02d:%02d GMT", kDays[weekday(day).c_encoding()],
                static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  return text;
}

std::optional<Clock::time_point> parse_http_date(std::string_view text) {
  // curl_getdate() takes far more than dates (a lone number is a day); every HTTP date has a time.
  if (text.find(':') == std::string_view::npos) return std::nullopt;
  const time_t seconds = curl_getdate(std::string(text).c_str(), nullptr);
  // The clock counts nanoseconds in 64 bits on Linux, which end in 2262.
  constexpr time_t kLast = 9'000'000'000;
  if (seconds < 0 || seconds > kLast) return std::nullopt;
  return Clock::from_time_t(seconds);
}

}  // namespace table_storage::backend::remote
