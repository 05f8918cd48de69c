// References: texts that say where a secret is, and reading what they point to.
//
//   env:NAME    an environment variable of this process
//   file:PATH   a file; blanks at its end do not count
//   memory:N    a secret of this connection (user_mapping.h)
//
// What is read never gets into an error's text. Files may be named by whoever made the database, so only
// ordinary files of moderate size are read, and nothing that could block. Any thread, but for memory:.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "extension/backend/remote/token.h"
#include "extension/catalog/secret.h"

namespace table_storage::catalog {

using backend::remote::Environment;

enum class ReferenceKind : unsigned char { none, environment, file, memory };
ReferenceKind kind_of_reference(std::string_view text);
/// env: or file:, which is what may stand in a database.
bool is_stored_reference(std::string_view text);

/// What is behind "memory:N"; null where nothing is.
using MemorySecrets = std::function<std::shared_ptr<const Secret>(std::string_view)>;

/// Reads what a reference points to. Throws Error(invalid) for a variable that is not set, a file that cannot
/// be read, is none, is empty or larger than 64 KiB, and for a text that is no reference.
Secret dereference(std::string_view reference, const Environment& environment, const MemorySecrets& memory);

}  // namespace table_storage::catalog
