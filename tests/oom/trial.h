// What the tries of allocations that fail have in common: a statement with a failure in it, what the tables
// hold, and the child process that both happen in.
#pragma once

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace table_storage::oom {

struct Result {
  int code = SQLITE_OK;
  std::string rows;  // and the message of an error
  friend bool operator==(const Result&, const Result&) = default;
};

bool is_out_of_memory(int code);

/// Runs one statement with a failure at allocation `fail_at` (0: none); what has to be allocated for that
/// does not count.
Result run(sqlite3* db, const std::string& sql, std::uint64_t fail_at = 0);

/// Every entity that a foreign table of `main` shows.
std::string digest(sqlite3* db);

/// An empty database in memory with the extension. Ends the program if that cannot be had.
sqlite3* open(const char* extension);

/// The statements of a script without the lines that are for the shell.
std::vector<std::string> statements_of(const std::string& path);

/// What both programs are told: [--stride N] [--offset N] table_storage.so SCRIPT.sql …
struct Arguments {
  std::uint64_t stride = 1;
  std::uint64_t offset = 0;
  const char* extension = nullptr;
  std::vector<std::string> scripts;
};

/// Ends the program if they are not that.
Arguments parse_arguments(int argc, char** argv);

/// Runs `body` in a child process and returns what it returns. `crashed` is set if the child does not end by
/// itself.
template <class Body>
std::string in_child(Body&& body, bool& crashed) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    close(ends[0]);
    const std::string text = body();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(2);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  crashed = status != 0;
  return text;
}

}  // namespace table_storage::oom
