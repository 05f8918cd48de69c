// xUpdate: one row of INSERT, UPDATE or DELETE as an operation on an entity.
//
// INSERT: NULL means "no such property". UPDATE sends what changed: a column that was not assigned, or is
// assigned what it shows, is left alone, so that writing back what was read loses nothing, not even a value
// of another type, which reads NULL. Else NULL removes the property, and a new value keeps the property's
// stored Edm type where it fits. `_properties` replaces all properties by those of the JSON object. A change
// of a key inserts the entity under the new keys and removes the old one. Timestamp is made by the service:
// INSERT ignores it, UPDATE refuses it.
#pragma once

#include <cstdint>

#include "extension/module/foreign_table.h"
#include "extension/sqlite.h"

namespace table_storage::module {

/// The arguments of xUpdate. Sets *rowid for an insert.
void write_row(ForeignTable& table, int argc, sqlite3_value** argv, sqlite3_int64* rowid);

}  // namespace table_storage::module
