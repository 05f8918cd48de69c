// Dates of HTTP headers, to the second. Pure functions: any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace table_storage::backend::remote {

using Clock = std::chrono::system_clock;

/// "Mon, 01 Jan 2024 00:00:00 GMT" (IMF-fixdate of RFC 9110), whatever the locale.
std::string format_http_date(Clock::time_point time);
/// All date forms that HTTP allows; nullopt for other text.
std::optional<Clock::time_point> parse_http_date(std::string_view text);

}  // namespace table_storage::backend::remote
