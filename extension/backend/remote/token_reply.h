// What the token endpoints answer, read without trusting any of it. Pure functions: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "extension/backend/remote/token.h"

namespace table_storage::backend::remote {

/// `access_token` with `expires_on` (seconds since 1970 as number or text, or "10/26/2020 1:30:00 PM +00:00")
/// or else `expires_in` (seconds). nullopt if there is no token or nothing says how long it lasts.
std::optional<Token> read_token_reply(std::string_view json, WallTime now);

/// A time as token endpoints write it: seconds since 1970, or the month/day/year form of the older App
/// Service.
std::optional<WallTime> read_expiry(std::string_view text);
/// "2024-06-15 12:34:56.000000" in the time zone of this process.
std::optional<WallTime> read_local_time(std::string_view text);

/// The error of an endpoint: `error` and the first line of `error_description`. Empty strings where the body
/// has none.
struct TokenRefusal {
  std::string code;
  std::string description;
};
TokenRefusal read_token_refusal(std::string_view body);

/// `text` fit for a message: one line, of moderate length, without `secret` and without anything shaped like
/// a token.
std::string without_secrets(std::string_view text, std::string_view secret);

}  // namespace table_storage::backend::remote
