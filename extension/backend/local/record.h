// How an entity is stored: the Entity column of a local entity table.
//
//   record    = timestamp { property }
//   timestamp = 8 bytes, ticks of 100 ns since year 1 (edm/value.h)
//   property  = varint of (number of the name << 3 | edm::Type), then the payload of the type:
//                 String, Binary   varint length, that many bytes
//                 Boolean          1 byte, 0 or 1
//                 Int32, Int64     varint of the zigzag form (0, -1, 1, -2, … as 0, 1, 2, 3, …)
//                 Double           8 bytes, IEEE 754 bits
//                 DateTime         8 bytes, ticks
//                 Guid             16 bytes in the order of its text
//
// All fixed-size integers are little-endian; a varint has 7 bits a byte, lowest first, the high bit set on
// all but the last byte. Numbers of names are those of ts_property_names (names.h). Properties stand in the
// order in which they were first written, each at most once; there is no length or count, the record ends
// with the blob.
//
// The bytes come from a file and are not trusted: whatever they are, reading them gives values or
// Error(corrupt), without the name of the entity, which the caller puts in front. Not for several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/local/names.h"
#include "parser/edm/value.h"

namespace table_storage::backend::local {

/// Timestamp of a record. Throws Error(corrupt).
std::int64_t record_timestamp(std::string_view record);

/// Throws the Error(corrupt) for a record with a number that the dictionary does not have.
[[noreturn]] void unknown_name_in_record();

/// Writes records into one buffer that it keeps.
class RecordWriter {
 public:
  void begin(std::int64_t timestamp);
  /// `value` is present and within the limits of the service.
  void append(NameId name, edm::ValueView value);
  /// A property as RecordCursor::raw() gave it.
  void append_raw(std::string_view property);
  /// Valid until the next begin().
  std::string_view record() const { return {buffer_.get(), size_}; }

 private:
  char* reserve(std::size_t bytes);

  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Walks all properties of a record.
class RecordCursor {
 public:
  explicit RecordCursor(std::string_view record);
  /// False at the end.
  bool next();
  NameId name() const { return name_; }
  edm::ValueView value() const { return value_; }
  /// The bytes of the property, number and type included.
  std::string_view raw() const { return {start_, static_cast<std::size_t>(at_ - start_)}; }

 private:
  const char* start_;
  const char* at_;
  const char* end_;
  NameId name_ = 0;
  edm::ValueView value_;
};

/// Reads chosen properties, the others only as far as to step over them.
class RecordReader {
 public:
  struct Wanted {
    std::string name;
    std::uint32_t slot;
  };
  /// Each name and each slot once.
  explicit RecordReader(std::vector<Wanted> wanted);

  /// Must come before read(), and again after the store was replaced or has grown. Throws std::bad_alloc, and
  /// then nothing has changed.
  void resolve(const NameStore& store);
  enum class Outcome { complete, unknown_name };
  /// Fills the slots of the properties that are there; the caller has set all of them to missing().
  /// `unknown_name`: the record has a name that the store did not know when resolve() was called, and one
  /// that is wanted may be it.
  Outcome read(std::string_view record, edm::ValueView* slots) const;
  bool wants_anything() const { return !wanted_.empty(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<Wanted> wanted_;
  std::vector<std::uint32_t> slot_by_name_;  // index: number of the name - 1; ends with the highest wanted
  NameId known_ = 0;
};

}  // namespace table_storage::backend::local
