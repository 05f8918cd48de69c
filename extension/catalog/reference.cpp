#include "extension/catalog/reference.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "parser/error.h"

namespace table_storage::catalog {
namespace {

constexpr std::string_view kEnvironment = "env:";
constexpr std::string_view kFile = "file:";
constexpr std::string_view kMemory = "memory:";
constexpr std::size_t kLargestFile = std::size_t{64} << 10;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

Secret read_file(const std::string& path) {
  const std::string what = "the file " + path;
  // A pipe would block, were it opened in the usual way.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) refuse(what + " cannot be read: " + std::strerror(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) refuse(what + " is no ordinary file");
  // By what is read, not by st_size: files of /proc have none.
  std::string text(kLargestFile + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(what + " cannot be read: " + std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  const Secret all(std::move(text));
  if (size > kLargestFile) refuse(what + " has more than 64 KiB, which no secret has");
  Secret secret(without_blanks_at_end(all.view().substr(0, size)));
  if (secret.empty()) refuse(what + " is empty");
  return secret;
}

}  // namespace

ReferenceKind kind_of_reference(std::string_view text) {
  if (text.starts_with(kEnvironment)) return ReferenceKind::environment;
  if (text.starts_with(kFile)) return ReferenceKind::file;
  if (text.starts_with(kMemory)) return ReferenceKind::memory;
  return ReferenceKind::none;
}

bool is_stored_reference(std::string_view text) {
  const ReferenceKind kind = kind_of_reference(text);
  return kind == ReferenceKind::environment || kind == ReferenceKind::file;
}

Secret dereference(std::string_view reference, const Environment& environment, const MemorySecrets& memory) {
  switch (kind_of_reference(reference)) {
    case ReferenceKind::environment: {
      const std::string_view name = reference.substr(kEnvironment.size());
      if (auto value = environment(name)) return Secret(std::move(*value));
      refuse("the environment variable " + std::string(name) + " is not set");
    }
    case ReferenceKind::file:
      return read_file(std::string(reference.substr(kFile.size())));
    case ReferenceKind::memory: {
      const std::shared_ptr<const Secret> secret = memory ? memory(reference) : nullptr;
      if (secret) return Secret(secret->view());
      refuse("a secret of this connection is gone; say it again");
    }
    case ReferenceKind::none:
      break;
  }
  refuse("a secret is named by 'env:NAME' or 'file:PATH', not written out");
}

}  // namespace table_storage::catalog
