// ETags of local entities: the weak tag of the Timestamp, as the service makes it. Pure functions: any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace table_storage::backend::local {

/// `W/"datetime'2017-10-02T20%3A21%3A52.4195114Z'"`, trailing zeros of the fraction cut.
std::string etag_of(std::int64_t timestamp);

/// `W/"…"` or `"…"` without a quote inside (RFC 9110, 8.8.3). Anything else the service calls InvalidInput.
bool is_well_formed_etag(std::string_view etag);

}  // namespace table_storage::backend::local
