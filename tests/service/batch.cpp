#include "tests/service/batch.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace table_storage::fake {
namespace {

[[noreturn]] void malformed(const std::string& what) {
  throw Refusal{400, "InvalidInput", "The batch request is malformed: " + what};
}

std::optional<std::string> boundary_of(std::string_view content_type) {
  if (!content_type.starts_with("multipart/mixed")) return std::nullopt;
  const std::size_t at = content_type.find("boundary=");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view boundary = content_type.substr(at + 9);
  boundary = boundary.substr(0, boundary.find(';'));
  if (boundary.starts_with('"') && boundary.ends_with('"') && boundary.size() > 1)
    boundary = boundary.substr(1, boundary.size() - 2);
  if (boundary.empty()) return std::nullopt;
  return std::string(boundary);
}

/// A line and its end, LF or CRLF, taken from the front.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Headers take_headers(std::string_view& rest) {
  Headers headers;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) malformed("a header without a colon");
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    headers.emplace_back(line.substr(0, colon), line.substr(value));
  }
  return headers;
}

/// The contents between the delimiters. A delimiter's line break in front belongs to it.
std::vector<std::string_view> split(std::string_view body, const std::string& boundary) {
  const std::string delimiter = "--" + boundary;
  std::vector<std::string_view> parts;
  std::size_t from = body.find(delimiter);
  if (from == std::string_view::npos) malformed("its boundary does not occur in it");
  for (;;) {
    std::string_view rest = body.substr(from + delimiter.size());
    if (rest.starts_with("--")) return parts;
    take_line(rest);
    const std::size_t begin = body.size() - rest.size();
    const std::size_t end = body.find("\n" + delimiter, begin == 0 ? 0 : begin - 1);
    if (end == std::string_view::npos) malformed("the closing boundary is missing");
    std::string_view part = body.substr(begin, end < begin ? 0 : end - begin);
    if (part.ends_with('\r')) part.remove_suffix(1);
    parts.push_back(part);
    from = end + 1;
  }
}

BatchPart parse_part(std::string_view part, const Headers& mime, bool changes) {
  const std::string* const type = find_header(mime, "Content-Type");
  if (type == nullptr || !type->starts_with("application/http")) malformed("a part is not application/http");
  const std::string* const encoding = find_header(mime, "Content-Transfer-Encoding");
  if (encoding == nullptr || *encoding != "binary")
    malformed("a part has no Content-Transfer-Encoding: binary");
  BatchPart out;
  out.changes = changes;
  const std::string_view line = take_line(part);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !line.ends_with(" HTTP/1.1"))
    malformed("a part has no request line");
  out.request.method = line.substr(0, space);
  std::string_view target = line.substr(space + 1, line.size() - space - 1 - 9);
  for (std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    out.absolute = true;
    target.remove_prefix(std::min(target.find('/', scheme.size()), target.size()));
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  out.request.path = target.substr(0, mark);
  if (!out.request.path.starts_with('/')) out.request.path.insert(0, "/");
  out.request.query = target.substr(std::min(mark + 1, target.size()));
  out.request.headers = take_headers(part);
  if (const std::string* id = find_header(mime, "Content-ID")) out.content_id = *id;
  if (const std::string* id = out.request.header("Content-ID")) out.content_id = *id;
  if (const std::string* text = out.request.header("Content-Length")) {
    std::size_t length = 0;
    std::from_chars(text->data(), text->data() + text->size(), length);
    if (length > part.size()) malformed("a part is shorter than its Content-Length");
    part = part.substr(0, length);
  }
  while (part.ends_with('\n') || part.ends_with('\r')) part.remove_suffix(1);
  out.request.body = part;
  return out;
}

}  // namespace

std::vector<BatchPart> parse_batch(std::string_view content_type, std::string_view body) {
  const auto boundary = boundary_of(content_type);
  if (!boundary) malformed("its Content-Type is not multipart/mixed with a boundary");
  std::vector<BatchPart> parts;
  std::size_t change_sets = 0;
  for (std::string_view part : split(body, *boundary)) {
    const Headers mime = take_headers(part);
    const std::string* const type = find_header(mime, "Content-Type");
    if (type == nullptr) malformed("a part has no Content-Type");
    const auto inner = boundary_of(*type);
    if (!inner) {
      parts.push_back(parse_part(part, mime, false));
      continue;
    }
    ++change_sets;
    for (std::string_view change : split(part, *inner)) {
      const Headers change_mime = take_headers(change);
      parts.push_back(parse_part(change, change_mime, true));
    }
  }
  const bool queries =
      std::any_of(parts.begin(), parts.end(), [](const BatchPart& part) { return !part.changes; });
  if (parts.empty() || change_sets > 1 || (queries && parts.size() > 1))
    malformed("it must hold one change set with at least one operation, or a single query");
  return parts;
}

BatchReply render_batch(const std::vector<Answer>& parts, bool change_set, Personality personality) {
  // Cosmos ends the lines between its parts with LF and those inside with CRLF.
  const std::string_view crlf = "\r\n";
  const std::string_view between = personality == Personality::cosmos ? "\n" : crlf;
  const std::string outer = "batchresponse_55ab8b63-2b0a-4d52-a6c8-0000000000b1";
  const std::string inner = "changesetresponse_92b1ae8d-73a4-4c64-0000000000c2";
  BatchReply reply{outer, ""};
  std::string& out = reply.body;
  out.append("--").append(outer).append(between);
  if (change_set)
    out.append("Content-Type: multipart/mixed; boundary=").append(inner).append(between).append(between);
  for (const Answer& part : parts) {
    if (change_set) out.append("--").append(inner).append(between);
    out.append("Content-Type: application/http").append(between);
    out.append("Content-Transfer-Encoding: binary").append(between).append(between);
    out += "HTTP/1.1 " + std::to_string(part.status) + " " + std::string(reason_phrase(part.status));
    out += crlf;
    for (const auto& [name, value] : part.headers) out.append(name).append(": ").append(value).append(crlf);
    out += crlf;
    out += part.body;
    out += crlf;
  }
  if (change_set) out.append("--").append(inner).append("--").append(between);
  out.append("--").append(outer).append("--").append(between);
  return reply;
}

}  // namespace table_storage::fake
