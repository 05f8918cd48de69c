#include "parser/edm/value.h"

#include <bit>
#include <limits>
#include <stdexcept>

namespace table_storage::edm {

std::string_view name_of(Type type) {
  static constexpr std::string_view kNames[kTypeCount] = {
      "Edm.String", "Edm.Binary", "Edm.Boolean",  "Edm.Int32",
      "Edm.Int64",  "Edm.Double", "Edm.DateTime", "Edm.Guid",
  };
  return kNames[static_cast<std::size_t>(type)];
}

Value::Value(ValueView v) : type_(v.type()) {
  // A missing property has no type, so storing one is a mistake of the calling code and not of any input.
  if (!v.present()) throw std::logic_error("edm::Value made from a missing property");
  switch (type_) {
    case Type::String:
    case Type::Binary:
      bytes_ = v.bytes();
      break;
    case Type::Guid:
      if (v.bytes().size() != 16) throw std::logic_error("edm::Value made from a Guid that is not 16 bytes");
      bytes_ = v.bytes();
      break;
    case Type::Double: {
      // One bit pattern for every NaN (sign and payload do not survive the wire), so that equality can
      // compare bits; that also tells 0.0 from -0.0.
      const double d = v.as_double();
      bits_ = std::bit_cast<std::int64_t>(d == d ? d : std::numeric_limits<double>::quiet_NaN());
      break;
    }
    case Type::Boolean:
      bits_ = v.as_boolean() ? 1 : 0;
      break;
    case Type::Int32:
    case Type::Int64:
    case Type::DateTime:
      bits_ = v.as_int64();
      break;
  }
}

ValueView Value::view() const {
  switch (type_) {
    case Type::String:
      return ValueView::string(bytes_);
    case Type::Binary:
      return ValueView::binary(bytes_);
    case Type::Guid:
      return ValueView::guid(bytes_);
    case Type::Boolean:
      return ValueView::boolean(bits_ != 0);
    case Type::Int32:
      return ValueView::int32(static_cast<std::int32_t>(bits_));
    case Type::Int64:
      return ValueView::int64(bits_);
    case Type::DateTime:
      return ValueView::datetime(bits_);
    case Type::Double:
      return ValueView::real(std::bit_cast<double>(bits_));
  }
  return ValueView::missing();
}

bool operator==(const Value& a, const Value& b) {
  return a.type_ == b.type_ && a.bits_ == b.bits_ && a.bytes_ == b.bytes_;
}

}  // namespace table_storage::edm
