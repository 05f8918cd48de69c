#include <gtest/gtest.h>
#include <simdjson.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "parser/edm/text.h"
#include "parser/error.h"
#include "parser/json/entity_json.h"

namespace table_storage::json {
namespace {

using edm::Value;
using edm::ValueView;
using Properties = std::vector<Property>;

const std::string kGuidText = "c9da6455-213d-42c9-9a79-3e9149a57833";
const std::string kGuidBytes = "\xc9\xda\x64\x55\x21\x3d\x42\xc9\x9a\x79\x3e\x91\x49\xa5\x78\x33";

Value date(std::string_view text) { return Value::datetime(edm::parse_datetime(text).value()); }

/// "Code: message" of the error, or "" if there is none.
std::string error_of(std::string_view json) {
  try {
    parse_properties(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::invalid);
    return error.what();
  }
  return "";
}

// --- Reading
// -------------------------------------------------------------------------------------------------

TEST(JsonRead, TypesWithoutAnnotation) {
  const std::vector<std::pair<const char*, Value>> values = {
      {R"("text")", Value::string("text")},
      {R"("")", Value::string("")},
      {R"("2024-06-15T00:00:00Z")", Value::string("2024-06-15T00:00:00Z")},  // never guessed
      {R"("5")", Value::string("5")},
      {R"("NaN")", Value::string("NaN")},
      {"true", Value::boolean(true)},
      {"false", Value::boolean(false)},
      {"0", Value::int32(0)},
      {"-0", Value::int32(0)},
      {"1", Value::int32(1)},
      {"2147483647", Value::int32(2147483647)},
      {"-2147483648", Value::int32(-2147483647 - 1)},
      {"2147483648", Value::real(2147483648.0)},
      {"-2147483649", Value::real(-2147483649.0)},
      {"3000000000", Value::real(3e9)},
      {"9007199254740993", Value::real(9007199254740992.0)},
      {"100000000000000000000000", Value::real(1e23)},
      {"1.0", Value::real(1.0)},
      {"1e0", Value::real(1.0)},
      {"1E2", Value::real(100.0)},
      {"-0.0", Value::real(-0.0)},
      {"4.94065645841247E-324", Value::real(5e-324)},
      {"1e-400", Value::real(0.0)},
      {"1.7976931348623157E+308", Value::real(1.7976931348623157e308)},
  };
  for (const auto& [json, value] : values) {
    for (const std::string& text :
         {std::string("{\"v\":") + json + "}", std::string("\r\n{ \"v\"\t: ") + json + " \n}\n ",
          std::string("{\"v\":") + json + " , \"w\":1}"}) {
      const Properties got = parse_properties(text);
      ASSERT_FALSE(got.empty()) << text;
      EXPECT_EQ(got[0].first, "v");
      EXPECT_TRUE(got[0].second == value) << text << " gave " << name_of(got[0].second.type());
    }
  }
}

TEST(JsonRead, TypesWithAnnotationOnEitherSide) {
  struct Case {
    const char* type;
    std::string json;
    Value value;
  };
  const std::vector<Case> cases = {
      {"Edm.String", R"("x")", Value::string("x")},
      {"Edm.Boolean", "true", Value::boolean(true)},
      {"Edm.Int32", "5", Value::int32(5)},
      {"Edm.Int32", R"("-5")", Value::int32(-5)},
      {"Edm.Int64", R"("9007199254740993")", Value::int64(9007199254740993)},
      {"Edm.Int64", "9007199254740993", Value::int64(9007199254740993)},
      {"Edm.Int64", R"("-9223372036854775808")", Value::int64(std::numeric_limits<std::int64_t>::min())},
      {"Edm.Int64", "9223372036854775807", Value::int64(std::numeric_limits<std::int64_t>::max())},
      {"Edm.Int64", R"("5")", Value::int64(5)},
      {"Edm.Double", "5", Value::real(5)},
      {"Edm.Double", "5.5", Value::real(5.5)},
      {"Edm.Double", R"("5.5")", Value::real(5.5)},
      {"Edm.Double", R"("NaN")", Value::real(NAN)},
      {"Edm.Double", R"("Infinity")", Value::real(INFINITY)},
      {"Edm.Double", R"("-Infinity")", Value::real(-INFINITY)},
      {"Edm.Double", R"("INF")", Value::real(INFINITY)},
      {"Edm.DateTime", R"("2020-01-02T03:04:05.1234567Z")", date("2020-01-02T03:04:05.1234567Z")},
      {"Edm.DateTime", R"("2020-01-02T03:04:05")", date("2020-01-02T03:04:05Z")},
      {"Edm.DateTime", R"("2020-01-01T00:30:00+01:00")", date("2019-12-31T23:30:00Z")},
      {"Edm.DateTime", R"("1601-01-01T00:00:00Z")", Value::datetime(edm::kMinServiceTicks)},
      {"Edm.DateTime", R"("9999-12-31T23:59:59.9999999Z")", Value::datetime(edm::kMaxServiceTicks)},
      {"Edm.Guid", '"' + kGuidText + '"', Value::guid(kGuidBytes)},
      {"Edm.Guid", R"("C9DA6455-213D-42C9-9A79-3E9149A57833")", Value::guid(kGuidBytes)},
      {"Edm.Binary", R"("AQID")", Value::binary("\x01\x02\x03")},
      {"Edm.Binary", R"("")", Value::binary("")},
  };
  for (const Case& c : cases) {
    const std::string annotation = "\"v@odata.type\":\"" + std::string(c.type) + "\"";
    const std::string member = "\"v\":" + c.json;
    for (const std::string& text :
         {"{" + annotation + "," + member + "}", "{" + member + "," + annotation + "}",
          "{" + annotation + ",\"w\":1," + member + "}", "{" + member + ",\"w\":1," + annotation + "}"}) {
      Properties got;
      ASSERT_NO_THROW(got = parse_properties(text)) << text;
      const std::size_t at = got[0].first == "v" ? 0 : 1;
      EXPECT_EQ(got[at].first, "v") << text;
      EXPECT_TRUE(got[at].second == c.value) << text;
    }
  }
}

TEST(JsonRead, MembersThatAreNoProperties) {
  EXPECT_TRUE(parse_properties("{}").empty());
  EXPECT_TRUE(parse_properties(" { } ").empty());
  EXPECT_TRUE(parse_properties(R"({"a":null})").empty());
  EXPECT_TRUE(parse_properties(R"({"a@odata.type":"Edm.Int64","a":null})").empty());
  const Properties got = parse_properties(
      R"({"odata.metadata":"http://x/$metadata#t/@Element","odata.etag":"W/\"1\"","odata.x":{"a":[1,{"b":null}]},
          "PartitionKey":"p","RowKey":"","Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-01-02T03:04:05Z",
          "odata.etag":5,"b":null,"a":1})");
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0], Property("PartitionKey", Value::string("p")));
  EXPECT_EQ(got[1], Property("RowKey", Value::string("")));
  EXPECT_EQ(got[2], Property("Timestamp", date("2020-01-02T03:04:05Z")));
  EXPECT_EQ(got[3], Property("a", Value::int32(1)));
}

TEST(JsonRead, NamesAreCaseSensitiveAndKeepTheirOrder) {
  const Properties got = parse_properties(R"({"b":1,"B":2,"a":3,"\u00e9\ud83d\ude00":4,"":5})");
  ASSERT_EQ(got.size(), 5u);
  const char* names[] = {"b", "B", "a", "é😀", ""};
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, names[i]);
    EXPECT_EQ(got[i].second, Value::int32(static_cast<int>(i) + 1));
  }
}

TEST(JsonRead, StringEscapes) {
  const Properties got =
      parse_properties(R"({"v":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00\uffff\u0000\u001f€😀"})");
  const std::string expected("\"\\/\b\f\n\r\tAé€😀\uffff\0\x1f€😀", 30);
  EXPECT_EQ(got.at(0).second.view().bytes(), expected);
}

TEST(JsonRead, ErrorsNameTheMemberAndWhatWouldBeRight) {
  struct Case {
    const char* json;
    std::vector<const char*> parts;
  };
  const std::vector<Case> cases = {
      // wrong values for a type
      {R"({"n@odata.type":"Edm.Int64","n":"5.0"})",
       {"InvalidInput: ", "\"n\"", "\"5.0\"", "Edm.Int64", "digits"}},
      {R"({"n@odata.type":"Edm.Int64","n":5.0})", {"InvalidInput: ", "5.0", "Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int64","n":1e3})", {"1e3"}},
      {R"({"n@odata.type":"Edm.Int64","n":"9223372036854775808"})", {"9223372036854775808", "Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int64","n":9223372036854775808})", {"9223372036854775808", "Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int64","n":" 5"})", {"Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int64","n":""})", {"Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int64","n":true})", {"true", "Edm.Int64"}},
      {R"({"n@odata.type":"Edm.Int32","n":2147483648})", {"2147483648", "Edm.Int32", "2147483647"}},
      {R"({"n@odata.type":"Edm.Int32","n":5.0})", {"5.0", "Edm.Int32"}},
      {R"({"n@odata.type":"Edm.Boolean","n":"true"})", {"Edm.Boolean", "true or false"}},
      {R"({"n@odata.type":"Edm.Boolean","n":1})", {"Edm.Boolean"}},
      {R"({"n@odata.type":"Edm.String","n":5})", {"Edm.String", "JSON string"}},
      {R"({"n@odata.type":"Edm.Double","n":"abc"})", {"Edm.Double", "abc"}},
      {R"({"n@odata.type":"Edm.Double","n":true})", {"Edm.Double"}},
      {R"({"n@odata.type":"Edm.Double","n":1e400})", {"Edm.Double", "1e400"}},
      {R"({"n":1e400})", {"\"n\"", "1e400", "Edm.Double"}},
      {R"({"n@odata.type":"Edm.DateTime","n":"2024-02-30T00:00:00Z"})", {"InvalidInput: ", "Edm.DateTime"}},
      {R"({"n@odata.type":"Edm.DateTime","n":5})", {"InvalidInput: ", "Edm.DateTime"}},
      {R"({"n@odata.type":"Edm.DateTime","n":"1600-12-31T23:59:59Z"})",
       {"OutOfRangeInput: ", "\"n\"", "1601"}},
      {R"({"n@odata.type":"Edm.DateTime","n":"1601-01-01T00:00:00+01:00"})", {"OutOfRangeInput: "}},
      {R"({"n@odata.type":"Edm.Guid","n":"c9da"})", {"Edm.Guid", "c9da"}},
      {R"({"n@odata.type":"Edm.Binary","n":"AQI"})", {"Edm.Binary", "base64"}},
      // annotations
      {R"({"n@odata.type":"Edm.Single","n":5})",
       {"InvalidInput: ", "\"Edm.Single\"",
        "Edm.String, Edm.Binary, Edm.Boolean, Edm.Int32, Edm.Int64, Edm.Double, "
        "Edm.DateTime and Edm.Guid"}},
      {R"({"n@odata.type":"edm.int64","n":"5"})", {"edm.int64"}},
      {R"({"n@odata.type":"","n":"5"})", {"unknown type"}},
      {R"({"n@odata.type":5,"n":"5"})", {"n@odata.type", "name of a type"}},
      {R"({"n@odata.type":null,"n":"5"})", {"n@odata.type"}},
      {R"({"n@odata.typ":"Edm.Int64","n":"5"})", {"n@odata.typ\"", "n@odata.type\""}},
      {R"({"N@odata.type":"Edm.Int64","n":"5"})", {"N@odata.type", "case-sensitive"}},
      // twice
      {R"({"n":1,"n":1})", {"DuplicatePropertiesSpecified: ", "\"n\""}},
      {R"({"n":null,"n":1})", {"DuplicatePropertiesSpecified: "}},
      {R"({"n":1,"m":2,"\u006e":1})", {"DuplicatePropertiesSpecified: "}},
      {R"({"n@odata.type":"Edm.Int64","n@odata.type":"Edm.Int64","n":"1"})",
       {"DuplicatePropertiesSpecified: "}},
      // nested
      {R"({"n":{"a":1}})", {"InvalidInput: ", "\"n\" is an object"}},
      {R"({"n":[1]})", {"InvalidInput: ", "\"n\" is an array"}},
      {R"({"m":1,"n":[[[[]]]]})", {"\"n\" is an array"}},
      {R"({"n@odata.type":["Edm.Int64"],"n":1})", {"n@odata.type", "array"}},
      // surrogates
      {R"({"n":"\ud800"})", {"InvalidInput: ", "\"n\""}},
      {R"({"n":"\udc00"})", {"InvalidInput: ", "\"n\"", "surrogate"}},
      {R"({"n":"\ud800x"})", {"\"n\""}},
      {R"({"n":"\ud800\u0041"})", {"\"n\""}},
      {R"({"n":"\ud800\ud800"})", {"\"n\""}},
      {R"({"n":"\udc00\ud800"})", {"\"n\""}},
      {R"({"\udc00":1})", {"name", "surrogate"}},
      {R"({"\ud800":1})", {"InvalidInput: "}},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.json);
    EXPECT_NE(error, "") << c.json;
    for (const char* part : c.parts)
      EXPECT_NE(error.find(part), std::string::npos) << c.json << "\n  " << error;
  }
}

TEST(JsonRead, BrokenJsonSaysWhereAndWhat) {
  struct Case {
    std::string json;
    const char* part;
  };
  const std::string deep = "{\"odata.x\":" + std::string(3000, '[') + std::string(3000, ']') + "}";
  const std::vector<Case> cases = {
      {"", "empty"},
      {" \n", "empty"},
      {"[]", "not an object"},
      {"[1,2", ""},
      {"5", "not an object"},
      {"null", "not an object"},
      {"\"a\"", "not an object"},
      {"nonsense", ""},
      {"{", "is not closed"},
      {"{\"a\":1", "is not closed"},
      {"{\"a\":1,", ""},
      {"{\"a\":1,}", ""},
      {"{,\"a\":1}", ""},
      {"{\"a\":}", "\"a\""},
      {"{\"a\"}", ""},
      {"{\"a\" 1}", "byte 5"},
      {"{\"a\":1 \"b\":2}", "byte 7"},
      {"{\"a\":1 2}", "byte 7"},
      {"{\"a\":1 2,\"b\":3}", "byte 7"},
      {"{\"a\":true false}", ""},
      {"{\"a\":\"x\" \"y\"}", ""},
      {"{\"a\":\"x\"y}", ""},
      {"{a:1}", ""},
      {"{'a':1}", ""},
      {"{1:1}", ""},
      {"{\"a\":'x'}", "\"a\""},
      {"{\"a\":nul}", "\"a\""},
      {"{\"a\":nulll}", "\"a\""},
      {"{\"a\":True}", "byte 5"},
      {"{\"a\":01}", "byte 5"},
      {"{\"a\":-}", "\"a\""},
      {"{\"a\":+1}", "\"a\""},
      {"{\"a\":.5}", "\"a\""},
      {"{\"a\":5.}", "\"a\""},
      {"{\"a\":1e}", "\"a\""},
      {"{\"a\":1e+}", "\"a\""},
      {"{\"a\":0x10}", "\"a\""},
      {"{\"a\":NaN}", "\"a\""},
      {"{\"a\":Infinity}", "\"a\""},
      {"{\"a\":1}}", "follows the closing brace, at byte 7"},
      {"{\"a\":1} x", "something follows"},
      {"{\"a\":1}{\"b\":2}", ""},
      {"{}{}", ""},
      {"{} 1", ""},
      {"{\"a\":1]", ""},
      {"{\"a\":\"x}", "a string is not closed, at byte 5"},
      {"{\"a", "a string is not closed, at byte 1"},
      {"{\"a\":\"x\ny\"}", "control character inside a string must be written as an escape, at byte 7"},
      {std::string("{\"a\":\"x\0y\"}", 11), "control character"},
      {std::string("{\"a\":1\0}", 8), ""},
      {"{\"a\":\"\\x\"}", "escape"},
      {"{\"a\":\"\\u12\"}", "escape"},
      {"{\"a\":\"\\u12g4\"}", "escape"},
      {"{\"a\":\"\xe9\"}", "not UTF-8, at byte 6"},
      {"{\"a\":\"\xed\xa0\x80\"}", "not UTF-8, at byte 6"},
      {"{\"\xff\":1}", "not UTF-8, at byte 2"},
      {"\xef\xbb\xbf{\"a\":1}", ""},
      {"{\"odata.x\":nul}", ""},
      {"{\"odata.x\":[1,]}", ""},
      {"{\"odata.x\":[1 2]}", ""},
      {"{\"odata.x\":{\"a\" 1}}", ""},
      {"{\"odata.x\":\"\\x\"}", ""},
      {"{\"odata.x\":[}", ""},
      {deep, ""},
      {"{\"a\":1/*c*/}", ""},
      {"{\"a\" 1234567890123456€}", "byte 5"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.json);
    EXPECT_EQ(error.rfind("InvalidInput: the JSON of the properties is ", 0), 0u)
        << c.json << "\n  " << error;
    EXPECT_TRUE(edm::is_valid_utf8(error)) << c.json;
    EXPECT_NE(error.find(c.part), std::string::npos) << c.json << "\n  " << error;
  }
}

TEST(JsonRead, AnErrorCarriesItsPositionAndStaysShort) {
  try {
    parse_properties(R"({"a":1,"b":01})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.position(), 11u);
  }
  const std::string error =
      error_of("{\"n@odata.type\":\"Edm.Guid\",\"n\":\"" + std::string(100'000, 'x') + "\"}");
  EXPECT_LT(error.size(), 400u);
  std::string euros;
  for (int i = 0; i < 200; ++i) euros += "€";
  EXPECT_TRUE(edm::is_valid_utf8(error_of("{\"n@odata.type\":\"Edm.Guid\",\"n\":\"" + euros + "\"}")));
}

// --- Writing
// -------------------------------------------------------------------------------------------------

TEST(JsonWrite, EveryTypeAsMinimalMetadataHasIt) {
  const std::vector<std::pair<Value, std::string>> values = {
      {Value::string("text"), R"("v":"text")"},
      {Value::string(""), R"("v":"")"},
      {Value::boolean(true), R"("v":true)"},
      {Value::boolean(false), R"("v":false)"},
      {Value::int32(-5), R"("v":-5)"},
      {Value::int64(9007199254740993), R"("v@odata.type":"Edm.Int64","v":"9007199254740993")"},
      {Value::real(5), R"("v":5.0)"},
      {Value::real(-0.0), R"("v":-0.0)"},
      {Value::real(1e300), R"("v":1e+300)"},
      {Value::real(123456789012345680000.0), R"("v":123456789012345683968.0)"},
      {Value::real(NAN), R"("v@odata.type":"Edm.Double","v":"NaN")"},
      {Value::real(INFINITY), R"("v@odata.type":"Edm.Double","v":"Infinity")"},
      {Value::real(-INFINITY), R"("v@odata.type":"Edm.Double","v":"-Infinity")"},
      {date("2020-01-02T03:04:05.2Z"), R"("v@odata.type":"Edm.DateTime","v":"2020-01-02T03:04:05.2Z")"},
      {Value::guid(kGuidBytes), R"("v@odata.type":"Edm.Guid","v":")" + kGuidText + '"'},
      {Value::binary("\x01\x02\x03"), R"("v@odata.type":"Edm.Binary","v":"AQID")"},
  };
  for (const auto& [value, json] : values) {
    std::string out = "{";
    append_property(out, "v", value);
    EXPECT_EQ(out, "{" + json);
    append_property(out, "v", value);
    EXPECT_EQ(out, "{" + json + "," + json);
  }
  std::string out = "{";
  append_property(out, "v", ValueView::missing());
  EXPECT_EQ(out, "{");
}

TEST(JsonWrite, Strings) {
  const auto written = [](std::string_view text) {
    std::string out;
    append_string(out, text);
    return out;
  };
  EXPECT_EQ(written(""), R"("")");
  EXPECT_EQ(written("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(written("\n\r\t\b\f"), R"("\n\r\t\b\f")");
  EXPECT_EQ(written(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(written("é€😀"), "\"é€😀\"");
  // Legal in JSON, but line ends in JavaScript; their neighbours are not.
  EXPECT_EQ(written("a\u2028b\u2029"), R"("a\u2028b\u2029")");
  EXPECT_EQ(written("\u2027\u202A\u20A8"), "\"\u2027\u202A\u20A8\"");
  std::string out = "{";
  append_property(out, "a\"b", ValueView::int64(1));
  EXPECT_EQ(out, R"({"a\"b@odata.type":"Edm.Int64","a\"b":"1")");
}

// --- Both
// ----------------------------------------------------------------------------------------------------

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::uint64_t bits() { return engine_(); }

  std::string bytes(std::size_t longest) {
    std::string out(below(longest + 1), '\0');
    for (char& c : out) c = static_cast<char>(bits() & 0xff);
    return out;
  }
  std::string text(std::size_t longest) {
    static const std::vector<std::string> kPieces = {
        "a",    "Z",    "0", " ", "\"",     "\\",     "/",      "\n", "\t",         std::string(1, '\0'),
        "\x1f", "\x7f", "é", "€", "\u2028", "\ue000", "\uffff", "😀",  "\U0010FFFF", "\\u0041",
        "null", "{",    "}", ",", ":",      "@odata",
    };
    std::string out;
    for (std::uint64_t i = below(longest + 1); i > 0; --i) out += kPieces[below(kPieces.size())];
    return out;
  }
  Value value() {
    switch (static_cast<edm::Type>(below(edm::kTypeCount))) {
      case edm::Type::String:
        return Value::string(text(20));
      case edm::Type::Binary:
        return Value::binary(bytes(20));
      case edm::Type::Boolean:
        return Value::boolean(below(2) == 1);
      case edm::Type::Int32:
        return Value::int32(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits() >> below(64))));
      case edm::Type::Int64:
        return Value::int64(static_cast<std::int64_t>(bits() >> below(64)));
      case edm::Type::Double:
        // Whole numbers often: their point is what keeps the type.
        return below(2) == 1 ? Value::real(static_cast<double>(bits() >> below(64)))
                             : Value::real(std::bit_cast<double>(bits()));
      case edm::Type::DateTime: {
        const auto range = static_cast<std::uint64_t>(edm::kMaxServiceTicks - edm::kMinServiceTicks) + 1;
        return Value::datetime(edm::kMinServiceTicks + static_cast<std::int64_t>(below(range)));
      }
      case edm::Type::Guid: {
        std::string guid(16, '\0');
        for (char& c : guid) c = static_cast<char>(bits() & 0xff);
        return Value::guid(guid);
      }
    }
    return Value::boolean(false);
  }

 private:
  std::mt19937_64 engine_;
};

TEST(JsonRoundTrip, RandomPropertiesComeBack) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 3000; ++round) {
    Properties properties;
    for (std::uint64_t i = random.below(30); i > 0; --i) {
      // The number keeps names apart and off "odata.".
      properties.emplace_back("p" + std::to_string(i) + "_" + random.text(3), random.value());
    }
    std::string json = "{";
    for (const auto& [name, value] : properties) append_property(json, name, value);
    json += "}";
    Properties back;
    ASSERT_NO_THROW(back = parse_properties(json)) << json;
    ASSERT_TRUE(back == properties) << json;
  }
}

// Cuts, doubles and replaces bytes of good JSON: the reader takes what simdjson's strict DOM parser takes,
// calls the rest invalid JSON, and never reads outside.
TEST(JsonRoundTrip, DamagedTextIsReadOrRefused) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  simdjson::dom::parser dom;
  const std::string_view bytes = "{}[]\",:\\@ 0.e-ntu\n\xff\xc3";
  for (int round = 0; round < 20'000; ++round) {
    std::string json = "{\"odata.etag\":\"x\"";
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      append_property(json, "p" + std::to_string(i), random.value());
    }
    json += "}";
    for (std::uint64_t i = random.below(4); i > 0 && !json.empty(); --i) {
      const std::size_t at = random.below(json.size());
      switch (random.below(3)) {
        case 0:
          json.erase(at, 1 + random.below(3));
          break;
        case 1:
          json[at] = bytes[random.below(bytes.size())];
          break;
        default:
          json.insert(at, 1, bytes[random.below(bytes.size())]);
      }
    }
    const auto verdict = dom.parse(json).error();
    std::string error;
    try {
      for (const auto& [name, value] : parse_properties(json)) {
        ASSERT_TRUE(edm::is_valid_utf8(name)) << json;
        if (value.type() == edm::Type::String) {
          ASSERT_TRUE(edm::is_valid_utf8(value.view().bytes())) << json;
        }
      }
    } catch (const Error& e) {
      ASSERT_EQ(e.kind(), Error::Kind::invalid) << json;
      error = e.what();
      ASSERT_TRUE(edm::is_valid_utf8(error)) << json;
    }
    // The DOM refuses integers past 64 bits with the same code as malformed numbers; we take them as Doubles.
    if (verdict == simdjson::NUMBER_ERROR) continue;
    if (verdict == simdjson::SUCCESS) {
      ASSERT_EQ(error.find("is not valid: "), std::string::npos) << json << "\n  " << error;
    } else {
      ASSERT_NE(error, "") << json;
    }
  }
}

}  // namespace
}  // namespace table_storage::json
