// What a service says when it refuses, in whatever form it says it, and the Error that a reader of SQL sees.
//
// Forms: JSON (odata.error), XML (<error><code>, with or without a prefix, and <Error><Code>), an HTML page
// of some front end, or nothing at all. Sources: "Status and error codes", observed traffic.
//
// Pure functions: any thread. No secret gets into a result: signatures and tokens that a service echoes are
// struck out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "extension/backend/remote/http.h"
#include "extension/backend/remote/http_date.h"
#include "parser/error.h"

namespace table_storage::backend::remote {

struct ServiceError {
  long status = 0;
  std::string code;        // "EntityAlreadyExists"; empty where nothing tells it
  std::string message;     // first line of the service's text, without the index; may be empty
  std::string request_id;  // what Microsoft's support asks for; may be empty
  /// The operation of a batch that failed, 0-based. The service often leaves it out for a batch of one.
  std::optional<std::size_t> operation;
};

/// Never throws because of what the answer holds.
ServiceError read_service_error(const HttpResponse& response);

/// The service's code alone, cheaper where a header has it.
std::string service_code(const HttpResponse& response);

/// Kind by status: 404 missing, 409 conflict, 412 precondition, 501 unsupported, 400, 413, 414 and 431
/// invalid, else storage. The message is `asked` ("reading table Devices of server prod"), the service's own
/// words, status, request id, and what may be done about it. `date` is the answer's Date header, compared
/// with `now` where the service refused the credentials.
Error to_error(const ServiceError& error, std::string_view asked, std::optional<std::string_view> date,
               Clock::time_point now);
Error to_error(const HttpResponse& response, std::string_view asked, Clock::time_point now);

/// `text` with the values behind "sig=", "SharedKey account:", "SharedKeyLite account:" and "Bearer " struck
/// out.
std::string without_secrets(std::string_view text);

}  // namespace table_storage::backend::remote
