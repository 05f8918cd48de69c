// What the fuzz targets share: how they cut the bytes they are given, and how they say that something is
// wrong.
//
// A target is one function, defined by FUZZ_TARGET(name) { … }, which gets bytes as `input`. Whatever they
// are, the code under test may refuse them with table_storage::Error and nothing else; a crash, a report of a
// sanitizer, any other exception, or a property that does not hold (require()) is a finding.
//
// libfuzzer.cpp makes a libFuzzer program of one target; replay.cpp makes one program of all targets, which
// any compiler can build, and which runs the seeds and some random changes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/error.h"

namespace table_storage::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};

/// The targets of this program, by name.
std::vector<Target>& targets();

struct Registration {
  Registration(std::string_view name, void (*run)(std::string_view)) { targets().push_back({name, run}); }
};

#define FUZZ_TARGET(name)                                       \
  static void run_##name(std::string_view input);               \
  static const Registration register_##name(#name, run_##name); \
  static void run_##name(std::string_view input)

/// Ends the process with `what` on stderr unless `holds`: the fuzzer then keeps the input.
void require(bool holds, std::string_view what, std::string_view detail = {});

/// For errors that people read: they say something, and not endlessly.
void check_error(const Error& error, std::string_view text);

/// Takes decisions from the front of an input. At its end every decision is the first choice, so that any
/// input means something.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::size_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }
  std::size_t below(std::size_t limit) { return byte() % limit; }
  /// Little-endian, of so many bytes.
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(byte()) << (8 * i);
    return value;
  }
  std::string_view take(std::size_t size) {
    const std::string_view front = bytes_.substr(0, size);
    bytes_.remove_prefix(front.size());
    return front;
  }
  std::string_view rest() { return take(bytes_.size()); }

 private:
  std::string_view bytes_;
};

/// Up to the next '\n', which is dropped.
std::string_view take_line(std::string_view& text);

/// `text` with letters of the value behind each `mark` exchanged by others, for asking whether a secret shows
/// in what is made of the text: it does if the results differ. Hexadecimal digits stay as they are, since %2B
/// must stay an escape; so do the kinds of the characters.
std::string with_another_secret(std::string_view text, std::string_view mark);

}  // namespace table_storage::fuzz
