// What the members of an entity's JSON mean for one projection, looked up by the bytes of their names.
// Entities of a page have nearly the same members in nearly the same order, so each member remembers its
// successor, and a look-up is one comparison as a rule.
//
// Internal to page.cpp. One thread at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "extension/backend/backend.h"

namespace table_storage::backend::remote {

inline constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

struct Member {
  enum class Role : unsigned char { skipped, etag, partition_key, row_key, timestamp, property, annotation };

  /// The first eight bytes of `raw`, zeros behind a shorter one, and which of them count.
  std::uint64_t head = 0;
  std::uint64_t head_mask = 0;
  std::string raw;   // the name as it stands in the JSON, escapes and all, and the closing quote
  std::string name;  // the name it means
  Role role = Role::skipped;
  std::size_t slot = kNoSlot;  // in Projection::properties
  Member* base = nullptr;      // annotation: the property that it is about
  Member* next = nullptr;      // what followed last time

  // Of the row that is being read; valid where the row's number stands beside it.
  std::uint64_t annotated_row = 0;
  edm::Type annotation = edm::Type::String;
  std::uint64_t valued_row = 0;
  std::string_view token;    // its value as it stands in the JSON
  const char* at = nullptr;  // its name there, behind the quote
  std::size_t position = 0;  // in EntityView::all
};

class Members {
 public:
  explicit Members(const Projection& projection);
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  /// Once an entity, before its first find().
  void start_entity();

  /// The member whose name starts at `raw`, behind its opening quote. `available` bytes belong to the text,
  /// and at least as many as a machine word behind them may be read.
  Member& find(const char* raw, std::size_t available) {
    // A property that this entity lacks takes its annotation with it: two steps ahead are worth a look.
    Member* guess = previous_->next;
    for (int step = 0; guess && step < 3; ++step, guess = guess->next) {
      if (is_named(*guess, raw, available)) {
        previous_->next = guess;
        previous_ = guess;
        return *guess;
      }
    }
    return look_up(raw, available);
  }

 private:
  static std::uint64_t word_at(const char* where) {
    std::uint64_t word;
    std::memcpy(&word, where, sizeof word);
    return word;
  }

  static bool is_named(const Member& member, const char* raw, std::size_t available) {
    if ((word_at(raw) & member.head_mask) != member.head) return false;
    const std::size_t size = member.raw.size();
    if (size <= sizeof(std::uint64_t)) return true;
    if (size > available) return false;
    const char* const known = member.raw.data();
    // Two words that overlap cover most names without a call.
    const std::size_t last = size - sizeof(std::uint64_t);
    return word_at(raw + last) == word_at(known + last) &&
           (size <= 2 * sizeof(std::uint64_t) || std::memcmp(raw, known, last) == 0);
  }

  Member& look_up(const char* raw, std::size_t available);
  Member& add(std::string_view raw);
  Member& add(std::string_view raw, std::string name);
  void forget();

  const Projection& projection_;
  std::unordered_map<std::string_view, std::size_t> slots_;
  std::deque<Member> members_;  // does not move them
  std::unordered_map<std::string_view, Member*> by_raw_;
  Member start_;  // stands before the first member
  Member* previous_ = &start_;
};

}  // namespace table_storage::backend::remote
