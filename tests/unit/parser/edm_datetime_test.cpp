#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "parser/edm/text.h"

namespace table_storage::edm {
namespace {

constexpr std::int64_t kDay = 86'400 * kTicksPerSecond;

std::string fixed(std::int64_t ticks) {
  char text[kFixedDateTimeSize];
  format_datetime_fixed(ticks, text);
  return {text, sizeof text};
}

TEST(EdmDateTime, KnownInstants) {
  const std::vector<std::pair<std::int64_t, std::string>> instants = {
      {0, "0001-01-01T00:00:00.0000000Z"},
      {1, "0001-01-01T00:00:00.0000001Z"},
      {kMinServiceTicks - 1, "1600-12-31T23:59:59.9999999Z"},
      {kMinServiceTicks, "1601-01-01T00:00:00.0000000Z"},
      {kUnixEpochTicks, "1970-01-01T00:00:00.0000000Z"},
      {kUnixEpochTicks + 1'582'934'400 * kTicksPerSecond, "2020-02-29T00:00:00.0000000Z"},
      {kUnixEpochTicks + 951'782'400 * kTicksPerSecond, "2000-02-29T00:00:00.0000000Z"},
      {kUnixEpochTicks + 1'577'934'245 * kTicksPerSecond + 1'234'567, "2020-01-02T03:04:05.1234567Z"},
      {kMaxServiceTicks, "9999-12-31T23:59:59.9999999Z"},
  };
  for (const auto& [ticks, text] : instants) {
    EXPECT_EQ(fixed(ticks), text);
    EXPECT_EQ(parse_datetime(text), ticks) << text;
  }
  EXPECT_FALSE(in_service_range(kMinServiceTicks - 1));
  EXPECT_TRUE(in_service_range(kMinServiceTicks));
  EXPECT_TRUE(in_service_range(kMaxServiceTicks));
}

// Walks all 3,652,059 days with a calendar of its own.
TEST(EdmDateTime, EveryDayOfTheCalendar) {
  std::int64_t ticks = 0;
  std::string expected = "0000-00-00T12:34:56.7000000Z";
  const auto put = [&](std::size_t at, int value, int width) {
    for (int i = width - 1; i >= 0; --i, value /= 10) {
      expected[at + static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 10);
    }
  };
  const std::int64_t noon = (12 * 3600 + 34 * 60 + 56) * kTicksPerSecond + 7'000'000;
  for (int year = 1; year <= 9999; ++year) {
    const bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
    const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    put(0, year, 4);
    for (int month = 1; month <= 12; ++month) {
      put(5, month, 2);
      for (int day = 1; day <= lengths[month - 1]; ++day, ticks += kDay) {
        put(8, day, 2);
        ASSERT_EQ(fixed(ticks + noon), expected);
        ASSERT_EQ(parse_datetime(expected), ticks + noon) << expected;
      }
      put(8, lengths[month - 1] + 1, 2);
      ASSERT_EQ(parse_datetime(expected), std::nullopt) << expected;
    }
  }
  EXPECT_EQ(ticks, kMaxServiceTicks + 1);
}

TEST(EdmDateTime, FormsThatMeanTheSame) {
  const std::int64_t at = *parse_datetime("2024-06-15T12:30:00Z");
  for (const char* text : {
           "2024-06-15T12:30",
           "2024-06-15 12:30",
           "2024-06-15T12:30Z",
           "2024-06-15 12:30:00",
           "2024-06-15T12:30:00.0Z",
           "2024-06-15T12:30:00.00000000000000000000Z",
           "2024-06-15T12:30:00.00000009Z",  // past 100 ns: cut off, not rounded
           "2024-06-15T12:30:00+00:00",
           "2024-06-15T12:30:00-00:00",
           "2024-06-15T14:30:00+02:00",
           "2024-06-15T14:30+02:00",
           "2024-06-15T18:00:00+05:30",
           "2024-06-15T07:30:00.000-05:00",
           "2024-06-16T02:30:00+14:00",
           "2024-06-14T22:30:00-14:00",
       }) {
    EXPECT_EQ(parse_datetime(text), at) << text;
  }
  EXPECT_EQ(parse_datetime("2024-06-15"), parse_datetime("2024-06-15T00:00:00Z"));
  EXPECT_EQ(parse_datetime("2024-06-15Z"), parse_datetime("2024-06-15T00:00:00Z"));
  EXPECT_EQ(parse_datetime("2024-06-15+02:00"), parse_datetime("2024-06-14T22:00:00Z"));
}

TEST(EdmDateTime, OffsetsCrossDaysYearsAndTheRange) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00.0000000Z"},
      {"2023-03-01T00:30:00+01:00", "2023-02-28T23:30:00.0000000Z"},
      {"2024-12-31T23:30:00-01:00", "2025-01-01T00:30:00.0000000Z"},
      {"0001-01-01T14:00:00+14:00", "0001-01-01T00:00:00.0000000Z"},
      {"9999-12-31T09:59:59.9999999-14:00", "9999-12-31T23:59:59.9999999Z"},
  };
  for (const auto& [text, utc] : pairs) {
    ASSERT_TRUE(parse_datetime(text)) << text;
    EXPECT_EQ(fixed(*parse_datetime(text)), utc) << text;
  }
  EXPECT_EQ(parse_datetime("0001-01-01T13:59:59.9999999+14:00"), std::nullopt);
  EXPECT_EQ(parse_datetime("9999-12-31T10:00:00-14:00"), std::nullopt);
}

TEST(EdmDateTime, FractionDigits) {
  const std::string second = "2024-06-15T12:30:01";
  const std::int64_t at = *parse_datetime(second);
  const std::vector<std::pair<const char*, std::int64_t>> fractions = {
      {".1", 1'000'000},       {".12", 1'200'000},       {".0000001", 1},
      {".1234567", 1'234'567}, {".12345678", 1'234'567}, {".123456789012345678901234567890", 1'234'567},
      {".9999999", 9'999'999}, {".99999999", 9'999'999}, {".01", 100'000},
  };
  for (const auto& [text, ticks] : fractions) EXPECT_EQ(parse_datetime(second + text), at + ticks) << text;
}

TEST(EdmDateTime, RefusesEverythingElse) {
  for (const char* text : {
           "",
           " ",
           "2024",
           "2024-06",
           "2024-6-15",
           "24-06-15",
           "2024-06-15T",
           "2024-06-15 ",
           "2024-06-15T12",
           "2024-06-15T12:3",
           "2024-06-15T1:30",
           "2024-06-15T12:30:",
           "2024-06-15T12:30:0",
           "2024-06-15T12:30:00.",
           "2024-06-15T12:30:00.Z",
           "2024-06-15T12:30.5Z",
           "2024-06-15T12:30:00,5Z",
           "2024-06-15T12:30:00z",
           "2024-06-15t12:30:00Z",
           "2024-06-15T12:30:00 Z",
           "2024-06-15T12:30:00Z ",
           " 2024-06-15T12:30:00Z",
           "2024-06-15T12:30:00ZZ",
           "2024-06-15T12:30:00Z+01:00",
           "2024-06-15T12:30:00+0100",
           "2024-06-15T12:30:00+01",
           "2024-06-15T12:30:00+1:00",
           "2024-06-15T12:30:00+14:01",
           "2024-06-15T12:30:00+15:00",
           "2024-06-15T12:30:00+01:60",
           "2024-06-15T24:00:00Z",
           "2024-06-15T23:60:00Z",
           "2016-12-31T23:59:60Z",
           "0000-01-01T00:00:00Z",
           "10000-01-01T00:00:00Z",
           "-2024-06-15T00:00:00Z",
           "2024-00-15T00:00:00Z",
           "2024-13-15T00:00:00Z",
           "2024-06-00T00:00:00Z",
           "2024-06-31T00:00:00Z",
           "2023-02-29T00:00:00Z",
           "1900-02-29T00:00:00Z",
           "2024-02-30T00:00:00Z",
           "2024/06/15",
           "20240615",
           "2024-06-15T12:30:00.1234567890x",
           "2024-W24-6",
           "now",
           "2024-06-1\xd9\xa5",
       }) {
    EXPECT_EQ(parse_datetime(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_datetime(std::string_view("2024-06-15T12:30:00Z\0", 21)), std::nullopt);
  EXPECT_TRUE(parse_datetime("1600-02-29"));
}

TEST(EdmDateTime, TheServicesFormCutsZeros) {
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"},
      {"2020-01-02T03:04:05.2000000Z", "2020-01-02T03:04:05.2Z"},
      {"2020-01-02T03:04:05.1234560Z", "2020-01-02T03:04:05.123456Z"},
      {"2020-01-02T03:04:05.0000001Z", "2020-01-02T03:04:05.0000001Z"},
      {"2020-01-02T03:04:00Z", "2020-01-02T03:04:00Z"},
      {"2020-10-20T00:00:00Z", "2020-10-20T00:00:00Z"},
      {"2020-01-02T03:04:10.0100000Z", "2020-01-02T03:04:10.01Z"},
  };
  for (const auto& [text, expected] : forms) EXPECT_EQ(format_datetime(*parse_datetime(text)), expected);
}

TEST(EdmDateTime, RandomInstantsComeBack) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> instants(0, kMaxServiceTicks);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t a = instants(random), b = instants(random);
    ASSERT_EQ(parse_datetime(fixed(a)), a);
    ASSERT_EQ(parse_datetime(format_datetime(a)), a);
    ASSERT_EQ(a < b, fixed(a) < fixed(b));  // text order is time order
  }
}

TEST(EdmDateTime, OutOfRangeTicksStayInBounds) {
  EXPECT_EQ(fixed(-1), "0000-00-00T00:00:00.0000000Z");
  EXPECT_EQ(fixed(kMaxServiceTicks + 1), "0000-00-00T00:00:00.0000000Z");
}

}  // namespace
}  // namespace table_storage::edm
