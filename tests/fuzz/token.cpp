// What the endpoints of tokens answer, and the texts of times in it.
#include "extension/backend/remote/http_date.h"
#include "extension/backend/remote/token_reply.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(token) {
  namespace remote = backend::remote;
  const remote::WallTime now = remote::WallTime(std::chrono::seconds(1'704'067'200));
  if (const auto token = remote::read_token_reply(input, now))
    require(!token->value.empty(), "a token is not empty");
  const remote::TokenRefusal refusal = remote::read_token_refusal(input);
  remote::without_secrets(refusal.description, "a secret");
  remote::read_expiry(input);
  remote::read_local_time(input);
  if (const auto date = remote::parse_http_date(input)) {
    const std::string text = remote::format_http_date(*date);
    require(remote::parse_http_date(text) == date, "a date reads back the same", text);
  }
}

}  // namespace table_storage::fuzz
