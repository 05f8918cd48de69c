#include "tests/oom/curl_allocations.h"

#include <curl/curl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tests/oom/allocations.h"

namespace table_storage::oom {
namespace {

constinit std::atomic<std::int64_t> g_live{0};

void* counted(void* memory) {
  if (memory != nullptr) ++g_live;
  return memory;
}

void* curl_allocate(std::size_t size) { return is_time_to_fail() ? nullptr : counted(std::malloc(size)); }

void curl_release(void* memory) {
  if (memory != nullptr) --g_live;
  std::free(memory);
}

void* curl_resize(void* memory, std::size_t size) {
  if (memory == nullptr) return curl_allocate(size);
  return is_time_to_fail() ? nullptr : std::realloc(memory, size);
}

char* curl_duplicate(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  void* const copy = curl_allocate(size);
  return static_cast<char*>(copy == nullptr ? nullptr : std::memcpy(copy, text, size));
}

void* curl_allocate_zeros(std::size_t count, std::size_t size) {
  return is_time_to_fail() ? nullptr : counted(std::calloc(count, size));
}

}  // namespace

bool install_in_curl() {
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_allocate, curl_release, curl_resize, curl_duplicate,
                              curl_allocate_zeros) == CURLE_OK;
}

std::int64_t live_curl() { return g_live; }

}  // namespace table_storage::oom
