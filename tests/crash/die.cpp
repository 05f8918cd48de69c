// Preloaded into a process that shall die while it writes: after a number of system calls that change files,
// the next one is done by half, or not at all, and the process is killed as by `kill -9`.
#include <dlfcn.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace {

std::atomic<long> calls_left{-1};  // negative: live

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_time() {
  if (calls_left.load() < 0) return false;
  return calls_left.fetch_sub(1) == 0;
}

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

/// The process dies at the call after `calls` more of them.
EXPORT void crash_arm(long calls) { calls_left = calls; }

EXPORT ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t place) {
  static const auto call = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite64");
  if (is_time()) {
    call(file, bytes, size / 2, place);
    die();
  }
  return call(file, bytes, size, place);
}

EXPORT ssize_t write(int file, const void* bytes, std::size_t size) {
  static const auto call = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (is_time()) {
    call(file, bytes, size / 2);
    die();
  }
  return call(file, bytes, size);
}

EXPORT int fsync(int file) {
  static const auto call = real<int (*)(int)>("fsync");
  if (is_time()) die();
  return call(file);
}

EXPORT int fdatasync(int file) {
  static const auto call = real<int (*)(int)>("fdatasync");
  if (is_time()) die();
  return call(file);
}

EXPORT int ftruncate64(int file, off_t size) {
  static const auto call = real<int (*)(int, off_t)>("ftruncate64");
  if (is_time()) die();
  return call(file, size);
}

EXPORT int unlink(const char* path) {
  static const auto call = real<int (*)(const char*)>("unlink");
  if (is_time()) die();
  return call(path);
}
