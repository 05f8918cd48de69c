// What a service says when it refuses: JSON, XML, HTML or anything else. The first byte chooses the status.
// Secrets that a service echoes must not show.
#include "extension/backend/remote/service_error.h"

#include <array>

#include "extension/backend/remote/continuation.h"
#include "extension/backend/remote/error_body.h"
#include "parser/edm/text.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

namespace remote = backend::remote;

constexpr std::array<long, 12> kStatus = {400, 401, 403, 404, 409, 412, 413, 429, 500, 501, 503, 302};

std::string shown(long status, std::string_view body) {
  remote::HttpResponse response;
  response.status = status;
  response.body = body;
  // A header takes any bytes too.
  const std::string_view line = body.substr(0, body.find('\n'));
  response.headers = {{"Date", std::string(line)},
                      {"x-ms-request-id", std::string(line)},
                      {"x-ms-continuation-NextPartitionKey", std::string(line)},
                      {"x-ms-continuation-NextTableName", std::string(line)}};
  remote::continuation_of(response);
  remote::table_continuation_of(response);
  remote::service_code(response);
  const remote::ServiceError read = remote::read_service_error(response);
  require(read.status == status, "the status is the answer's");
  const Error error = remote::to_error(response, "fuzzing", {});
  check_error(error, body);
  require(edm::is_valid_utf8(error.what()), "an error is UTF-8", error.what());
  return error.what();
}

}  // namespace

FUZZ_TARGET(service_error) {
  Choices choices(input);
  const long status = kStatus[choices.below(kStatus.size())];
  const std::string_view body = choices.rest();
  remote::read_json_error(body);
  remote::read_xml_error(body);
  remote::text_of_html(body);
  const std::string first = shown(status, body);
  const std::string other = shown(status, with_another_secret(body, "sig="));
  require(first == other, "no signature is in an error", first + "\n" + other);
}

}  // namespace table_storage::fuzz
