// Evaluation of a filter with the service's two-valued logic: a comparison on a missing property is false,
// and `not` turns that into true. Types meet by the table of edm/compare.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parser/edm/value.h"
#include "parser/odata/filter.h"

namespace table_storage::odata {

/// A filter whose property names are resolved to slots once, so that a scan evaluates it without looking at
/// names. Immutable after construction; several threads may call matches(). Copies share the compiled filter.
class Evaluator {
 public:
  explicit Evaluator(Filter filter);

  /// The distinct property names of the filter in the order of their first use; slot i of matches() is
  /// properties()[i].
  const std::vector<std::string>& properties() const;

  /// `slots` has one view a property, missing() where the entity lacks it. Neither allocates nor recurses.
  bool matches(const edm::ValueView* slots) const;

  const Filter& filter() const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

}  // namespace table_storage::odata
