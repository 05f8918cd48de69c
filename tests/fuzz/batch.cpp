// Answers to batches. The first byte is the number of operations ('0' to '9'), the second an 'r' if lines
// shall end with CR LF, the rest of the line the content type; then the body.
#include "extension/backend/remote/batch_body.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {

FUZZ_TARGET(batch) {
  Choices choices(input);
  const std::size_t operations = (choices.byte() + 10 - '0') % 10;
  const bool with_returns = choices.byte() == 'r';
  std::string_view text = choices.rest();
  backend::remote::HttpResponse response;
  response.status = 202;
  response.headers = {{"Content-Type", std::string(take_line(text))}};
  for (const char c : text) {
    if (c == '\n' && with_returns) response.body += '\r';
    response.body += c;
  }
  try {
    const backend::remote::BatchReply reply = backend::remote::read_batch_reply(response, operations);
    require(reply.error.has_value() == reply.failed.has_value(), "a failed part comes with its error");
    require(reply.error || reply.statuses.size() == operations, "one part an operation");
    for (const long status : reply.statuses)
      require(status >= 200 && status < 300, "a part that is no success is an error");
    if (reply.failed) {
      const Error error = to_error(*reply.failed, "fuzzing", {});
      check_error(error, input);
    }
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::storage, "a damaged answer is an error of the storage",
            error.what());
    check_error(error, response.body);
  }
}

}  // namespace table_storage::fuzz
