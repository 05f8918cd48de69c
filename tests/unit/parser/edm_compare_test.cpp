#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "parser/edm/compare.h"

namespace table_storage::edm {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

int sign(std::weak_ordering o) { return o < 0 ? -1 : (o > 0 ? 1 : 0); }

TEST(EdmCompare, PairingOfAllTypes) {
  for (int p = 0; p < kTypeCount; ++p) {
    for (int l = 0; l < kTypeCount; ++l) {
      const auto property = static_cast<Type>(p);
      const auto literal = static_cast<Type>(l);
      Pairing expected = p == l ? Pairing::same : Pairing::mismatch;
      if (property == Type::Int64 && literal == Type::Int32) expected = Pairing::widen;
      if (property == Type::Double && (literal == Type::Int32 || literal == Type::Int64)) {
        expected = Pairing::widen;
      }
      EXPECT_EQ(pairing(property, literal), expected) << name_of(property) << " with " << name_of(literal);
    }
  }
}

TEST(EdmCompare, AMismatchIsLessWhateverTheValues) {
  const std::string guid(16, '\xff');
  // Largest values of their types: only the rule can make them less.
  const std::vector<Value> values = {
      Value::string("\U0010FFFF"), Value::binary("\xff\xff"), Value::boolean(true),
      Value::int32(2147483647),    Value::int64(kMax64),      Value::real(kInf),
      Value::datetime(kMax64),     Value::guid(guid),
  };
  for (const Value& property : values) {
    for (const Value& literal : values) {
      if (pairing(property.type(), literal.type()) != Pairing::mismatch) continue;
      EXPECT_EQ(sign(compare(property, literal)), -1)
          << name_of(property.type()) << " with " << name_of(literal.type());
    }
  }
  EXPECT_EQ(sign(compare(ValueView::int32(5), ValueView::int64(-5))), -1);
  EXPECT_EQ(sign(compare(ValueView::int32(5), ValueView::real(5.0))), -1);
  EXPECT_EQ(sign(compare(ValueView::int64(5), ValueView::real(5.0))), -1);
  EXPECT_EQ(sign(compare(ValueView::string("5"), ValueView::int32(5))), -1);
}

struct Case {
  ValueView property, literal;
  int expected;
};

TEST(EdmCompare, PairsThatMeet) {
  using V = ValueView;
  const std::string g0(16, '\x7f'), g1(16, '\x80');
  const std::vector<Case> cases = {
      {V::boolean(false), V::boolean(true), -1},
      {V::boolean(true), V::boolean(true), 0},
      {V::int32(-1), V::int32(1), -1},
      {V::int32(-2147483647 - 1), V::int32(2147483647), -1},
      {V::int64(kMin64), V::int64(kMax64), -1},
      {V::int64(9007199254740993), V::int64(9007199254740992), 1},
      {V::int64(5), V::int32(5), 0},
      {V::int64(kMin64), V::int32(-5), -1},
      {V::int64(4294967301), V::int32(5), 1},  // same low 32 bits
      {V::datetime(1), V::datetime(2), -1},
      {V::datetime(2), V::datetime(2), 0},
      {V::guid(g0), V::guid(g1), -1},  // bytes are unsigned
      {V::guid(g1), V::guid(g1), 0},
      {V::binary("\x7f"), V::binary("\x80"), -1},
      {V::binary("a"), V::binary("ab"), -1},
      {V::binary(""), V::binary(std::string_view("\0", 1)), -1},
      {V::binary(std::string_view("a\0b", 3)), V::binary(std::string_view("a\0a", 3)), 1},
      {V::string("a"), V::string("B"), 1},
      // doubles
      {V::real(-0.0), V::real(0.0), 0},
      {V::real(kNaN), V::real(kNaN), 0},
      {V::real(kNaN), V::real(-kInf), -1},
      {V::real(-kInf), V::real(kNaN), 1},
      {V::real(5e-324), V::real(0), 1},
      // Double property, integer literal
      {V::real(5.0), V::int32(5), 0},
      {V::real(5.5), V::int32(5), 1},
      {V::real(-5.5), V::int32(-5), -1},
      {V::real(-4.5), V::int32(-5), 1},
      {V::real(-0.5), V::int32(0), -1},
      {V::real(-0.0), V::int32(0), 0},
      {V::real(5e-324), V::int64(0), 1},
      {V::real(kNaN), V::int32(-2147483647 - 1), -1},
      {V::real(kNaN), V::int64(kMin64), -1},
      {V::real(-kInf), V::int64(kMin64), -1},
      {V::real(kInf), V::int64(kMax64), 1},
      {V::real(9007199254740992.0), V::int64(9007199254740993), -1},
      {V::real(9007199254740992.0), V::int64(9007199254740992), 0},
      {V::real(9007199254740992.0), V::int64(9007199254740991), 1},
      {V::real(9223372036854775808.0), V::int64(kMax64), 1},  // would be equal if rounded
      {V::real(9223372036854774784.0), V::int64(kMax64), -1},
      {V::real(-9223372036854775808.0), V::int64(kMin64), 0},
      {V::real(-9223372036854775808.0), V::int64(kMin64 + 1), -1},
      {V::real(-9223372036854777856.0), V::int64(kMin64), -1},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    EXPECT_EQ(sign(compare(c.property, c.literal)), c.expected) << "case " << i;
    if (c.property.type() == c.literal.type()) {
      EXPECT_EQ(sign(compare(c.literal, c.property)), -c.expected) << "case " << i << " turned round";
    }
  }
}

// The reference: encode to UTF-16 and compare the units.
std::u16string to_utf16(const std::u32string& text) {
  std::u16string out;
  for (const char32_t c : text) {
    if (c < 0x10000) {
      out += static_cast<char16_t>(c);
    } else {
      out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return out;
}
std::string to_utf8(const std::u32string& text) {
  std::string out;
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6), put(0x80 | (c & 63));
    } else if (c < 0x10000) {
      put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    } else {
      put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    }
  }
  return out;
}

TEST(EdmCompare, Utf16OrderNearItsTraps) {
  const std::vector<std::u32string> rising = {
      U"",           U"\u0001", U"1",          U"10",         U"9",           U"B",          U"a",
      U"aa",         U"b",      U"\u007f",     U"\u0080",     U"é",           U"\u07ff",     U"\u0800",
      U"€",          U"\ud7ff", U"\U00010000", U"\U0001F600", U"\U0001F600a", U"\U0001F601", U"\U000FFFFF",
      U"\U0010FFFF", U"\ue000", U"\uefff",     U"\uf000",     U"\uffff",
  };
  for (const std::u32string& common :
       {std::u32string(), std::u32string(U"prefix €😀 of more than eight bytes")}) {
    for (std::size_t i = 0; i < rising.size(); ++i) {
      for (std::size_t j = 0; j < rising.size(); ++j) {
        const int expected = i < j ? -1 : (i > j ? 1 : 0);
        EXPECT_EQ(sign(compare_utf16(to_utf8(common + rising[i]), to_utf8(common + rising[j]))), expected)
            << i << " and " << j;
      }
    }
  }
  EXPECT_EQ(sign(compare(ValueView::string("\U0001F600"), ValueView::string("\uE000"))), -1);
}

TEST(EdmCompare, Utf16OrderOfRandomTexts) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  // Few characters, so that texts often share a prefix.
  const std::u32string alphabet =
      U"ab\u0001\u00e9\u20ac\ud7ff\ue000\uefff\uf8ff\uffff\U00010000\U0001F600\U0010FFFF";
  const auto text = [&] {
    std::u32string out(random() % 12, U'a');
    for (char32_t& c : out) c = alphabet[random() % alphabet.size()];
    return out;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::u32string a = text(), b = text();
    const int expected = sign(to_utf16(a) <=> to_utf16(b));
    ASSERT_EQ(sign(compare_utf16(to_utf8(a), to_utf8(b))), expected) << to_utf8(a) << " | " << to_utf8(b);
  }
}

}  // namespace
}  // namespace table_storage::edm
