// Allocations that can be counted and made to fail: those of SQLite (sqlite3_malloc) and those of C++
// (operator new), in one sequence. One thread.
#pragma once

#include <cstdint>

namespace table_storage::oom {

/// Puts the counting allocator under SQLite. Before any other call of SQLite.
void install();

/// Counts from 1 again, and makes allocation number `at` fail, once; 0: none.
void start(std::uint64_t at);
/// No more failures. The number of allocations since start().
std::uint64_t stop();
/// Within its life nothing is counted and nothing fails.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool counting_;
};
/// Whether the failure has happened.
bool has_failed();

/// Allocations that have not been freed.
std::int64_t live_sqlite();
std::int64_t live_cpp();

}  // namespace table_storage::oom
