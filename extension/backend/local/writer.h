// Writes of single entities into one local entity table: the six operations, their checks and their errors.
//
// Every operation is one or two inner statements of the connection. The connection's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/local/name_cache.h"
#include "extension/backend/local/record.h"
#include "extension/backend/local/statement.h"
#include "extension/backend/local/table_core.h"

namespace table_storage::backend::local {

class EntityWriter {
 public:
  explicit EntityWriter(std::shared_ptr<TableCore> table) : table_(std::move(table)) {}

  /// Throws what the service would answer for this operation before it looks at the table: limits (limits.h),
  /// and InvalidInput for a malformed ETag.
  void check(const Operation& operation);
  /// Does a checked operation.
  void execute(const Operation& operation);

  void release();

 private:
  enum Verb : unsigned { read_verb, insert_verb, update_verb, delete_verb };
  struct Mark {
    std::uint32_t stamp = 0;     // of the operation that last gave this property
    std::uint32_t position = 0;  // in Operation::properties
  };
  struct Keys {
    std::string_view partition_key;
    std::string_view row_key;
  };

  bool is_plain(const Operation& operation);
  bool look_up_names(const Operation& operation);
  void resolve_names(const Operation& operation);
  void encode(const Operation& operation, std::int64_t timestamp);
  void encode_merged(const Operation& operation, std::int64_t timestamp);
  void check_merged(const Operation& operation, std::size_t count);
  void put(const Operation& operation, bool found);
  bool read_old(Keys keys);
  void check_etag(const Operation& operation) const;
  /// Entities changed; none where the table does not exist. Throws EntityAlreadyExists.
  int run(Verb verb, Keys keys, std::string_view record = {});
  /// False if the table does not exist.
  bool prepare(Verb verb);
  int bind_and_step(Verb verb, Keys keys, std::string_view record);
  bool table_is_gone(Verb verb);
  Error failure(Verb verb, Keys keys, int rc) const;

  std::shared_ptr<TableCore> table_;
  Statement statements_[4];  // by Verb
  RecordWriter record_;
  std::string old_;  // the record that read_old() found
  NameCache cache_;
  // Numbers of the names of the operation `looked_up_`, by position; 0: not in the dictionary.
  std::vector<NameId> ids_;
  const Operation* looked_up_ = nullptr;
  std::vector<Mark> marks_;  // by number of the name
  std::uint32_t stamp_ = 0;
};

}  // namespace table_storage::backend::local
