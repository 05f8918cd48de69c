// From a stored row to an EntityView, for one projection. The connection's thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "extension/backend/backend.h"
#include "extension/backend/local/database.h"
#include "extension/backend/local/record.h"
#include "extension/backend/local/row_batch.h"

namespace table_storage::backend::local {

class EntityReader {
 public:
  explicit EntityReader(const Projection& projection);

  bool reads(const Projection& projection) const;
  /// Views into `row`, and names that live until the next call. Throws Error(corrupt) without the entity's
  /// name.
  const EntityView& read(LocalDatabase& database, const StoredEntity& row);
  const EntityView& last() const { return view_; }
  /// Lets go of what belongs to the rows of a scan.
  void clear();

 private:
  void read_all(LocalDatabase& database, std::string_view record);

  Projection projection_;
  RecordReader reader_;
  std::vector<std::size_t> first_of_;  // by position in the projection: first position of the same property
  bool has_twins_ = false;
  EntityView view_;
  std::shared_ptr<NameStore> names_;      // what reader_ was resolved with
  std::shared_ptr<NameStore> all_names_;  // what the names in EntityView::all point into
};

}  // namespace table_storage::backend::local
