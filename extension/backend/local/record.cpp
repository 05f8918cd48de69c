#include "extension/backend/local/record.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "parser/edm/text.h"
#include "parser/error.h"

namespace table_storage::backend::local {
namespace {

static_assert(std::endian::native == std::endian::little, "fixed-size integers are copied as they are");

constexpr std::size_t kFixed = 8;
constexpr std::size_t kGuid = 16;
constexpr std::size_t kMaxVarint = 10;
constexpr int kSqliteCorrupt = 11;  // SQLITE_CORRUPT, without SQLite's headers

[[noreturn]] [[gnu::cold]] [[gnu::noinline]] void damaged(const char* how) {
  throw Error(Error::Kind::corrupt, "", std::string("the stored entity is damaged: ") + how)
      .native(kSqliteCorrupt);
}

std::uint64_t load_fixed(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, kFixed);
  return v;
}

std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
std::int64_t unzigzag(std::uint64_t v) { return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1)); }

char* put_varint(char* out, std::uint64_t v) {
  while (v >= 0x80) {
    *out++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *out++ = static_cast<char>(v);
  return out;
}

[[gnu::noinline]] std::uint64_t get_long_varint(const char*& at, const char* end) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == end) damaged("a number runs past its end");
    const auto byte = static_cast<unsigned char>(*at++);
    if (shift == 63 && byte > 1) break;
    v |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return v;
  }
  damaged("a number has more than 64 bits");
}

// `at` < `end` is the caller's check to make for the first byte.
inline std::uint64_t get_varint(const char*& at, const char* end) {
  if (at == end) damaged("it ends within a property");
  const auto byte = static_cast<unsigned char>(*at);
  if (byte < 0x80) {
    ++at;
    return byte;
  }
  return get_long_varint(at, end);
}

inline const char* take(const char*& at, const char* end, std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(end - at)) damaged("a value runs past its end");
  const char* const begin = at;
  at += bytes;
  return begin;
}

inline std::string_view take_bytes(const char*& at, const char* end) {
  const std::uint64_t size = get_varint(at, end);
  return {take(at, end, size), static_cast<std::size_t>(size)};
}

inline edm::ValueView read_value(edm::Type type, const char*& at, const char* end) {
  switch (type) {
    case edm::Type::String:
      return edm::ValueView::string(take_bytes(at, end));
    case edm::Type::Binary:
      return edm::ValueView::binary(take_bytes(at, end));
    case edm::Type::Boolean: {
      const char byte = *take(at, end, 1);
      if (byte != 0 && byte != 1) damaged("a Boolean is neither 0 nor 1");
      return edm::ValueView::boolean(byte == 1);
    }
    case edm::Type::Int32: {
      const std::int64_t v = unzigzag(get_varint(at, end));
      if (v < std::numeric_limits<std::int32_t>::min() || v > std::numeric_limits<std::int32_t>::max()) {
        damaged("an Int32 has more than 32 bits");
      }
      return edm::ValueView::int32(static_cast<std::int32_t>(v));
    }
    case edm::Type::Int64:
      return edm::ValueView::int64(unzigzag(get_varint(at, end)));
    case edm::Type::Double:
      return edm::ValueView::real(std::bit_cast<double>(load_fixed(take(at, end, kFixed))));
    case edm::Type::DateTime: {
      const auto ticks = static_cast<std::int64_t>(load_fixed(take(at, end, kFixed)));
      if (!edm::in_service_range(ticks)) damaged("a DateTime is out of range");
      return edm::ValueView::datetime(ticks);
    }
    case edm::Type::Guid:
      return edm::ValueView::guid({take(at, end, kGuid), kGuid});
  }
  damaged("a type does not exist");  // not reached: three bits, eight types
}

inline void skip_value(edm::Type type, const char*& at, const char* end) {
  switch (type) {
    case edm::Type::String:
    case edm::Type::Binary:
      take(at, end, get_varint(at, end));
      return;
    case edm::Type::Boolean:
      take(at, end, 1);
      return;
    case edm::Type::Int32:
    case edm::Type::Int64:
      get_varint(at, end);
      return;
    case edm::Type::Double:
    case edm::Type::DateTime:
      take(at, end, kFixed);
      return;
    case edm::Type::Guid:
      take(at, end, kGuid);
      return;
  }
}

inline edm::Type type_of(std::uint64_t tag) { return static_cast<edm::Type>(tag & 7); }

[[noreturn]] [[gnu::cold]] void bad_name() { damaged("a property has a number that no name can have"); }

}  // namespace

std::int64_t record_timestamp(std::string_view record) {
  if (record.size() < kFixed) damaged("it is shorter than its Timestamp");
  const auto ticks = static_cast<std::int64_t>(load_fixed(record.data()));
  if (!edm::in_service_range(ticks)) damaged("its Timestamp is out of range");
  return ticks;
}

void unknown_name_in_record() { damaged("it has a property that ts_property_names does not know"); }

char* RecordWriter::reserve(std::size_t bytes) {
  if (capacity_ - size_ < bytes) {
    const std::size_t capacity = std::max<std::size_t>(2 * (size_ + bytes), 1024);
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (size_ != 0) std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  return buffer_.get() + size_;
}

void RecordWriter::begin(std::int64_t timestamp) {
  size_ = 0;
  std::memcpy(reserve(kFixed), &timestamp, kFixed);
  size_ = kFixed;
}

void RecordWriter::append(NameId name, edm::ValueView value) {
  const std::string_view bytes = value.bytes();
  char* const begin = reserve(2 * kMaxVarint + kGuid + bytes.size());
  char* out = put_varint(begin, std::uint64_t{name} << 3 | static_cast<std::uint64_t>(value.type()));
  switch (value.type()) {
    case edm::Type::String:
    case edm::Type::Binary:
      out = put_varint(out, bytes.size());
      if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
      out += bytes.size();
      break;
    case edm::Type::Boolean:
      *out++ = value.as_boolean() ? 1 : 0;
      break;
    case edm::Type::Int32:
    case edm::Type::Int64:
      out = put_varint(out, zigzag(value.as_int64()));
      break;
    case edm::Type::Double: {
      const double v = value.as_double();
      std::memcpy(out, &v, kFixed);
      out += kFixed;
      break;
    }
    case edm::Type::DateTime: {
      const std::int64_t v = value.as_ticks();
      std::memcpy(out, &v, kFixed);
      out += kFixed;
      break;
    }
    case edm::Type::Guid:
      std::memcpy(out, bytes.data(), kGuid);
      out += kGuid;
      break;
  }
  size_ += static_cast<std::size_t>(out - begin);
}

void RecordWriter::append_raw(std::string_view property) {
  std::memcpy(reserve(property.size()), property.data(), property.size());
  size_ += property.size();
}

RecordCursor::RecordCursor(std::string_view record)
    : start_(record.data()), at_(record.data()), end_(record.data() + record.size()) {
  record_timestamp(record);
  at_ += kFixed;
  start_ = at_;
}

bool RecordCursor::next() {
  start_ = at_;
  if (at_ == end_) return false;
  const std::uint64_t tag = get_varint(at_, end_);
  const std::uint64_t name = tag >> 3;
  if (name == 0 || name > std::numeric_limits<NameId>::max()) bad_name();
  name_ = static_cast<NameId>(name);
  value_ = read_value(type_of(tag), at_, end_);
  return true;
}

RecordReader::RecordReader(std::vector<Wanted> wanted) : wanted_(std::move(wanted)) {}

void RecordReader::resolve(const NameStore& store) {
  // On the side: half of it would read wrong values for right ones if the memory for the rest is missing.
  std::vector<std::uint32_t> slots;
  for (const Wanted& w : wanted_) {
    const NameId name = store.find(w.name);
    if (name == 0) continue;
    if (name > slots.size()) slots.resize(name, kNone);
    slots[name - 1] = w.slot;
  }
  slot_by_name_ = std::move(slots);
  known_ = store.size();
}

RecordReader::Outcome RecordReader::read(std::string_view record, edm::ValueView* slots) const {
  if (record.size() < kFixed) damaged("it is shorter than its Timestamp");
  const char* at = record.data() + kFixed;
  const char* const end = record.data() + record.size();
  const std::size_t table_size = slot_by_name_.size();
  const std::uint32_t* const table = slot_by_name_.data();
  // A wanted name that the store does not know keeps the walk going: it may be a new number further on.
  for (std::size_t left = wanted_.size(); at != end && left != 0;) {
    const std::uint64_t tag = get_varint(at, end);
    const std::uint64_t index = (tag >> 3) - 1;  // wraps around for 0, which is no number
    if (index < table_size) {
      if (table[index] != kNone) {
        edm::ValueView& slot = slots[table[index]];
        if (slot.present()) damaged("a property comes twice");
        slot = read_value(type_of(tag), at, end);
        --left;
        continue;
      }
    } else if (index >= known_) {
      if (index >= std::numeric_limits<NameId>::max()) bad_name();
      return Outcome::unknown_name;
    }
    skip_value(type_of(tag), at, end);
  }
  return Outcome::complete;
}

}  // namespace table_storage::backend::local
