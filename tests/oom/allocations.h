// Allocations that can be counted and made to fail: those of SQLite (sqlite3_malloc), those of C++ (operator
// new), in one sequence, on all threads. Others can be added (curl_allocations.h).
#pragma once

#include <cstdint>

namespace table_storage::oom {

/// Puts the counting allocator under SQLite. Before any other call of SQLite; false if it was not.
bool install();

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
/// Counts an allocation. True: it is the one that fails.
bool is_time_to_fail(bool sqlite = false);
/// Whether it was one of SQLite's that has failed.
bool has_failed_in_sqlite();

/// Allocations that have not been freed.
struct Live {
  std::int64_t sqlite = 0;
  std::int64_t cpp = 0;
};
Live live();

}  // namespace table_storage::oom
