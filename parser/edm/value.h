// The eight property types of Table Storage, as values.
//
// ValueView is what flows through scans: a small trivially copyable view whose text and bytes belong to
// someone else. Value owns. Neither knows about null: a property whose value would be null does not exist,
// which is what ValueView::missing() stands for.
//
// Source: "Understanding the Table service data model" (types and ranges).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace table_storage::edm {

/// The numbers are stored in entity records of the local backend: never renumber.
enum class Type : std::uint8_t {
  String = 0,
  Binary = 1,
  Boolean = 2,
  Int32 = 3,
  Int64 = 4,
  Double = 5,
  DateTime = 6,
  Guid = 7,
};
inline constexpr int kTypeCount = 8;

/// "Edm.String" and so on.
std::string_view name_of(Type type);

/// A view of one property value. Strings are UTF-8; Binary is raw bytes; Guid is 16 bytes in the order of its
/// text form; DateTime is 100 ns ticks since 0001-01-01T00:00:00Z (the .NET tick).
class ValueView {
 public:
  constexpr ValueView() : int64_(0) {}
  static constexpr ValueView missing() { return {}; }
  static constexpr ValueView string(std::string_view utf8) { return {Type::String, utf8}; }
  static constexpr ValueView binary(std::string_view bytes) { return {Type::Binary, bytes}; }
  static constexpr ValueView guid(std::string_view bytes16) { return {Type::Guid, bytes16}; }
  static constexpr ValueView boolean(bool v) { return {Type::Boolean, v ? 1 : 0}; }
  static constexpr ValueView int32(std::int32_t v) { return {Type::Int32, v}; }
  static constexpr ValueView int64(std::int64_t v) { return {Type::Int64, v}; }
  static constexpr ValueView datetime(std::int64_t ticks) { return {Type::DateTime, ticks}; }
  static constexpr ValueView real(double v) { return ValueView(v); }

  constexpr bool present() const { return present_; }
  constexpr explicit operator bool() const { return present_; }
  /// Only where present().
  constexpr Type type() const { return type_; }

  // Each only for a value of its types.
  constexpr std::string_view bytes() const { return {data_, size_}; }  // String, Binary, Guid
  constexpr bool as_boolean() const { return int64_ != 0; }
  constexpr std::int32_t as_int32() const { return static_cast<std::int32_t>(int64_); }
  constexpr std::int64_t as_int64() const { return int64_; }  // Int32 too
  constexpr std::int64_t as_ticks() const { return int64_; }
  constexpr double as_double() const { return double_; }

 private:
  constexpr ValueView(Type type, std::string_view bytes)
      : type_(type), present_(true), size_(static_cast<std::uint32_t>(bytes.size())), data_(bytes.data()) {}
  constexpr ValueView(Type type, std::int64_t v) : type_(type), present_(true), int64_(v) {}
  constexpr explicit ValueView(double v) : type_(Type::Double), present_(true), double_(v) {}

  // Two words, as scans move millions of them.
  Type type_ = Type::String;
  bool present_ = false;
  std::uint32_t size_ = 0;  // SQLite has no longer text, nor has the service
  union {
    const char* data_;
    std::int64_t int64_;
    double double_;
  };
};

/// A value that owns its text or bytes. Equality is identity: same type, same content; NaN equals NaN and 0.0
/// differs from -0.0 (the order of the service is in edm/compare.h).
class Value {
 public:
  explicit Value(ValueView v);
  static Value string(std::string_view utf8) { return Value(ValueView::string(utf8)); }
  static Value binary(std::string_view bytes) { return Value(ValueView::binary(bytes)); }
  static Value guid(std::string_view bytes16) { return Value(ValueView::guid(bytes16)); }
  static Value boolean(bool v) { return Value(ValueView::boolean(v)); }
  static Value int32(std::int32_t v) { return Value(ValueView::int32(v)); }
  static Value int64(std::int64_t v) { return Value(ValueView::int64(v)); }
  static Value real(double v) { return Value(ValueView::real(v)); }
  static Value datetime(std::int64_t ticks) { return Value(ValueView::datetime(ticks)); }

  Type type() const { return type_; }
  ValueView view() const;
  operator ValueView() const { return view(); }  // NOLINT(google-explicit-constructor): a value is its view

  friend bool operator==(const Value& a, const Value& b);

 private:
  Type type_;
  std::int64_t bits_ = 0;  // every fixed-size type but Guid; Double by its bit pattern
  std::string bytes_;
};

}  // namespace table_storage::edm
