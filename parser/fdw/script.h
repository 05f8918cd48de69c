// PostgreSQL's statements about foreign data: text to syntax tree.
//
//   CREATE SERVER [IF NOT EXISTS] name [TYPE '…'] [VERSION '…'] FOREIGN DATA WRAPPER table_storage [OPTIONS
//   …] ALTER SERVER name [VERSION '…'] [OPTIONS …]          ALTER SERVER name RENAME TO name DROP SERVER [IF
//   EXISTS] name, … [CASCADE | RESTRICT] CREATE USER MAPPING [IF NOT EXISTS] FOR user SERVER name [OPTIONS …]
//   ALTER USER MAPPING FOR user SERVER name OPTIONS …    DROP USER MAPPING [IF EXISTS] FOR user SERVER name
//   CREATE FOREIGN TABLE [IF NOT EXISTS] [schema.]name (column type [OPTIONS …], …) SERVER name [OPTIONS …]
//   ALTER FOREIGN TABLE [IF EXISTS] [schema.]name action, …
//   ALTER FOREIGN TABLE [IF EXISTS] [schema.]name RENAME [COLUMN name] TO name
//   DROP FOREIGN TABLE [IF EXISTS] [schema.]name, … [CASCADE | RESTRICT]
//   IMPORT FOREIGN SCHEMA name [LIMIT TO (name, …) | EXCEPT (name, …)] FROM SERVER name INTO schema [OPTIONS
//   …]
//
// Source of the forms: the reference pages of PostgreSQL 15. What differs on purpose: an option's value may
// stand in double quotes too; names may stand in backticks or brackets, as in SQLite; column types are those
// of the service (parser/definition); there are no roles, owners, constraints and inheritance. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/fdw/ast.h"

namespace table_storage::fdw {

/// Reads a whole text of one or more statements with `;` between them; empty ones count for nothing. Comments
/// are those of SQL: -- to the end of the line, /* */ nested. Throws Error(invalid) that says line and
/// column, what was expected there, and which word was probably meant; its position() is a byte offset.
std::vector<ScriptStatement> parse_script(std::string_view text);

/// PostgreSQL's name for what a statement did: "CREATE SERVER", "IMPORT FOREIGN SCHEMA".
std::string_view command_tag(const Statement& statement);

/// "line 3, column 7" of a byte offset in a text; columns count characters of UTF-8 from 1.
std::string place_text(std::string_view text, std::size_t position);

}  // namespace table_storage::fdw
