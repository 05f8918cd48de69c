// Guid, numbers, hex, base64 and UTF-8: the text forms other than DateTime.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

using namespace std::string_view_literals;

// --- Guid
// ----------------------------------------------------------------------------------------------------

TEST(EdmGuid, EveryFormReadsAsTheSameBytes) {
  const std::string canonical = "c9da6455-213d-42c9-9a79-3e9149a57833";
  const std::string_view bytes = "\xc9\xda\x64\x55\x21\x3d\x42\xc9\x9a\x79\x3e\x91\x49\xa5\x78\x33"sv;
  for (const char* text : {"c9da6455-213d-42c9-9a79-3e9149a57833", "C9DA6455-213D-42C9-9A79-3E9149A57833",
                           "c9DA6455-213d-42C9-9a79-3e9149a57833", "{c9da6455-213d-42c9-9a79-3e9149a57833}",
                           "(c9da6455-213d-42c9-9a79-3e9149a57833)", "c9da6455213d42c99a793e9149a57833",
                           "C9DA6455213D42C99A793E9149A57833"}) {
    const auto guid = parse_guid(text);
    ASSERT_TRUE(guid) << text;
    const std::string_view view(guid->data(), guid->size());
    EXPECT_EQ(view, bytes) << text;
    EXPECT_EQ(format_guid(view), canonical);
  }
}

TEST(EdmGuid, RefusesEverythingElse) {
  for (const char* text :
       {"", "c9da6455", "c9da6455-213d-42c9-9a79-3e9149a5783", "c9da6455-213d-42c9-9a79-3e9149a578333",
        "g9da6455-213d-42c9-9a79-3e9149a57833", "c9da6455-213d-42c9-9a79-3e9149a5783g",
        "c9da645-5213d-42c9-9a79-3e9149a57833", "c9da6455_213d_42c9_9a79_3e9149a57833",
        "{c9da6455-213d-42c9-9a79-3e9149a57833", "{c9da6455-213d-42c9-9a79-3e9149a57833)",
        "(c9da6455-213d-42c9-9a79-3e9149a57833}", " c9da6455-213d-42c9-9a79-3e9149a57833 ",
        "{c9da6455213d42c99a793e9149a57833}", "{c9da6455213d42c99a793e9149a5783300}",
        "c9da6455-213d42c9-9a79-3e9149a5-7833", "--------------------------------"}) {
    EXPECT_FALSE(parse_guid(text)) << text;
  }
}

TEST(EdmGuid, AllZerosAndAllOnes) {
  EXPECT_EQ(format_guid(std::string(16, '\0')), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(format_guid(std::string(16, '\xff')), "ffffffff-ffff-ffff-ffff-ffffffffffff");
}

// --- Numbers
// -------------------------------------------------------------------------------------------------

TEST(EdmNumber, Integers) {
  EXPECT_EQ(parse_int32("0"), 0);
  EXPECT_EQ(parse_int32("-0"), 0);
  EXPECT_EQ(parse_int32("007"), 7);
  EXPECT_EQ(parse_int32("2147483647"), 2147483647);
  EXPECT_EQ(parse_int32("-2147483648"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(parse_int32("2147483648"), std::nullopt);
  EXPECT_EQ(parse_int32("-2147483649"), std::nullopt);
  EXPECT_EQ(parse_int64("9007199254740993"), 9007199254740993);
  EXPECT_EQ(parse_int64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_int64("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_int64("-9223372036854775809"), std::nullopt);
  for (const char* text : {"", "-", "+5", " 5", "5 ", "5.0", "5L", "0x5", "1e3", "--5", "5-", "\xd9\xa5"}) {
    EXPECT_EQ(parse_int32(text), std::nullopt) << text;
    EXPECT_EQ(parse_int64(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_int32("5\0"sv), std::nullopt);
}

TEST(EdmNumber, DoublesFromText) {
  const std::vector<std::pair<const char*, double>> numbers = {
      {"0", 0.0},
      {"5", 5.0},
      {"5.0", 5.0},
      {"-2.50", -2.5},
      {"007.5", 7.5},
      {"1e3", 1e3},
      {"1E+3", 1e3},
      {"1.5E-7", 1.5e-7},
      {"1.7976931348623157E+308", 1.7976931348623157e308},
      {"4.94065645841247E-324", 5e-324},
      {"5e-324", 5e-324},
      {"9007199254740993", 9007199254740992.0},
      {"0.1", 0.1},
      {"2e-324", 0.0},
      {"1e-400", 0.0},
      {"0e999999999999", 0.0},
      {"0.0e400", 0.0},
      {"1e-99999999999", 0.0},
  };
  for (const auto& [text, value] : numbers) EXPECT_EQ(parse_double(text), value) << text;
  EXPECT_TRUE(std::signbit(*parse_double("-0.0")));
  EXPECT_TRUE(std::signbit(*parse_double("-1e-400")));
  EXPECT_EQ(parse_double("100000" + std::string(400, '0') + "e-405"), 1.0);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_double("1" + std::string(400, '0')), std::nullopt);
  for (const char* text : {"INF", "Infinity"}) EXPECT_EQ(parse_double(text), INFINITY) << text;
  for (const char* text : {"-INF", "-Infinity"}) EXPECT_EQ(parse_double(text), -INFINITY) << text;
  EXPECT_TRUE(std::isnan(parse_double("NaN").value()));
  for (const char* text : {"",
                           "-",
                           ".",
                           ".5",
                           "5.",
                           "+5",
                           " 5",
                           "5 ",
                           "1e",
                           "1e+",
                           "1.5.5",
                           "0x10",
                           "1e400",
                           "-1e400",
                           "1.7976931348623159e308",
                           "nan",
                           "NAN",
                           "-NaN",
                           "inf",
                           "infinity",
                           "+INF",
                           "nan(x)",
                           "5d",
                           "5L",
                           "1,5",
                           "1e99999999999",
                           "e5"}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
}

TEST(EdmNumber, DoublesAsText) {
  const std::vector<std::pair<double, const char*>> numbers = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {5.0, "5.0"},
      {22.4, "22.4"},
      {0.1, "0.1"},
      {1e22, "1e+22"},
      {1e300, "1e+300"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {9007199254740992.0, "9007199254740992.0"},
      {123456789012345680000.0, "123456789012345683968.0"},
      {-1.5, "-1.5"},
      {1e-7, "1e-07"},
      {INFINITY, "Infinity"},
      {-INFINITY, "-Infinity"},
      {NAN, "NaN"},
  };
  for (const auto& [value, text] : numbers) EXPECT_EQ(format_double(value), text);
}

TEST(EdmNumber, RandomDoublesComeBackBitForBit) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const std::string text = format_double(value);
    const auto back = parse_double(text);
    ASSERT_TRUE(back) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(value)) << text;
    if (!std::isinf(value)) {
      ASSERT_NE(text.find_first_of(".e"), std::string::npos) << text;
    }
  }
}

// --- Binary
// --------------------------------------------------------------------------------------------------

TEST(EdmBinary, Hex) {
  EXPECT_EQ(format_hex("\x00\x0f\xa5\xff"sv), "000fa5ff");
  EXPECT_EQ(parse_hex("000Fa5fF"), std::string("\x00\x0f\xa5\xff", 4));
  EXPECT_EQ(parse_hex(""), "");
  EXPECT_EQ(format_hex(""), "");
  for (const char* text : {"0", "000", "0g", "g0", "0x", " 00", "00 ",
                           "\xef\xbc\x90"
                           "0"}) {
    EXPECT_EQ(parse_hex(text), std::nullopt) << text;
  }
}

TEST(EdmBinary, Base64OfTheRfc) {
  const std::vector<std::pair<std::string_view, std::string_view>> pairs = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\x00"sv, "AA=="},
      {"\x00\x00\x00"sv, "AAAA"},
      {"\xfb\xff\xfe"sv, "+//+"},
  };
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(format_base64(bytes), text);
    EXPECT_EQ(parse_base64(text), bytes) << text;
  }
  EXPECT_EQ(parse_base64("Zh=="), "f");  // unused bits are ignored, as by the service's clients
}

TEST(EdmBinary, Base64RefusesWhatOpenSslWouldForgive) {
  for (const char* text :
       {"Z",        "Zg",      "Zg=",   "Zg===", "====",  "=",      "Z===",       "Zm9v====",
        "Zg==Zg==", "Z=g=",    "=Zg=",  " Zg==", "Zg== ", "Zg==\n", "Zm9v\nYmFy", "Zm9-",
        "Zm9_",     "Zm9\xc3", "Zm\0v", "Zm9v=", "    ",  "----"}) {
    EXPECT_EQ(parse_base64(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_base64("Zm\0v"sv), std::nullopt);
}

TEST(EdmBinary, RandomBytesComeBack) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  // The last sizes cross the chunks that the OpenSSL calls are cut into.
  std::vector<std::size_t> sizes = {3u << 20, (3u << 20) + 1, (6u << 20) + 2};
  for (std::size_t i = 0; i < 300; ++i) sizes.push_back(i);
  for (const std::size_t size : sizes) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random() & 0xff);
    ASSERT_TRUE(parse_base64(format_base64(bytes)) == bytes) << size;
    ASSERT_TRUE(parse_hex(format_hex(bytes)) == bytes) << size;
  }
}

// --- UTF-8 / UTF-16
// ------------------------------------------------------------------------------------------

TEST(EdmUtf, ValidTexts) {
  for (const std::string_view text :
       {""sv, "a"sv, "\0"sv, "\x7f"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv,
        "\xee\x80\x80"sv, "\xef\xbf\xbf"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    for (std::size_t before : {0u, 1u, 7u, 8u, 31u, 61u, 63u, 64u, 200u}) {
      EXPECT_TRUE(is_valid_utf8(std::string(before, 'x') + std::string(text) + "y")) << before;
      EXPECT_TRUE(is_valid_utf8(std::string(before, 'x') + std::string(text))) << before;
    }
  }
}

TEST(EdmUtf, InvalidTextsOfEveryKind) {
  for (const std::string_view text : {
           "\x80"sv,
           "\xbf"sv,  // lone continuation
           "\xc2"sv,
           "\xe2\x82"sv,
           "\xf0\x9f\x98"sv,
           "\xe2"sv,
           "\xf0"sv,  // cut short
           "\xc2\x20"sv,
           "\xe2\x28\xa1"sv,
           "\xf0\x28\x8c\xbc"sv,  // continuation missing
           "\xc0\x80"sv,
           "\xc1\xbf"sv,
           "\xe0\x9f\xbf"sv,
           "\xf0\x8f\xbf\xbf"sv,  // overlong
           "\xed\xa0\x80"sv,
           "\xed\xbf\xbf"sv,
           "\xed\xa0\xbd\xed\xb8\x80"sv,  // surrogates
           "\xf4\x90\x80\x80"sv,
           "\xf5\x80\x80\x80"sv,
           "\xf8\x88\x80\x80\x80"sv,  // past U+10FFFF
           "\xfe"sv,
           "\xff"sv,
           "\xe9t\xe9"sv,  // never, and Latin-1
       }) {
    for (std::size_t before : {0u, 1u, 7u, 8u, 31u, 61u, 63u, 64u, 200u}) {
      EXPECT_FALSE(is_valid_utf8(std::string(before, 'x') + std::string(text))) << before;
      EXPECT_FALSE(is_valid_utf8(std::string(before, 'x') + std::string(text) + std::string(70, 'y')))
          << before;
    }
  }
}

TEST(EdmUtf, LengthCountsUtf16Units) {
  const std::vector<std::pair<std::string_view, std::size_t>> lengths = {
      {"", 0},  {"a", 1},          {"é", 1},    {"€", 1},    {"\uffff", 1},
      {"😀", 2}, {"\U0010FFFF", 2}, {"aé€😀", 5}, {"\0"sv, 1},
  };
  for (const auto& [text, units] : lengths) {
    for (std::size_t copies : {1u, 2u, 3u, 8u, 9u, 100u}) {
      for (std::size_t before : {0u, 3u, 8u}) {
        std::string many(before, 'x');
        for (std::size_t i = 0; i < copies; ++i) many += text;
        EXPECT_EQ(utf16_length(many), before + copies * units) << text;
      }
    }
  }
}

}  // namespace
}  // namespace table_storage::edm
