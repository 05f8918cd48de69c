#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "parser/edm/value.h"

namespace table_storage::edm {
namespace {

const std::string_view kGuid("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);

TEST(EdmValue, NamesOfTheEightTypes) {
  const std::vector<std::pair<Type, std::string_view>> names = {
      {Type::String, "Edm.String"},     {Type::Binary, "Edm.Binary"}, {Type::Boolean, "Edm.Boolean"},
      {Type::Int32, "Edm.Int32"},       {Type::Int64, "Edm.Int64"},   {Type::Double, "Edm.Double"},
      {Type::DateTime, "Edm.DateTime"}, {Type::Guid, "Edm.Guid"},
  };
  ASSERT_EQ(names.size(), std::size_t{kTypeCount});
  for (const auto& [type, name] : names) EXPECT_EQ(name_of(type), name);
}

TEST(EdmValue, AViewComesBackAsItWentIn) {
  EXPECT_EQ(Value::string("aß€😀").view().bytes(), "aß€😀");
  EXPECT_EQ(Value::string("").view().bytes(), "");
  EXPECT_TRUE(Value::string("").view().present());
  EXPECT_EQ(Value::binary(std::string_view("\0\xff", 2)).view().bytes(), std::string_view("\0\xff", 2));
  EXPECT_EQ(Value::guid(kGuid).view().bytes(), kGuid);
  EXPECT_TRUE(Value::boolean(true).view().as_boolean());
  EXPECT_FALSE(Value::boolean(false).view().as_boolean());
  EXPECT_EQ(Value::int32(-2147483647 - 1).view().as_int32(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Value::int32(-7).view().as_int64(), -7);
  EXPECT_EQ(Value::int64(9007199254740993).view().as_int64(), 9007199254740993);
  EXPECT_EQ(Value::datetime(42).view().as_ticks(), 42);
  EXPECT_EQ(Value::real(0.1).view().as_double(), 0.1);
  EXPECT_TRUE(std::signbit(Value::real(-0.0).view().as_double()));
  for (const Value& v : {Value::int32(1), Value::int64(1), Value::real(1), Value::datetime(1)}) {
    EXPECT_EQ(v.view().type(), v.type());
  }
}

TEST(EdmValue, OwnsItsBytes) {
  std::string text = "a text long enough to live on the heap";
  const Value value = Value::string(text);
  text.assign(text.size(), 'x');
  EXPECT_EQ(value.view().bytes(), "a text long enough to live on the heap");
}

TEST(EdmValue, EqualityIsIdentity) {
  EXPECT_EQ(Value::int64(5), Value::int64(5));
  EXPECT_NE(Value::int64(5), Value::int32(5));
  EXPECT_NE(Value::int64(5), Value::real(5));
  EXPECT_NE(Value::string("a"), Value::binary("a"));
  EXPECT_NE(Value::string("a"), Value::string("A"));
  EXPECT_NE(Value::real(0.0), Value::real(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Value::real(nan), Value::real(nan));
  EXPECT_EQ(Value::real(nan), Value::real(std::bit_cast<double>(0xfff8'0000'0000'0123)));
}

TEST(EdmValue, RefusesWhatIsNoValue) {
  EXPECT_THROW(Value{ValueView::missing()}, std::logic_error);
  EXPECT_THROW(Value::guid("short"), std::logic_error);
  EXPECT_FALSE(ValueView::missing().present());
}

}  // namespace
}  // namespace table_storage::edm
