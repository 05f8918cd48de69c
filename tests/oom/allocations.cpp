#include "tests/oom/allocations.h"

#include <sqlite3.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace table_storage::oom {
namespace {

struct Counters {
  std::uint64_t made = 0;
  std::uint64_t fail_at = 0;
  bool counting = false;
  bool failed = false;
  std::int64_t sqlite = 0;
  std::int64_t cpp = 0;
};
// Plain data: operator new may be asked before main().
Counters g;

bool is_time() {
  if (!g.counting) return false;
  if (++g.made != g.fail_at) return false;
  g.failed = true;
  return true;
}

sqlite3_mem_methods g_real;

void* allocate(int size) {
  if (is_time()) return nullptr;
  void* memory = g_real.xMalloc(size);
  if (memory != nullptr) ++g.sqlite;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) --g.sqlite;
  g_real.xFree(memory);
}

void* resize(void* memory, int size) {
  if (is_time()) return nullptr;
  return g_real.xRealloc(memory, size);
}

}  // namespace

void install() {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &g_real);
  sqlite3_mem_methods methods = g_real;
  methods.xMalloc = allocate;
  methods.xFree = release;
  methods.xRealloc = resize;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  // Every connection would take one large piece and serve itself from it.
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

void start(std::uint64_t at) {
  g.made = 0;
  g.fail_at = at;
  g.failed = false;
  g.counting = true;
}

std::uint64_t stop() {
  g.counting = false;
  return g.made;
}

Pause::Pause() : counting_(g.counting) { g.counting = false; }
Pause::~Pause() { g.counting = counting_; }

bool has_failed() { return g.failed; }
std::int64_t live_sqlite() { return g.sqlite; }
std::int64_t live_cpp() { return g.cpp; }

namespace {

void* cpp_allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_time()) return nullptr;
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
