#include "extension/backend/remote/service_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "extension/backend/remote/error_body.h"
#include "parser/definition/closest.h"
#include "parser/edm/text.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::size_t kLongestMessage = 300;
constexpr auto kClockTolerance = std::chrono::minutes(5);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "12:The entity …": the prefix is the index of the operation of a batch.
std::optional<std::size_t> take_index(std::string_view& message) {
  std::size_t digits = 0;
  while (digits < message.size() && is_digit(message[digits])) ++digits;
  if (digits == 0 || digits > 9 || digits == message.size() || message[digits] != ':') return std::nullopt;
  std::size_t index = 0;
  std::from_chars(message.data(), message.data() + digits, index);
  message.remove_prefix(digits + 1);
  return index;
}

/// For a person: one line, valid UTF-8, not endless, nothing secret.
std::string shown(std::string_view text) {
  std::string safe(text);
  if (!edm::is_valid_utf8(safe)) {
    for (char& c : safe) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return definition::excerpt(without_secrets(safe), kLongestMessage);
}

std::string_view first_line(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(first);
  text = text.substr(0, text.find_first_of("\r\n"));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// A code is a word; anything else in its place is not worth showing.
std::string checked_code(std::string_view code) {
  const auto is_word = [](char c) {
    const char l = definition::lower(c);
    return (l >= 'a' && l <= 'z') || is_digit(c) || c == '_' || c == '.' || c == '-';
  };
  if (code.size() > 100 || !std::all_of(code.begin(), code.end(), is_word)) return {};
  return std::string(code);
}

Error::Kind kind_of(long status) {
  switch (status) {
    case 404:
      return Error::Kind::missing;
    case 409:
      return Error::Kind::conflict;
    case 412:
      return Error::Kind::precondition;
    case 501:
      return Error::Kind::unsupported;
    case 400:
    case 413:
    case 414:
    case 431:
      return Error::Kind::invalid;
    default:
      return Error::Kind::storage;
  }
}

/// How far this machine's clock is from the service's, in words; empty if near enough.
std::string clock_hint(std::optional<std::string_view> date, Clock::time_point now) {
  if (!date) return {};
  const auto theirs = parse_http_date(*date);
  if (!theirs) return {};
  const auto apart = now - *theirs;
  if (std::chrono::abs(apart) <= kClockTolerance) return {};
  const auto minutes = std::chrono::round<std::chrono::minutes>(std::chrono::abs(apart)).count();
  std::string span = std::to_string(minutes) + " minutes";
  if (minutes >= 120)
    span = std::to_string(minutes / 60) + " hours and " + std::to_string(minutes % 60) + " minutes";
  return "this machine's clock is " + span + (apart.count() > 0 ? " ahead of" : " behind") +
         " the service's, which takes signatures of at most 15 minutes; set the clock";
}

std::string forbidden_hint(const ServiceError& error) {
  const std::string& code = error.code;
  if (code == "AuthorizationPermissionMismatch" || code == "Forbidden") {
    return "the credentials are good but do not allow this: a SAS needs sp=r to read, a to insert, u to "
           "update, d to "
           "delete (a and u to insert or replace); a token needs the role Storage Table Data Reader or "
           "Contributor";
  }
  if (code == "AuthorizationServiceMismatch")
    return "the SAS is for another service: a SAS of an account needs ss=t";
  if (code == "AuthorizationResourceTypeMismatch") {
    return "the SAS does not reach this kind of object: srt needs s to list tables, c to create and drop "
           "them, o for "
           "entities";
  }
  if (code == "AuthorizationProtocolMismatch") return "the SAS allows https only";
  if (code == "AuthorizationSourceIPMismatch")
    return "the SAS or the account's firewall does not allow this address";
  if (code == "AccountIsDisabled") return "the account is disabled";
  return "check the account's name and its key, the time limits of a SAS, its permissions and its table, and "
         "the "
         "account's firewall";
}

std::string hint_of(const ServiceError& error, std::optional<std::string_view> date, Clock::time_point now) {
  switch (error.status) {
    case 401:
      return "the service did not take the credentials: there are none, the token has expired or is for "
             "another "
             "audience, or the account does not allow this kind";
    case 403: {
      std::string hint = clock_hint(date, now);
      return hint.empty() ? forbidden_hint(error) : hint;
    }
    case 404:
      if (error.code == "TableNotFound") return "ts_create_table(server, table) makes the table";
      if (error.code.empty()) return "is the endpoint that of a table service?";
      return {};
    case 405:
      return "is the endpoint that of a table service?";
    case 409:
      if (error.code == "TableBeingDeleted") {
        return "the service takes a minute or more to delete a table; try again later";
      }
      return {};
    case 412:
      return "the entity has been changed since it was read; read it again";
    case 413:
      return "the request's body is larger than the service takes; use fewer or smaller entities";
    case 414:
    case 431:
      return "the address of the request is too long for the service; use a shorter filter, list or key";
    case 429:
    case 503:
      return "the service is busy; try again later, or with less concurrency";
    default:
      if (error.status >= 300 && error.status < 400) {
        return "the endpoint sends on to another address, which is not followed; correct the endpoint";
      }
      return {};
  }
}

/// Strikes out the run of characters that make a token or signature, from `at`.
void strike(std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::string_view(" \t\r\n&\"'<>,;)").find(text[end]) == std::string_view::npos)
    ++end;
  if (end > at) text.replace(at, end - at, "***");
}

}  // namespace

std::string without_secrets(std::string_view text) {
  std::string result(text);
  std::string folded = result;
  const auto strike_behind = [&](std::string_view mark) {
    for (std::size_t at = 0;;) {
      folded = result;
      std::transform(folded.begin(), folded.end(), folded.begin(), definition::lower);
      at = folded.find(mark, at);
      if (at == std::string::npos) return;
      at += mark.size();
      strike(result, at);
    }
  };
  for (const std::string_view mark :
       {"sig=", "sig%3d", "sharedkey ", "sharedkeylite ", "bearer ", "accountkey="}) {
    strike_behind(mark);
  }
  return result;
}

ServiceError read_service_error(const HttpResponse& response) {
  ServiceError error;
  error.status = response.status;
  std::optional<ErrorBody> body = read_json_error(response.body);
  if (!body) body = read_xml_error(response.body);
  if (const auto code = response.header("x-ms-error-code")) error.code = checked_code(*code);
  std::string text;
  if (body) {
    if (error.code.empty()) error.code = checked_code(body->code);
    std::string_view message = body->message;
    error.operation = take_index(message);
    text = first_line(message);
  } else if (response.body.find('<') != std::string::npos) {
    text = text_of_html(response.body);
  } else {
    text = first_line(response.body);
  }
  error.message = shown(text);
  if (const auto id = response.header("x-ms-request-id")) error.request_id = shown(*id);
  return error;
}

std::string service_code(const HttpResponse& response) {
  if (const auto code = response.header("x-ms-error-code")) {
    if (std::string checked = checked_code(*code); !checked.empty()) return checked;
  }
  return read_service_error(response).code;
}

Error to_error(const ServiceError& error, std::string_view asked, std::optional<std::string_view> date,
               Clock::time_point now) {
  std::string message(asked);
  message += message.empty() ? "the service answered" : ": the service answered";
  if (!error.message.empty()) message += " \"" + error.message + "\"";
  message += " (HTTP " + std::to_string(error.status);
  if (!error.request_id.empty()) message += ", request " + error.request_id;
  message += ")";
  if (const std::string hint = hint_of(error, date, now); !hint.empty()) message += "; " + hint;
  return Error(kind_of(error.status), error.code, std::move(message));
}

Error to_error(const HttpResponse& response, std::string_view asked, Clock::time_point now) {
  return to_error(read_service_error(response), asked, response.header("Date"), now);
}

}  // namespace table_storage::backend::remote
