// User mappings: what opens a server. SQLite has no users, so CURRENT_USER, USER and PUBLIC all mean whoever
// opens the file, and a server has at most one mapping.
//
// A mapping has two halves. References (env:NAME, file:PATH) and what is no secret stand in the file, beside
// the server. What this connection itself said stands in a table of temp:
//
//   CREATE TABLE temp.table_storage_user_mappings(server_schema, server, options, confirmed);
//
// Secrets that were written out are in neither: they are in the memory of this object, which the temp row
// names by a number (memory:7). So everything follows ROLLBACK and savepoints as rows do, and a secret that
// no row names any more is wiped. When the connection ends, temp and memory go with it.
//
// An option that stands in the temp row was said in this connection and is `confirmed`: it may be used for
// the server as it was defined at that moment. Where the file says otherwise by now, the file counts, and the
// option is not confirmed. Options that only stand in the file are subject to trust.h.
//
// The connection's thread only. Everything throws Error; no value of a secret is ever in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extension/catalog/secret.h"
#include "extension/catalog/server.h"
#include "extension/catalog/server_store.h"
#include "extension/sqlite.h"

namespace table_storage::catalog {

/// Whether the option's value is a secret, or says where one is.
bool holds_secret(std::string_view option);

/// What is stored and what this connection said, together; nullopt if there is neither.
std::optional<UserMapping> combined_mapping(const StoredServer& server,
                                            const std::optional<SessionMapping>& session);

/// A mapping's options together: known, given once, one way to sign in and what belongs to it, and secrets
/// that can be what they are meant to be. Throws Error(invalid); no value is in it.
void check_mapping_options(const Options& options, const StoredServer& server);

class UserMappings {
 public:
  explicit UserMappings(sqlite3* db) : db_(db) {}

  std::optional<UserMapping> find(const StoredServer& server);

  /// CREATE USER MAPPING. Throws Error(invalid) for one that exists, and for options that are wrong or
  /// contradict each other. Secrets written out are kept in memory, everything else in the file too; where
  /// nothing else is given the file is not written, so that it may be read-only.
  void create(const StoredServer& server, const Options& options);
  /// CREATE USER MAPPING IF NOT EXISTS: with the very options that the file holds this confirms them; other
  /// options change nothing. Returns whether there was none before.
  bool create_if_missing(const StoredServer& server, const Options& options);
  /// ALTER USER MAPPING. Confirms the options it adds or sets, and no others.
  void alter(const StoredServer& server, std::span<const OptionChange> changes);
  /// False if there was none.
  bool drop(const StoredServer& server);

  /// After ALTER SERVER in this connection: what was confirmed for the server stays confirmed.
  void server_changed(const StoredServer& before, const StoredServer& after);
  /// After DROP SERVER.
  void server_dropped(const StoredServer& server);
  /// After ALTER SERVER … RENAME.
  void server_renamed(const StoredServer& server, const std::string& new_name);

  /// The secret behind memory:N; null where there is none (any more).
  std::shared_ptr<const Secret> secret(std::string_view reference) const;
  /// How many secrets are kept, those included that a ROLLBACK has left without a row. For tests.
  std::size_t secrets_kept() const { return secrets_.size(); }
  /// Wipes what no row names any more, unless a transaction is open that may bring it back.
  void wipe_unused();
  /// The same in two steps, the second of which needs no memory: the numbers of those that rows name, and no
  /// others.
  std::set<std::int64_t> used();
  void wipe_all_but(const std::set<std::int64_t>& used) noexcept;

 private:
  std::optional<SessionMapping> session_of(const StoredServer& server);
  void write_session(const std::string& schema, const std::string& server, const SessionMapping& mapping);
  void delete_session(const StoredServer& server);
  /// Writes both halves.
  void write(const StoredServer& server, const UserMapping& options);
  std::string keep(std::string_view value);

  sqlite3* db_;
  std::map<std::int64_t, std::shared_ptr<const Secret>> secrets_;
  std::int64_t last_ = 0;
};

}  // namespace table_storage::catalog
