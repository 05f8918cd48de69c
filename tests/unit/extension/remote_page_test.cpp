#include <gtest/gtest.h>

#include <cmath>

#include "extension/backend/remote/page.h"
#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::remote {
namespace {

using edm::Value;

Projection columns(std::vector<std::string> names) {
  Projection projection;
  projection.properties = std::move(names);
  return projection;
}
Projection everything(std::vector<std::string> names = {}) {
  Projection projection = columns(std::move(names));
  projection.all_properties = true;
  return projection;
}

std::string list(std::string_view entities) {
  return R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#T","value":[)" +
         std::string(entities) + "]}";
}

/// One entity with these members behind its keys.
std::string one(std::string_view members) {
  return list(
      R"({"odata.etag":"W/\"datetime'2017-10-02T20%3A21%3A52.4195114Z'\"","PartitionKey":"p","RowKey":"r",)"
      R"("Timestamp":"2017-10-02T20:21:52.4195114Z",)" +
      std::string(members) + "}");
}

std::int64_t ticks(std::string_view text) { return edm::parse_datetime(text).value(); }

/// The value of `v`, or nullopt if the page reads it as missing.
std::optional<Value> value_of(std::string_view members) {
  Page page;
  PageReader(columns({"v"})).read_list(one(members), page);
  EXPECT_EQ(page.size(), 1u);
  const edm::ValueView value = page[0].properties.at(0);
  // All properties at once must agree.
  Page all;
  PageReader(everything({"v"})).read_list(one(members), all);
  EXPECT_EQ(all[0].properties.at(0).present(), value.present());
  std::size_t found = 0;
  for (const NamedValue& named : all[0].all) {
    if (named.name == "v") {
      ++found;
      EXPECT_EQ(Value(named.value), Value(value));
    }
  }
  EXPECT_EQ(found, value.present() ? 1u : 0u);
  if (!value.present()) return std::nullopt;
  return Value(value);
}

std::string error_of(std::string body, const Projection& projection = columns({"v"})) {
  Page page;
  try {
    PageReader(projection).read_list(std::move(body), page);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::storage);
    EXPECT_TRUE(page.empty());
    return error.what();
  }
  return "";
}

/// Rows as text, for comparing whole pages.
std::string dump(const Page& page) {
  std::string out;
  const auto add = [&out](edm::ValueView v) {
    if (!v.present()) {
      out += "-|";
      return;
    }
    out += std::string(edm::name_of(v.type())) + ":";
    switch (v.type()) {
      case edm::Type::String:
      case edm::Type::Binary:
      case edm::Type::Guid:
        out += v.bytes();
        break;
      case edm::Type::Double:
        out += edm::format_double(v.as_double());
        break;
      default:
        out += std::to_string(v.as_int64());
    }
    out += "|";
  };
  for (std::size_t i = 0; i < page.size(); ++i) {
    out += std::string(page[i].partition_key) + "," + std::string(page[i].row_key) + "," +
           std::to_string(page[i].timestamp) + "," + page.etag(i) + "|";
    for (const edm::ValueView v : page[i].properties) add(v);
    for (const NamedValue& named : page[i].all) {
      out += std::string(named.name) + "=";
      add(named.value);
    }
    out += "\n";
  }
  return out;
}

// --- Values ---

TEST(RemotePage, SystemProperties) {
  Page page;
  PageReader reader(columns({}));
  reader.read_list(one(R"("v":1)"), page);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].partition_key, "p");
  EXPECT_EQ(page[0].row_key, "r");
  EXPECT_EQ(page[0].timestamp, ticks("2017-10-02T20:21:52.4195114Z"));
  EXPECT_EQ(page.etag(0), "W/\"datetime'2017-10-02T20%3A21%3A52.4195114Z'\"");
  EXPECT_TRUE(page[0].properties.empty());
  EXPECT_TRUE(page[0].all.empty());
}

TEST(RemotePage, SystemPropertiesThatAreWrittenOtherwise) {
  Page page;
  PageReader reader(columns({}));
  reader.read_list(
      list(R"({"PartitionKey":"p","RowKey":"r","Timestamp":null,"odata.etag":"W\/\u0022x\\y\""})"), page);
  EXPECT_EQ(page[0].timestamp, 0);
  EXPECT_EQ(page.etag(0), "W/\"x\\y\"");
  reader.read_list(list(R"({"PartitionKey":"p","RowKey":"r","odata.etag":"\x"})"), page);
  EXPECT_THROW(page.etag(0), Error);
  EXPECT_NE(error_of(list(R"({"PartitionKey":"p","RowKey":"r","Timestamp":"now"})")).find("is no time"),
            std::string::npos);
}

TEST(RemotePage, TypesWithoutAnnotation) {
  EXPECT_EQ(value_of(R"("v":"text")"), Value::string("text"));
  EXPECT_EQ(value_of(R"("v":"")"), Value::string(""));
  EXPECT_EQ(value_of(R"("v":"2024-06-15T00:00:00Z")"), Value::string("2024-06-15T00:00:00Z"));
  EXPECT_EQ(value_of(R"("v":"NaN")"), Value::string("NaN"));
  EXPECT_EQ(value_of(R"("v":true)"), Value::boolean(true));
  EXPECT_EQ(value_of(R"("v":false)"), Value::boolean(false));
  EXPECT_EQ(value_of(R"("v":5)"), Value::int32(5));
  EXPECT_EQ(value_of(R"("v":-0)"), Value::int32(0));
  EXPECT_EQ(value_of(R"("v":2147483647)"), Value::int32(2147483647));
  EXPECT_EQ(value_of(R"("v":-2147483648)"), Value::int32(-2147483647 - 1));
  EXPECT_EQ(value_of(R"("v":2147483648)"), Value::real(2147483648.0));
  EXPECT_EQ(value_of(R"("v":9007199254740993)"), Value::real(9007199254740992.0));
  EXPECT_EQ(value_of(R"("v":100000000000000000000000)"), Value::real(1e23));
  EXPECT_EQ(value_of(R"("v":1.0)"), Value::real(1.0));
  EXPECT_EQ(value_of(R"("v":-0.0)"), Value::real(-0.0));
  EXPECT_EQ(value_of(R"("v":1e3)"), Value::real(1000.0));
  EXPECT_EQ(value_of(R"("v":1.7976931348623157E+308)"), Value::real(1.7976931348623157e308));
  EXPECT_EQ(value_of(R"("v":4.94065645841247E-324)"), Value::real(4.94065645841247E-324));
  EXPECT_EQ(value_of(R"("v":null)"), std::nullopt);
  EXPECT_EQ(value_of(R"("w":1)"), std::nullopt);
}

TEST(RemotePage, TypesByAnnotation) {
  const std::vector<std::pair<std::string, std::pair<std::string, Value>>> values = {
      {"Edm.Int64", {R"("9007199254740993")", Value::int64(9'007'199'254'740'993)}},
      {"Edm.Int64", {R"("-9223372036854775808")", Value::int64(std::numeric_limits<std::int64_t>::min())}},
      {"Edm.Int64", {"5", Value::int64(5)}},
      {"Edm.Int32", {"5", Value::int32(5)}},
      {"Edm.Int32", {"\"5\"", Value::int32(5)}},
      {"Edm.Double", {"5", Value::real(5.0)}},
      {"Edm.Double", {"5.5", Value::real(5.5)}},
      {"Edm.Double", {"9007199254740993", Value::real(9007199254740992.0)}},
      {"Edm.Double", {R"("NaN")", Value::real(std::nan(""))}},
      {"Edm.Double", {R"("Infinity")", Value::real(HUGE_VAL)}},
      {"Edm.Double", {R"("-Infinity")", Value::real(-HUGE_VAL)}},
      {"Edm.DateTime",
       {R"("2020-01-02T03:04:05.1234567Z")", Value::datetime(ticks("2020-01-02T03:04:05.1234567Z"))}},
      {"Edm.DateTime", {R"("2020-01-02T03:04:05Z")", Value::datetime(ticks("2020-01-02T03:04:05Z"))}},
      {"Edm.DateTime", {R"("0001-01-01T00:00:00Z")", Value::datetime(0)}},
      {"Edm.Guid",
       {R"("c9da6455-213d-42c9-9a79-3e9149a57833")",
        Value::guid("\xc9\xda\x64\x55\x21\x3d\x42\xc9\x9a\x79\x3e\x91\x49\xa5\x78\x33")}},
      {"Edm.Binary", {R"("AQID")", Value::binary("\x01\x02\x03")}},
      {"Edm.Binary", {R"("")", Value::binary("")}},
      {"Edm.Binary", {R"("\/\/8=")", Value::binary("\xff\xff")}},  // an escape that JSON allows
      {"Edm.String", {R"("x\ny")", Value::string("x\ny")}},
      {"Edm.Boolean", {"true", Value::boolean(true)}},
  };
  for (const auto& [type, sample] : values) {
    const auto& [json, value] = sample;
    const std::string annotation = R"("v@odata.type":")" + type + "\"";
    EXPECT_EQ(value_of(annotation + ",\"v\":" + json), value) << type << " " << json;
    EXPECT_EQ(value_of("\"v\":" + json + "," + annotation), value) << type << " " << json << " behind";
    EXPECT_EQ(value_of(annotation + R"(,"w":1,"x@odata.type":"Edm.Int64","x":"1","v":)" + json), value)
        << type << " far";
    EXPECT_EQ(value_of("\"v\" : " + json + " , " + annotation + "\n"), value) << type << " with blanks";
  }
  EXPECT_EQ(value_of(R"("v@odata.type":"Edm.Int64","v":null)"), std::nullopt);
  EXPECT_EQ(value_of(R"("v":null,"v@odata.type":"Edm.Int64")"), std::nullopt);
  EXPECT_EQ(value_of(R"("v@odata.type":"Edm.Int64")"), std::nullopt);
}

TEST(RemotePage, Strings) {
  EXPECT_EQ(value_of(R"("v":"a\"b\\c\/d\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")"),
            Value::string("a\"b\\c/d\b\f\n\r\tA\u00e9\u20ac\U0001F600"));
  EXPECT_EQ(value_of("\"v\":\"é€😀 {[,:]}\""), Value::string("é€😀 {[,:]}"));
  EXPECT_EQ(value_of(R"("v":"\u0000")"), Value::string(std::string_view("\0", 1)));
  Page page;
  PageReader(columns({})).read_list(list(R"({"PartitionKey":"it's \"q\"","RowKey":"\ud83d\ude00\\"})"), page);
  EXPECT_EQ(page[0].partition_key, "it's \"q\"");
  EXPECT_EQ(page[0].row_key, "\U0001F600\\");
  EXPECT_EQ(page[0].timestamp, 0);  // not selected
  EXPECT_EQ(page.etag(0), "");
}

TEST(RemotePage, NamesAreCaseSensitiveAndMayBeEscaped) {
  Page page;
  PageReader(columns({"birthday", "Birthday", "é", "a\"b"}))
      .read_list(one(R"("Birthday":1,"birthday":2,"\u00e9@odata.type":"Edm.Int64","\u00e9":"3","a\"b":4)"),
                 page);
  EXPECT_EQ(Value(page[0].properties[0]), Value::int32(2));
  EXPECT_EQ(Value(page[0].properties[1]), Value::int32(1));
  EXPECT_EQ(Value(page[0].properties[2]), Value::int64(3));
  EXPECT_EQ(Value(page[0].properties[3]), Value::int32(4));
}

TEST(RemotePage, NamesThatBeginAlike) {
  Page page;
  PageReader reader(columns({"a", "ab", "abcdefgh", "abcdefghi", "abcdefghijklmnopq", "abcdefghijklmnopr"}));
  const std::string forward =
      R"("a":1,"ab":2,"abcdefg":0,"abcdefgh":3,"abcdefghi":4,"abcdefghijklmnopq":5,"abcdefghijklmnopr":6)";
  const std::string backward =
      R"("abcdefghijklmnopr":6,"abcdefghijklmnopq":5,"abcdefghi":4,"abcdefgh":3,"abcdefg":0,"ab":2,"a":1)";
  for (const std::string& members : {forward, backward, forward}) {
    reader.read_list(one(members), page);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(Value(page[0].properties[i]), Value::int32(static_cast<int>(i) + 1));
  }
}

TEST(RemotePage, APropertyWantedTwice) {
  Page page;
  PageReader(columns({"v", "w", "v"})).read_list(one(R"("v@odata.type":"Edm.Int64","v":"7")"), page);
  EXPECT_EQ(Value(page[0].properties[0]), Value::int64(7));
  EXPECT_FALSE(page[0].properties[1].present());
  EXPECT_EQ(Value(page[0].properties[2]), Value::int64(7));
}

TEST(RemotePage, AllPropertiesInOrder) {
  Page page;
  PageReader(everything())
      .read_list(
          one(R"("z":1,"Timestamp@odata.type":"Edm.DateTime","a@odata.type":"Edm.Int64","a":"2","n":null,"é":"x\n","_x":true)"),
          page);
  ASSERT_EQ(page[0].all.size(), 4u);
  EXPECT_EQ(page[0].all[0].name, "z");
  EXPECT_EQ(page[0].all[1].name, "a");
  EXPECT_EQ(Value(page[0].all[1].value), Value::int64(2));
  EXPECT_EQ(page[0].all[2].name, "é");
  EXPECT_EQ(Value(page[0].all[2].value), Value::string("x\n"));
  EXPECT_EQ(page[0].all[3].name, "_x");
}

// --- Envelopes ---

TEST(RemotePage, EmptyPage) {
  Page page;
  PageReader reader(columns({"v"}));
  reader.read_list(list(""), page);
  EXPECT_TRUE(page.empty());
  reader.read_list(" {\"value\" : [ ] } \n", page);
  EXPECT_TRUE(page.empty());
  reader.read_list("\xEF\xBB\xBF{\"value\":[]}", page);
  EXPECT_TRUE(page.empty());
}

// Cosmos: `value` first, keys behind, seven digits.
TEST(RemotePage, Cosmos) {
  Page page;
  PageReader(columns({"v", "w"}))
      .read_list(
          R"({"value":[{"odata.etag":"W/\"datetime'2021-02-12T01%3A02%3A03.1234567Z'\"","w@odata.type":"Edm.DateTime",)"
          R"("w":"2020-01-02T03:04:05.0000000Z","RowKey":"r1","v":1,"PartitionKey":"p1","Timestamp":)"
          R"("2021-02-12T01:02:03.1234567Z"},{"PartitionKey":"p2","RowKey":"r2"}],)"
          R"("odata.metadata":"https://acct.table.cosmos.azure.com/T/$metadata#T"})",
          page);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].partition_key, "p1");
  EXPECT_EQ(Value(page[0].properties[0]), Value::int32(1));
  EXPECT_EQ(Value(page[0].properties[1]), Value::datetime(ticks("2020-01-02T03:04:05Z")));
  EXPECT_EQ(page[1].row_key, "r2");
  EXPECT_FALSE(page[1].properties[0].present());
}

TEST(RemotePage, FullMetadata) {
  EXPECT_EQ(value_of(R"("odata.type":"acct.T","odata.id":"https://x","odata.editLink":"T",)"
                     R"("Timestamp@odata.type":"Edm.DateTime","PartitionKey@odata.type":"Edm.String",)"
                     R"("odata.future":{"a":[1,{"v":2}]},"v":3)"),
            Value::int32(3));
}

TEST(RemotePage, OneEntity) {
  Page page;
  PageReader reader(columns({"v"}));
  reader.read_entity(
      R"({"odata.metadata":"https://x/$metadata#T/@Element","odata.etag":"W/\"e\"","PartitionKey":"p","RowKey":"r",)"
      R"("Timestamp":"2020-01-02T03:04:05Z","v@odata.type":"Edm.Int64","v":"8"})",
      page);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(Value(page[0].properties[0]), Value::int64(8));
  EXPECT_EQ(page.etag(0), "W/\"e\"");
  EXPECT_THROW(reader.read_entity(list(""), page), Error);  // no keys
  EXPECT_THROW(reader.read_entity("", page), Error);
}

// Rows of the page before are gone, and pages may go to another place.
TEST(RemotePage, PagesAreReusedAndMoved) {
  PageReader reader(everything({"v"}));
  Page page;
  reader.read_list(
      list(R"({"PartitionKey":"a","RowKey":"1","v":"x\n"},{"PartitionKey":"a","RowKey":"2","v":"y"})"), page);
  const std::string first = dump(page);
  Page moved = std::move(page);
  reader.read_list(list(R"({"PartitionKey":"b","RowKey":"3"})"), page);
  EXPECT_EQ(dump(moved), first);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_FALSE(page[0].properties[0].present());
  EXPECT_TRUE(page[0].all.empty());
  reader.read_list(list(R"({"PartitionKey":"c","RowKey":"4","v":5})"), moved);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(Value(moved[0].properties[0]), Value::int32(5));
  EXPECT_EQ(moved[0].all.size(), 1u);
}

// Another property in every entity: more names than are remembered.
TEST(RemotePage, ManyNames) {
  std::string entities;
  for (int i = 0; i < 10'000; ++i) {
    if (i > 0) entities += ',';
    const std::string name = "p" + std::to_string(i);
    entities += R"({"PartitionKey":"p","RowKey":")" + std::to_string(i) + R"(",")" + name +
                R"(@odata.type":"Edm.Int64",")" + name + R"(":")" + std::to_string(i) + R"(","v":)" +
                std::to_string(i) + "}";
  }
  Page page;
  PageReader(everything({"v"})).read_list(list(entities), page);
  ASSERT_EQ(page.size(), 10'000u);
  for (int i = 0; i < 10'000; ++i) {
    const EntityView& row = page[static_cast<std::size_t>(i)];
    ASSERT_EQ(row.all.size(), 2u);
    ASSERT_EQ(row.all[0].name, "p" + std::to_string(i));
    ASSERT_EQ(Value(row.all[0].value), Value::int64(i));
    ASSERT_EQ(Value(row.properties[0]), Value::int32(i));
  }
}

// --- Damage ---

TEST(RemotePageDamage, IsAnError) {
  for (const std::string& body : std::vector<std::string>{
           "", " ", "null", "[]", "5", "{}", "{\"value\":5}", "{\"value\":[", "{\"value\":[]",
           "{\"value\":[]}x", "{\"value\":[]}{}", "{\"value\":[5]}", "{\"value\":[[]]}", "<html>",
           "{\"value\":{}}", list("{}"), list(R"({"PartitionKey":"p"})"), list(R"({"RowKey":"r"})"),
           list(R"({"PartitionKey":5,"RowKey":"r"})"), list(R"({"PartitionKey":null,"RowKey":"r"})"),
           list(R"({"PartitionKey":"p","RowKey":"r"},)"),
           list(R"({"PartitionKey":"p","RowKey":"r"} {"PartitionKey":"p","RowKey":"s"})"), one(R"("v":)"),
           one(R"("v":,"w":1)"), one(R"("v" 1)"), one(R"("v":1 "w":2)"), one(R"("v":1,)"), one(R"("v":tru)"),
           one(R"("v":truex)"), one(R"("v":nul)"), one(R"("v":01)"), one(R"("v":+1)"), one(R"("v":1.)"),
           one(R"("v":.5)"), one(R"("v":1e)"), one(R"("v":-)"), one(R"("v":0x5)"), one(R"("v":1e999)"),
           one(R"("v":{})"), one(R"("v":[1])"), one("\"v\":\"a\nb\""), one("\"v\":\"\xff\""),
           one(R"("v":"\x")"), one(R"("v":"\ud83d")"), one(R"("v":"\u12")"), one(R"("v":1,"v":2)"),
           one(R"("v":"a":"b")"), one(R"("v":"a""b")"), one(R"("v":"a"b)"),
           // In what nobody asks for, as far as it hides other members.
           one(R"("w":)"), one(R"("w":,"v":1)"), one(R"("w":"a":"b","v":1)"), one(R"("w":{},"v":1)"),
           one(R"("w":[1],"v":1)"), one(R"("w":},"v":1)"), one(R"("w"::1,"v":1)"), one(R"("w":1 1,"v":1)"),
           R"({"odata.metadata":"x","value":[],"odata.error":{"code":"x","message":{"value":"y"}}})"}) {
    EXPECT_NE(error_of(body).find("damaged"), std::string::npos) << body;
  }
}

TEST(RemotePageDamage, ValuesThatAreNotOfTheirType) {
  for (const char* members :
       {R"("v@odata.type":"Edm.Int64","v":"x")", R"("v@odata.type":"Edm.Int64","v":5.5)",
        R"("v@odata.type":"Edm.Int64","v":"9223372036854775808")",
        R"("v@odata.type":"Edm.Int32","v":2147483648)", R"("v@odata.type":"Edm.Int32","v":"five")",
        R"("v@odata.type":"Edm.Guid","v":"x")", R"("v@odata.type":"Edm.Guid","v":5)",
        R"("v@odata.type":"Edm.DateTime","v":"yesterday")", R"("v@odata.type":"Edm.Binary","v":"A")",
        R"("v@odata.type":"Edm.Boolean","v":"true")", R"("v@odata.type":"Edm.String","v":true)",
        R"("v@odata.type":"Edm.Double","v":"x")", R"("v@odata.type":"Edm.Byte","v":1)",
        R"("v@odata.type":5,"v":1)", R"("v":"x","v@odata.type":"Edm.Guid")"}) {
    const std::string error = error_of(one(members));
    EXPECT_NE(error.find("\"v\""), std::string::npos) << members << error;
    EXPECT_NE(error.find("entity (\"p\", \"r\")"), std::string::npos) << members << error;
  }
}

const std::string kSample = list(
    R"({"odata.etag":"W/\"datetime'2017-10-02T20%3A21%3A52Z'\"","PartitionKey":"p","RowKey":"1","Timestamp":)"
    R"("2017-10-02T20:21:52Z","s":"a\"é","skip":12,"i":5,"l@odata.type":"Edm.Int64","l":"6","d":1.5,"b":true},)"
    R"({"odata.etag":"W/\"x\"","PartitionKey":"p","RowKey":"2\n","Timestamp":"2017-10-02T20:21:52Z",)"
    R"("g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833","x@odata.type":"Edm.Binary","x":"AQID",)"
    R"("t":"2020-01-02T03:04:05Z","t@odata.type":"Edm.DateTime","z":null})");

TEST(RemotePageDamage, EveryPrefix) {
  for (const Projection& projection : {columns({"s", "l", "t"}), everything()}) {
    PageReader reader(projection);
    Page page;
    for (std::size_t size = 0; size < kSample.size(); ++size) {
      EXPECT_THROW(reader.read_list(kSample.substr(0, size), page), Error) << size;
      EXPECT_TRUE(page.empty());
    }
    EXPECT_NO_THROW(reader.read_list(kSample, page));
    EXPECT_EQ(page.size(), 2u);
  }
}

// One byte overwritten by what no text holds: either an error, or the byte was in something nobody wanted.
TEST(RemotePageDamage, EveryByteOverwritten) {
  for (const Projection& projection :
       {columns({"s", "l", "t"}), columns({"d", "i"}), everything({"i", "g"})}) {
    Page whole;
    PageReader(projection).read_list(kSample, whole);
    const std::string expected = dump(whole);
    PageReader reader(projection);
    Page page;
    for (std::size_t at = 0; at < kSample.size(); ++at) {
      std::string body = kSample;
      body[at] = '\x01';
      try {
        reader.read_list(body, page);
        EXPECT_EQ(dump(page), expected) << at;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::storage);
      }
    }
    // The reader has not been spoilt by what it saw.
    reader.read_list(kSample, page);
    EXPECT_EQ(dump(page), expected);
  }
}

TEST(RemotePageDamage, EveryByteReplacedByPunctuation) {
  PageReader reader(everything({"i", "g"}));
  Page page;
  for (const char c : std::string_view("\"\\{}[],: 0tn")) {
    for (std::size_t at = 0; at < kSample.size(); ++at) {
      std::string body = kSample;
      body[at] = c;
      try {
        reader.read_list(body, page);
        EXPECT_EQ(page.size(), 2u) << c << " at " << at;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::storage);
      }
    }
  }
}

// --- Tables ---

TEST(RemoteTableNames, Read) {
  EXPECT_EQ(read_table_names(R"({"odata.metadata":"x","value":[{"TableName":"A"},{"TableName":"b"}]})"),
            (std::vector<std::string>{"A", "b"}));
  EXPECT_TRUE(read_table_names(R"({"value":[]})").empty());
  const std::string body = R"({"value":[{"TableName":"A"}]})";
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_THROW(read_table_names(body.substr(0, size)), Error);
  EXPECT_THROW(read_table_names(R"({"value":[{"Name":"A"}]})"), Error);
}

}  // namespace
}  // namespace table_storage::backend::remote
