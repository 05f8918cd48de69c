#include "extension/backend/remote/error_body.h"

#include <expat.h>
#include <simdjson.h>

#include <algorithm>
#include <memory>

#include "parser/definition/closest.h"

namespace table_storage::backend::remote {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongest = 1 << 20;  // of an error's body; no service writes more

std::string_view without_bom(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// Collects the text of <code> and <message> directly under the root, whatever their case and prefix.
struct XmlReader {
  XML_Parser parser = nullptr;
  int depth = 0;
  bool is_error = false;
  std::string* target = nullptr;
  ErrorBody body;

  static std::string_view local_name(const char* name) {
    std::string_view text = name;
    const std::size_t colon = text.rfind(':');
    return colon == std::string_view::npos ? text : text.substr(colon + 1);
  }

  static void XMLCALL start(void* user, const char* element, const char**) {
    auto& self = *static_cast<XmlReader*>(user);
    const std::string_view name = local_name(element);
    if (self.depth == 0) self.is_error = definition::equal_without_case(name, "error");
    if (self.depth == 1) {
      if (definition::equal_without_case(name, "code")) self.target = &self.body.code;
      if (definition::equal_without_case(name, "message")) self.target = &self.body.message;
    }
    ++self.depth;
  }
  static void XMLCALL end(void* user, const char*) {
    auto& self = *static_cast<XmlReader*>(user);
    if (--self.depth == 1) self.target = nullptr;
  }
  static void XMLCALL text(void* user, const char* data, int size) {
    auto& self = *static_cast<XmlReader*>(user);
    if (self.target) self.target->append(data, static_cast<std::size_t>(size));
  }
  // No error needs a DTD, and entities that multiply are a way to fill memory.
  static void XMLCALL doctype(void* user, const char*, const char*, const char*, int) {
    XML_StopParser(static_cast<XmlReader*>(user)->parser, XML_FALSE);
  }
};

}  // namespace

std::optional<ErrorBody> read_json_error(std::string_view body) {
  body = without_bom(body);
  if (body.empty() || body.size() > kLongest) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto error = parser.parse(body.data(), body.size(), true).get(root)) {
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    return std::nullopt;
  }
  simdjson::dom::object error;
  // odata.error in OData 3; plain "error" in version 4 and at token endpoints.
  if (root["odata.error"].get(error) && root["error"].get(error)) return std::nullopt;
  ErrorBody result;
  std::string_view text;
  if (!error["code"].get(text)) result.code = text;
  if (!error["message"]["value"].get(text) || !error["message"].get(text)) result.message = text;
  return result;
}

std::optional<ErrorBody> read_xml_error(std::string_view body) {
  body = without_bom(body);
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || body[first] != '<' || body.size() > kLongest) return std::nullopt;
  body.remove_prefix(first);
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  XmlReader reader;
  reader.parser = parser.get();
  XML_SetUserData(parser.get(), &reader);
  XML_SetElementHandler(parser.get(), &XmlReader::start, &XmlReader::end);
  XML_SetCharacterDataHandler(parser.get(), &XmlReader::text);
  XML_SetStartDoctypeDeclHandler(parser.get(), &XmlReader::doctype);
  const bool whole =
      XML_Parse(parser.get(), body.data(), static_cast<int>(body.size()), XML_TRUE) != XML_STATUS_ERROR;
  if (!whole && XML_GetErrorCode(parser.get()) == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
  // A body that was cut after its code still tells it.
  if (!reader.is_error || (reader.body.code.empty() && reader.body.message.empty())) return std::nullopt;
  return std::move(reader.body);
}

std::string text_of_html(std::string_view body) {
  std::string text;
  bool in_tag = false;
  bool gap = false;
  for (const char c : body.substr(0, std::min(body.size(), kLongest))) {
    if (c == '<') {
      in_tag = gap = true;
    } else if (c == '>') {
      in_tag = false;
    } else if (static_cast<unsigned char>(c) <= ' ') {
      gap = true;
    } else if (!in_tag) {
      if (gap && !text.empty()) text += ' ';
      gap = false;
      text += c;
    }
  }
  return text;
}

}  // namespace table_storage::backend::remote
