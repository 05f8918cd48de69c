#include "tests/oom/allocations.h"

#include <execinfo.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace table_storage::oom {
namespace {

struct Counters {
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> fail_at{0};
  std::atomic<bool> counting{false};
  std::atomic<bool> in_sqlite{false};
  std::atomic<std::int64_t> sqlite{0};
  std::atomic<std::int64_t> cpp{0};
};
// Initialised when the program is loaded: operator new may be asked before main().
constinit Counters g;

}  // namespace

namespace {

void show_place() {
  const Pause pause;
  void* places[64];
  backtrace_symbols_fd(places, backtrace(places, 64), STDERR_FILENO);
}

}  // namespace

bool has_failed_in_sqlite() { return g.in_sqlite; }

bool is_time_to_fail(bool sqlite) {
  if (!g.counting || ++g.made != g.fail_at) return false;
  g.in_sqlite = sqlite;
  if (std::getenv("OOM_BACKTRACE") != nullptr) show_place();
  return true;
}

namespace {

sqlite3_mem_methods g_real;

void* allocate(int size) {
  if (is_time_to_fail(true)) return nullptr;
  void* memory = g_real.xMalloc(size);
  if (memory != nullptr) ++g.sqlite;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) --g.sqlite;
  g_real.xFree(memory);
}

void* resize(void* memory, int size) {
  if (is_time_to_fail(true)) return nullptr;
  return g_real.xRealloc(memory, size);
}

}  // namespace

bool install() {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &g_real) != SQLITE_OK) return false;
  sqlite3_mem_methods methods = g_real;
  methods.xMalloc = allocate;
  methods.xFree = release;
  methods.xRealloc = resize;
  // Every connection would take one large piece and serve itself from it.
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
         sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK;
}

void start(std::uint64_t at) {
  g.made = 0;
  g.fail_at = at;
  g.in_sqlite = false;
  g.counting = true;
}

std::uint64_t stop() {
  g.counting = false;
  return g.made;
}

Pause::Pause() : counting_(g.counting) { g.counting = false; }
Pause::~Pause() { g.counting = counting_; }

Live live() { return {g.sqlite, g.cpp}; }

namespace {

void* cpp_allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_time_to_fail()) return nullptr;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(size)
                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory != nullptr) ++g.cpp;
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = cpp_allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void cpp_free(void* memory) noexcept {
  if (memory == nullptr) return;
  --g.cpp;
  std::free(memory);
}

}  // namespace
}  // namespace table_storage::oom

namespace oom = table_storage::oom;
constexpr std::size_t kUsual = alignof(std::max_align_t);

void* operator new(std::size_t size) { return oom::allocate_or_throw(size, kUsual); }
void* operator new[](std::size_t size) { return oom::allocate_or_throw(size, kUsual); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return oom::cpp_allocate(size, kUsual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return oom::cpp_allocate(size, kUsual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return oom::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return oom::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { oom::cpp_free(memory); }
void operator delete[](void* memory) noexcept { oom::cpp_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { oom::cpp_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { oom::cpp_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { oom::cpp_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { oom::cpp_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { oom::cpp_free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { oom::cpp_free(memory); }
