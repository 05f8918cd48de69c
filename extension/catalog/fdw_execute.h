// Running PostgreSQL's statements about foreign data (parser/fdw/script.h says which).
//
// All statements of one text are a whole: they run in a savepoint, and the first that fails undoes those
// before it. (Interrupted or out of memory, SQLite runs nothing more in which a part could be undone: then
// the whole transaction is rolled back, as it is around an interrupted UPDATE.) What they make are rows of
// ordinary tables (servers, user mappings) and virtual tables, so SQLite's own journal undoes it, also when
// the transaction around is rolled back later. What is in memory needs no undoing: a secret that a rolled
// back user mapping had is named by no row any more and is wiped (user_mapping.h).
//
// A schema in front of the name of a server or a table is main, temp or an attached database. Without one,
// CREATE means main; other statements look for tables in temp, main and the attached databases, as SQLite
// does, and for servers in main, temp and the attached databases, since main is where they usually are.
//
// The connection's thread only.
#pragma once

#include <string>
#include <string_view>

#include "extension/catalog/connection.h"

namespace table_storage::catalog {

/// Runs a text of one or more statements and returns the command tag of the last one, as a client of
/// PostgreSQL sees last: "CREATE SERVER". A statement that finds nothing to do because of IF [NOT] EXISTS has
/// its tag too. Throws Error: syntax with line and column, before anything has run; and whatever is wrong
/// with a statement, with its number and line where there are several. No secret is ever in it.
std::string_view execute_fdw(Connection& connection, std::string_view text);

}  // namespace table_storage::catalog
