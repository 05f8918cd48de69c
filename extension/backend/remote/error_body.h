// The body of an answer that is no success: its code and its words. Internal to service_error.cpp. Any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace table_storage::backend::remote {

struct ErrorBody {
  std::string code;
  std::string message;  // whole, as the service wrote it
};

/// Each reads one form and gives nothing for another or a damaged one.
std::optional<ErrorBody> read_json_error(std::string_view body);
std::optional<ErrorBody> read_xml_error(std::string_view body);
/// Text of an HTML page without its tags.
std::string text_of_html(std::string_view body);

}  // namespace table_storage::backend::remote
