// What the services do with a filter besides its meaning: the rules that keep a pushed condition from losing
// rows on one of them.
//
// | condition               | local, Storage | Azurite                              | Cosmos           |
// |-------------------------|----------------|--------------------------------------|------------------|
// | integer, equality       | `v eq 5`       | `v ge 5 and v le 5`: eq misses Int64 | not sent         |
// | integer beyond Int32    | `5000000000L`  | not sent: an L literal is a 500      | not sent         |
// | Double                  | as it is       | only plain decimals: `1e3`, NaN and  | not sent         |
// |                         |                | INF are read as property names       |                  |
// | DateTime                | as it is       | milliseconds: gt, lt become ge, le;  | not sent         |
// |                         |                | ne is not sent                       |                  |
// | Guid, Binary            | as it is       | not sent: compares the text as it    | not sent         |
// |                         |                | was once written                     |                  |
// | Boolean, String equality| as it is       | as it is                             | as it is         |
// | String bounds           | as it is       | as it is                             | not sent         |
//
// Cosmos documents neither its order of strings nor how numbers of different types meet, and its Timestamp
// cannot be filtered at all. What is not sent stays with SQLite, which tests every row anyway.
//
// A filter given as `_filter` is the user's own, means what it means on Storage, and SQLite cannot test it.
// It goes to Storage and Cosmos as it is. Azurite converts values of different types where Storage takes the
// property for smaller, so there only conditions on keys are trusted; of the rest it gets what it answers
// with no entity too few, and the backend tests the entities:
//
// | literal               | sent to Azurite                                                        |
// |-----------------------|------------------------------------------------------------------------|
// | String, Boolean       | eq, gt, ge (ne of a String would lose an Int64 with the same digits)   |
// | Int32                 | gt, ge, ne; eq as above                                                |
// | Double, plain decimal | eq, gt, ge                                                             |
// | DateTime              | eq, ge, gt as ge; of Timestamp also le, and lt as le                   |
#pragma once

#include <optional>

#include "extension/backend/backend.h"
#include "parser/odata/filter.h"

namespace table_storage::module {

/// A superset of `filter` that the service evaluates without losing a row; nullopt if it has to be left out.
/// Takes what pushdown.h makes: comparisons under and / or.
std::optional<odata::Filter> in_dialect(const odata::Filter& filter, backend::Dialect dialect);

/// What becomes of a filter whose meaning is the service's own.
struct OwnFilter {
  bool exact = true;  // the service evaluates it by the rules
  /// What can be sent so that no entity is missing: the filter itself if `exact`, else a wider one if there
  /// is any.
  std::optional<odata::Filter> superset;
};
OwnFilter own_filter_in_dialect(const odata::Filter& filter, backend::Dialect dialect);

}  // namespace table_storage::module
