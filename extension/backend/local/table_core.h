// What the object of a table, its scans and its writer share; a scan may outlive the table's object.
// The connection's thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/backend/local/database.h"
#include "extension/backend/local/entity_reader.h"
#include "extension/backend/local/row_batch.h"
#include "extension/backend/local/statement.h"

namespace table_storage::backend::local {

/// The memory of a scan that is worth keeping for the next one: look-ups of single entities are mostly that.
struct ScanParts {
  explicit ScanParts(const Projection& projection) : reader(projection) {}
  EntityReader reader;
  RowBatch batch;
};

class ScanPartsPool {
 public:
  ScanPartsPool() { idle_.reserve(kKept); }
  std::unique_ptr<ScanParts> take(const Projection& projection);
  void give_back(std::unique_ptr<ScanParts> parts) noexcept;

 private:
  static constexpr std::size_t kKept = 8;
  std::vector<std::unique_ptr<ScanParts>> idle_;
};

struct TableCore {
  std::shared_ptr<LocalDatabase> database;
  std::string name;  // as the user gave it
  std::string key;   // lower case, as table names are compared
  StatementPool statements;
  ScanPartsPool parts;
};

}  // namespace table_storage::backend::local
