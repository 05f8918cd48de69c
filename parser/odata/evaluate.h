// Evaluation of a filter with the service's two-valued logic: a comparison on a missing property is false, and
// `not` turns that into true. Types meet by the table of edm/compare.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parser/edm/value.h"
#include "parser/odata/filter.h"

namespace table_storage::odata {

/// A filter whose property names are resolved to slots once, so that a scan evaluates it without looking at
/// names. Immutable after construction; several threads may call matches().
class Evaluator {
 public:
  explicit Evaluator(Filter filter);

  /// The distinct property names of the filter; slot i of matches() is properties()[i].
  const std::vector<std::string>& properties() const { return properties_; }

  /// `slots` has one view a property, missing() where the entity lacks it.
  bool matches(const edm::ValueView* slots) const;

  const Filter& filter() const { return filter_; }

 private:
  struct Node {
    Filter::Kind kind;
    Operator op;
    std::uint32_t slot;     // comparison
    std::uint32_t literal;  // comparison: index in literals_
    std::uint32_t end;      // index after the last node of this subtree (nodes are in prefix order)
  };
  Filter filter_;
  std::vector<std::string> properties_;
  std::vector<edm::Value> literals_;
  std::vector<Node> nodes_;
};

}  // namespace table_storage::odata
