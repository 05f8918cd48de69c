// Connection strings, addresses and signatures. Secrets must not show in errors.
#include "parser/connection/connection_string.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

using connection::ConnectionString;

/// The error, or nothing where the text is read.
std::string error_of(std::string_view text) {
  try {
    if (text.starts_with('?')) {
      const std::string sas = connection::parse_sas(text);
      require(!sas.starts_with('?') && connection::parse_sas(sas) == sas, "a SAS reads back the same");
      return {};
    }
    const bool is_address = text.starts_with("http");
    const ConnectionString read =
        is_address ? connection::parse_endpoint_url(text) : connection::parse_connection_string(text);
    require(!read.endpoint.host.empty(), "there is a host");
    require(read.endpoint.query.empty(), "the query is cut off");
    require(read.account_key.empty() || read.sas.empty(), "a key or a SAS, not both");
    const std::string address = read.endpoint.origin() + read.endpoint.path;
    const ConnectionString again =
        connection::parse_endpoint_url(read.sas.empty() ? address : address + '?' + read.sas);
    require(again.endpoint.origin() == read.endpoint.origin() && again.endpoint.path == read.endpoint.path &&
                again.sas == read.sas,
            "an address reads back the same", address);
    return {};
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::invalid, "a connection string is refused as invalid", error.what());
    check_error(error, text);
    return error.what();
  }
}

}  // namespace

FUZZ_TARGET(connection) {
  const std::string first = error_of(input);
  for (const std::string_view mark : {"AccountKey=", "sig="}) {
    const std::string other = error_of(with_another_secret(input, mark));
    require(other == first, "no secret is in what can be shown", first + "\n" + other);
  }
}

}  // namespace table_storage::fuzz
