// The random half of values.h.
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "tests/differential/values.h"

namespace table_storage::differential {

namespace {

constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kTwo53 = 9007199254740992;

const std::int64_t kIntegers[] = {0,           1,           -1,          2,           5,
                                  7,           10,          42,          100,         2147483647,
                                  -2147483648, 2147483648,  -2147483649, kTwo53,      kTwo53 + 1,
                                  kTwo53 - 1,  -kTwo53 - 1, kMax64,      kMax64 - 1,  kMin64,
                                  kMin64 + 1,  kTwo53 + 2,  4294967296,  99999999999, -5};
const double kReals[] = {0.0,
                         0.5,
                         -0.5,
                         1.0,
                         -1.0,
                         2.0,
                         5.0,
                         5.5,
                         42.0,
                         1000.0,
                         0.1,
                         1.0 / 3,
                         2147483647.0,
                         2147483648.0,
                         9007199254740992.0,
                         9007199254740994.0,
                         -9007199254740992.0,
                         9223372036854775808.0,
                         -9223372036854775808.0,
                         9223372036854774784.0,
                         1e300,
                         -1e300,
                         5e-324,
                         1e-7,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};

// The last ones: U+E000, U+FFFD and supplementary characters, whose UTF-8 and UTF-16 orders differ.
const char* const kTexts[] = {"",
                              " ",
                              "a",
                              "A",
                              "ab",
                              "AB",
                              "aB",
                              "abc",
                              "abd",
                              "ab ",
                              " ab",
                              "a%",
                              "50%",
                              "a_",
                              "_",
                              "'",
                              "''",
                              "it's",
                              "\"",
                              "5",
                              "05",
                              "5.0",
                              "5 ",
                              " 5",
                              "+5",
                              "-5",
                              "1e3",
                              "1000",
                              "1000.0",
                              "0x10",
                              "0",
                              "0.0",
                              "10",
                              "9",
                              "9007199254740993",
                              "9223372036854775808",
                              "1e999",
                              "inf",
                              "nan",
                              "true",
                              "NULL",
                              "null",
                              "z",
                              "~",
                              "é",
                              "É",
                              "zürich",
                              "中",
                              "*",
                              "a*",
                              "[a]",
                              "2024-06-15",
                              "2024-06-15T00:00:00Z",
                              "2024-06-15T00:00:00.0000000Z",
                              "c9da6455-213d-42c9-9a79-3e9149a57833",
                              "%27",
                              "%2F",
                              "a&b=c",
                              "a)",
                              "',RowKey='",
                              "{\"a\":1}",
                              "PUT http:x",
                              "a\xE2\x80\xA8",
                              "\xEE\x80\x80",
                              "\xEF\xBF\xBD",
                              "\xF0\x9F\x98\x80",
                              "\xF0\x90\x80\x80",
                              "a\xEE\x80\x80",
                              "a\xF0\x9F\x98\x80",
                              "\xED\x9F\xBF"};

const char* const kSuffixes[] = {"", ".0", " ", "x", "e0"};

std::string random_date(Random& random) {
  static const char* const kDates[] = {"2024-06-15T00:00:00.0000000Z", "2024-06-15T00:00:00.0000001Z",
                                       "2024-06-14T23:59:59.9999999Z", "1601-01-01T00:00:00.0000000Z",
                                       "9999-12-31T23:59:59.9999999Z", "2024-02-29T12:30:00.0000000Z",
                                       "1969-12-31T23:59:59.5000000Z", "2024-06-15T10:20:30.1234567Z"};
  if (random.chance(50)) return random.pick(kDates);
  char text[40];
  std::snprintf(text, sizeof text, "20%02d-%02d-%02dT%02d:%02d:%02d.%03d0000Z", int(random.below(30)),
                int(1 + random.below(12)), int(1 + random.below(28)), int(random.below(24)),
                int(random.below(60)), int(random.below(60)),
                random.chance(50) ? 0 : int(random.below(1000)));
  return text;
}

std::string random_guid(Random& random) {
  static const char* const kGuids[] = {
      "c9da6455-213d-42c9-9a79-3e9149a57833", "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff", "12345678-1234-1234-1234-123456789012"};
  if (random.chance(50)) return random.pick(kGuids);
  std::string out;
  for (int i = 0; i < 36; ++i) {
    out += i == 8 || i == 13 || i == 18 || i == 23 ? '-' : "0123456789abcdef"[random.below(16)];
  }
  return out;
}

std::string random_bytes(Random& random) {
  static const char* const kBlobs[] = {"", "a", "ab", "5", "\xff", "\xff\xfe", "it's"};
  if (random.chance(60)) return random.pick(kBlobs);
  std::string out;
  for (std::size_t n = random.below(6); n > 0; --n) out += static_cast<char>(random.below(256));
  return out;
}

std::int64_t random_integer(Random& random) {
  if (random.chance(50)) return random.between(-20, 60);
  return kIntegers[random.below(std::size(kIntegers))];
}

double random_real(Random& random) {
  if (random.chance(40)) return static_cast<double>(random.between(-40, 120)) / 2;
  return kReals[random.below(std::size(kReals))];
}

std::string other_date_spelling(Random& random, const std::string& fixed) {
  std::string day = fixed.substr(0, 10);
  std::string time = fixed.substr(11, 8);
  switch (random.below(9)) {
    case 0:
      return day;
    case 1:
      return day + 'T' + time + 'Z';
    case 2:
      return day + ' ' + time;
    case 3:
      return day + ' ' + time.substr(0, 5);
    case 4:
      return day + 'T' + fixed.substr(11, 8 + 1 + 3) + 'Z';
    case 5: {  // the same instant seen from two hours east, where the day stays the same
      int hour = std::atoi(time.c_str());
      if (hour > 21) return fixed;
      char text[8];
      std::snprintf(text, sizeof text, "%02u", static_cast<unsigned>(hour + 2) % 100U);
      return day + 'T' + text + fixed.substr(13, 14) + "+02:00";
    }
    case 6:
      return day + "T24:00:00Z";  // no date: compares as text
    case 7:
      return fixed.substr(0, 27);
    default:
      return fixed.substr(0, random.below(fixed.size()));
  }
}

/// NaN is no SQL value: 0 instead.
double leading_number(const std::string& text) {
  double v = std::strtod(text.c_str(), nullptr);
  return v == v ? v : 0;
}

std::string swapped_case(std::string text) {
  for (char& c : text) {
    auto u = static_cast<unsigned char>(c);
    if (u < 128) c = static_cast<char>(std::isupper(u) != 0 ? std::tolower(u) : std::toupper(u));
  }
  return text;
}

}  // namespace

std::string random_text(Random& random) {
  if (random.chance(1)) return std::string("a\0b", 3);
  std::string out = random.pick(kTexts);
  if (random.chance(20)) out += random.pick(kTexts);
  if (random.chance(5)) out += std::to_string(random.below(50));
  return out;
}

std::string random_key(Random& random, bool may_be_empty) {
  std::string out = random.pick(kTexts);
  if (out.empty() && !may_be_empty) out = "e";
  if (random.chance(55)) out += std::to_string(random.below(40));
  if (random.chance(15)) out += random.pick(kTexts);
  return out;
}

EdmValue random_edm(Random& random, Edm type) {
  EdmValue v;
  v.type = type;
  switch (type) {
    case Edm::String:
      v.bytes = random_text(random);
      break;
    case Edm::Binary:
      v.bytes = random_bytes(random);
      break;
    case Edm::Boolean:
      v.integer = random.chance(50) ? 1 : 0;
      break;
    case Edm::Int32:
      do {
        v.integer = random_integer(random);
      } while (v.integer > 2147483647 || v.integer < -2147483648LL);
      break;
    case Edm::Int64:
      v.integer = random_integer(random);
      break;
    case Edm::Double:
      v.real = random.chance(8) ? std::numeric_limits<double>::quiet_NaN() : random_real(random);
      break;
    case Edm::DateTime:
      v.bytes = random_date(random);
      break;
    case Edm::Guid:
      v.bytes = random_guid(random);
      break;
  }
  return v;
}

SqlValue random_sql(Random& random) {
  switch (random.below(12)) {
    case 0:
      return SqlValue::null();
    case 1:
    case 2:
    case 3:
      return SqlValue::of(random_integer(random));
    case 4:
    case 5:
      return SqlValue::of(random_real(random));
    case 6:
      return SqlValue::blob(random_bytes(random));
    case 7:
      return SqlValue::text(other_date_spelling(random, random_date(random)));
    case 8:
      return SqlValue::text(random.chance(50) ? random_guid(random) : swapped_case(random_guid(random)));
    default:
      return SqlValue::text(random_text(random));
  }
}

SqlValue perturbed(Random& random, const SqlValue& value) {
  switch (value.storage) {
    case SqlValue::Class::null:
      return random_sql(random);
    case SqlValue::Class::integer:
      switch (random.below(6)) {
        case 0:
          return SqlValue::of(value.integer == kMax64 ? value.integer : value.integer + 1);
        case 1:
          return SqlValue::of(value.integer == kMin64 ? value.integer : value.integer - 1);
        case 2:
          return SqlValue::of(static_cast<double>(value.integer));
        case 3:
          return SqlValue::of(static_cast<double>(value.integer) + 0.5);
        case 4:
          return SqlValue::text(std::to_string(value.integer) + random.pick(kSuffixes));
        default:
          return SqlValue::blob(std::to_string(value.integer));
      }
    case SqlValue::Class::real:
      switch (random.below(4)) {
        case 0:
          return SqlValue::of(value.real / 2);
        case 1:
          return SqlValue::text(canonical(value, false));
        case 2:
          if (value.real > -9e18 && value.real < 9e18)
            return SqlValue::of(static_cast<std::int64_t>(value.real));
          return SqlValue::of(value.real > 0 ? kMax64 : kMin64);
        default:
          return SqlValue::of(value.real + 1);
      }
    case SqlValue::Class::blob:
      if (random.chance(40)) return SqlValue::text(random_text(random));
      return SqlValue::blob(random.chance(50) ? value.bytes + '\0'
                                              : value.bytes.substr(0, value.bytes.size() / 2));
    case SqlValue::Class::text:
      break;
  }
  const std::string& text = value.bytes;
  if (text.size() == 28 && text[10] == 'T' && random.chance(75)) {
    return SqlValue::text(other_date_spelling(random, text));
  }
  if (text.size() == 36 && text[8] == '-' && random.chance(60)) {
    if (random.chance(60)) return SqlValue::text(swapped_case(text));
    return SqlValue::text('{' + text + '}');
  }
  switch (random.below(8)) {
    case 0:
      return SqlValue::text(swapped_case(text));
    case 1:
      return SqlValue::text(text + ' ');
    case 2:
      return SqlValue::text(text + random_text(random));
    case 3:
      return SqlValue::text(text.empty() || static_cast<unsigned char>(text[0]) > 127 ? ""
                                                                                      : text.substr(0, 1));
    case 4:
      return SqlValue::blob(text);
    case 5:
      return SqlValue::of(
          static_cast<std::int64_t>(std::abs(leading_number(text)) < 1e18 ? leading_number(text) : 0));
    case 6:
      return SqlValue::of(leading_number(text));
    default:
      return SqlValue::text(random_text(random));
  }
}

}  // namespace table_storage::differential
