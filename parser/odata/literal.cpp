#include "parser/odata/literal.h"

#include <algorithm>
#include <string>

#include "parser/edm/text.h"
#include "parser/odata/characters.h"
#include "parser/odata/diagnosis.h"

namespace table_storage::odata {
namespace {

using syntax::Atom;

class Reader {
 public:
  Reader(const Atom& atom, std::string_view filter)
      : text_(syntax::view(atom.text)),
        filter_(filter),
        position_(static_cast<std::size_t>(atom.text.begin() - filter.data())) {}

  edm::Value number() const {
    std::string digits(text_);
    if (digits.front() == '-') {  // `- 5` is the number -5
      const char* const first = text_.data() + 1;
      const char* const last = text_.data() + text_.size();
      digits = "-" + std::string(skip_spaces(first, last), last);
    }
    switch (digits.back()) {
      case 'L':
      case 'l':
        digits.pop_back();
        if (const auto value = edm::parse_int64(digits)) return edm::Value::int64(*value);
        if (digits.find_first_of(".eE") != std::string::npos)
          refuse("Edm.Int64", "L goes with whole numbers");
        refuse("Edm.Int64", "it is out of range");
      case 'd':
      case 'D':
        digits.pop_back();
        return real(digits);
      case 'f':
      case 'F':  // INF ends in one too
        if (digits == "INF" || digits == "-INF") return real(digits);
        refuse_type("Edm.Single", "a number with a fraction is a Double, such as 1.5");
      case 'm':
      case 'M':
        refuse_type("Edm.Decimal", "a number with a fraction is a Double, such as 1.5");
      default:
        break;
    }
    if (digits.find_first_of(".eEN") != std::string::npos) return real(digits);
    if (const auto value = edm::parse_int32(digits)) return edm::Value::int32(*value);
    if (edm::parse_int64(digits)) {
      refuse("Edm.Int32", "it is out of range; add L for an Int64: " + digits + "L");
    }
    refuse("Edm.Int32",
           "it is out of range, also for an Int64; write it as a Double: " + shorten(digits) + ".0");
  }

  edm::Value hex() const { return binary(text_.substr(2)); }

  edm::Value string() const {
    const std::string_view inside = text_.substr(1, text_.size() - 2);
    if (inside.find('\'') == std::string_view::npos) return edm::Value::string(inside);
    std::string out;
    out.reserve(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
      out += inside[i];
      if (inside[i] == '\'') ++i;  // the second of a pair
    }
    return edm::Value::string(out);
  }

  edm::Value typed() const {
    const std::size_t quote = text_.find('\'');
    const std::string prefix = lower(text_.substr(0, quote));
    const std::string_view inside = text_.substr(quote + 1, text_.size() - quote - 2);
    if (prefix == "datetime") {
      if (const auto ticks = edm::parse_datetime(inside)) return edm::Value::datetime(*ticks);
      refuse("Edm.DateTime", "write UTC as datetime'2024-06-15T00:00:00Z'");
    }
    if (prefix == "guid") {
      if (const auto bytes = edm::parse_guid(inside)) return edm::Value::guid({bytes->data(), bytes->size()});
      refuse("Edm.Guid", "write guid'c9da6455-213d-42c9-9a79-3e9149a57833'");
    }
    if (prefix == "x" || prefix == "binary") return binary(inside);
    if (prefix == "datetimeoffset")
      refuse_type("Edm.DateTimeOffset", "use datetime'…', which takes an offset");
    if (prefix == "time") refuse_type("Edm.Time", "use an Int64 or a String");
    if (prefix == "geography" || prefix == "geometry") refuse_type("spatial", "there is no substitute");
    throw syntax_error(filter_, position_,
                       "a constant, but \"" + shorten(text_.substr(0, quote)) +
                           "\" is no type; typed constants are datetime'…', guid'…', X'…' and binary'…'");
  }

 private:
  static std::string lower(std::string_view word) {
    std::string out(word);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
  }

  edm::Value real(const std::string& digits) const {
    if (const auto value = edm::parse_double(digits)) return edm::Value::real(*value);
    refuse("Edm.Double", digits == "-NaN" ? "NaN has no sign" : "it is out of range (about ±1.8e308)");
  }

  edm::Value binary(std::string_view digits) const {
    if (const auto bytes = edm::parse_hex(digits)) return edm::Value::binary(*bytes);
    refuse("Edm.Binary", digits.size() % 2 != 0
                             ? "hex digits come in pairs, and there is an odd number of characters"
                             : "only hex digits may stand there");
  }

  // The first half is the service's own wording.
  [[noreturn]] void refuse(const char* type, const std::string& reason) const {
    throw invalid(filter_, position_,
                  "Unrecognized '" + std::string(type) + "' literal \"" + shorten(text_) + "\": " + reason);
  }
  [[noreturn]] void refuse_type(const char* type, const char* instead) const {
    throw invalid(filter_, position_,
                  "\"" + shorten(text_) + "\" is a constant of type " + type +
                      ", which no property can have; " + instead);
  }

  std::string_view text_;
  std::string_view filter_;
  std::size_t position_;
};

}  // namespace

edm::Value read_literal(const Atom& atom, std::string_view filter) {
  const Reader reader(atom, filter);
  switch (atom.kind) {
    case Atom::Kind::number:
      return reader.number();
    case Atom::Kind::hex:
      return reader.hex();
    case Atom::Kind::string:
      return reader.string();
    case Atom::Kind::typed:
      return reader.typed();
    case Atom::Kind::word:
    case Atom::Kind::path:
      break;
  }
  return edm::Value::boolean(syntax::view(atom.text) == "true");
}

}  // namespace table_storage::odata
