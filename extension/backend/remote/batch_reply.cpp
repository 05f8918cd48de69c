// The reading half of batch_body.h. Services differ in line ends (mixed in one answer), quotes around
// boundaries, and the final "--", so lines end at LF with or without CR, and a body at a line that begins
// with the boundary.
#include <algorithm>
#include <charconv>

#include "extension/backend/remote/batch_body.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

[[noreturn]] void fail_reply(const std::string& what) {
  throw Error(Error::Kind::storage, "", "the answer to a batch is damaged: " + what);
}

/// Takes one line off the front, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes header lines and the empty line behind them.
Headers take_headers(std::string_view& text) {
  Headers headers;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) fail_reply("a header has no colon");
    headers.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return headers;
}

/// The boundary of a multipart content type; empty if it is of another kind.
std::string boundary_of(std::string_view content_type) {
  constexpr std::string_view kMultipart = "multipart/";
  constexpr std::string_view kName = "boundary=";
  if (!definition::equal_without_case(content_type.substr(0, kMultipart.size()), kMultipart)) return {};
  std::string folded(content_type);
  std::transform(folded.begin(), folded.end(), folded.begin(), definition::lower);
  const std::size_t at = folded.find(kName);
  if (at == std::string::npos) return {};
  std::string_view value = content_type.substr(at + kName.size());
  if (value.starts_with('"')) {
    value.remove_prefix(1);
    value = value.substr(0, value.find('"'));
  } else {
    value = trimmed(value.substr(0, value.find(';')));
  }
  return std::string(value);
}

/// The bodies between the lines of a boundary; the line end before a boundary belongs to it.
std::vector<std::string_view> split(std::string_view text, const std::string& boundary) {
  const std::string mark = "--" + boundary;
  std::vector<std::string_view> parts;
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t first = kNone;  // of the part that is open
  for (std::size_t at = text.find(mark); at != kNone; at = text.find(mark, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + mark.size());
    // Blanks may follow a boundary; other characters make it another line (one boundary may begin another).
    const std::string_view behind = trimmed(take_line(rest));
    if (!behind.empty() && behind != "--") continue;
    if (first != kNone) {
      std::size_t last = at;
      if (last > first && text[last - 1] == '\n') --last;
      if (last > first && text[last - 1] == '\r') --last;
      parts.push_back(text.substr(first, last - first));
    }
    if (behind == "--") return parts;
    first = text.size() - rest.size();
  }
  // The closing mark is missing: the text ends the part.
  if (first != kNone && first < text.size()) parts.push_back(text.substr(first));
  return parts;
}

/// Takes the line "HTTP/1.1 204 No Content".
long take_status(std::string_view& text) {
  std::string_view line = take_line(text);
  while (line.empty() && !text.empty()) line = take_line(text);
  const std::size_t blank = line.find(' ');
  if (!line.starts_with("HTTP/") || blank == std::string_view::npos) fail_reply("a part has no status");
  long status = 0;
  const auto [end, error] = std::from_chars(line.data() + blank + 1, line.data() + line.size(), status);
  if (error != std::errc() || status < 100 || status > 599) fail_reply("a part has no status");
  return status;
}

/// One part of a changeset: status, headers, body.
HttpResponse read_response(std::string_view text) {
  HttpResponse response;
  response.status = take_status(text);
  response.headers = take_headers(text);
  response.body = text;
  return response;
}

/// The value of one header of a part, and the part moved behind its header lines. Nothing is copied: a batch
/// has a hundred parts.
std::string_view skip_headers(std::string_view& text, std::string_view wanted) {
  std::string_view value;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) fail_reply("a header has no colon");
    if (definition::equal_without_case(trimmed(line.substr(0, colon)), wanted))
      value = trimmed(line.substr(colon + 1));
  }
  return value;
}

/// Every application/http part at any depth (a changeset is a multipart in a multipart), without the headers
/// around it.
void collect(std::string_view text, const std::string& boundary, int depth,
             std::vector<std::string_view>& out) {
  constexpr int kDeepest = 3;
  if (depth > kDeepest) fail_reply("its parts are nested too deeply");
  for (std::string_view part : split(text, boundary)) {
    const std::string inner = boundary_of(skip_headers(part, "Content-Type"));
    if (inner.empty()) {
      out.push_back(part);
    } else {
      collect(part, inner, depth + 1, out);
    }
  }
}

BatchReply failure(HttpResponse response) {
  BatchReply reply;
  reply.error = read_service_error(response);
  reply.failed = std::move(response);
  return reply;
}

}  // namespace

BatchReply read_batch_reply(const HttpResponse& response, std::size_t operations) {
  if (response.status < 200 || response.status > 299) return failure(response);
  const std::string boundary = boundary_of(response.header("Content-Type").value_or(""));
  if (boundary.empty()) fail_reply("it is no multipart (Content-Type)");
  std::vector<std::string_view> answers;
  collect(response.body, boundary, 0, answers);
  BatchReply reply;
  reply.statuses.reserve(answers.size());
  for (std::string_view answer : answers) {
    const std::string_view whole = answer;
    const long status = take_status(answer);
    if (status < 200 || status > 299) return failure(read_response(whole));
    reply.statuses.push_back(status);
  }
  if (reply.statuses.size() != operations) {
    fail_reply("it has " + std::to_string(reply.statuses.size()) + " parts for " +
               std::to_string(operations) + " operations");
  }
  return reply;
}

}  // namespace table_storage::backend::remote
