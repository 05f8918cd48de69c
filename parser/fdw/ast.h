// Syntax tree of PostgreSQL's statements about foreign data, as far as SQLite has a use for them.
//
// Plain data without Spirit. Names are as written, quotes removed; they compare without case, as SQLite's do,
// so unquoted ones are not folded. Positions are byte offsets in the text that was parsed. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "parser/definition/table_definition.h"

namespace table_storage::fdw {

struct Name {
  std::string text;  // never empty, except where a name may be left out
  bool quoted = false;
  std::size_t position = 0;
};

/// [schema.]name of a table or a server; an empty schema is not given.
struct QualifiedName {
  Name schema;
  Name name;
};

/// name 'value'
struct Option {
  Name name;
  std::string value;
};

/// [ADD | SET | DROP] name ['value']; a bare one is an ADD, as in PostgreSQL.
struct OptionChange {
  enum class Action : unsigned char { add, set, drop };
  Action action = Action::add;
  Name name;
  std::string value;  // empty for DROP
};

/// CURRENT_USER, USER, CURRENT_ROLE and SESSION_USER are the same in SQLite, which has no roles.
enum class User : unsigned char { current, everyone };

struct CreateServer {
  bool if_not_exists = false;
  QualifiedName name;
  std::string type;     // empty: not given
  std::string version;  // empty: not given
  Name wrapper;         // always table_storage
  std::vector<Option> options;
};

/// VERSION or OPTIONS or both; an empty version is not given.
struct AlterServer {
  QualifiedName name;
  std::string version;
  std::vector<OptionChange> options;
};

struct RenameServer {
  QualifiedName name;
  Name new_name;
};

struct DropServer {
  bool if_exists = false;
  std::vector<QualifiedName> names;
  bool cascade = false;
};

struct CreateUserMapping {
  bool if_not_exists = false;
  User user = User::current;
  QualifiedName server;
  std::vector<Option> options;
};

struct AlterUserMapping {
  User user = User::current;
  QualifiedName server;
  std::vector<OptionChange> options;
};

struct DropUserMapping {
  bool if_exists = false;
  User user = User::current;
  QualifiedName server;
};

struct CreateForeignTable {
  bool if_not_exists = false;
  QualifiedName name;
  std::vector<definition::SourceText> column_texts;  // as written, without comments
  Name server;
  std::vector<Option> options;
  std::vector<definition::Column> columns;  // what column_texts say
};

/// One action of ALTER FOREIGN TABLE.
struct TableChange {
  enum class Kind : unsigned char {
    add_column,      ///< ADD [COLUMN] [IF NOT EXISTS] definition
    drop_column,     ///< DROP [COLUMN] [IF EXISTS] column
    column_type,     ///< ALTER [COLUMN] column [SET DATA] TYPE type; `definition` has name and type
    column_options,  ///< ALTER [COLUMN] column OPTIONS (…)
    options          ///< OPTIONS (…)
  };
  Kind kind = Kind::options;
  bool conditional = false;            // IF [NOT] EXISTS
  Name column;                         // not for add_column and options
  definition::SourceText text;         // of the definition or the type, as written
  std::vector<OptionChange> changes;   // for column_options and options
  definition::Column definition = {};  // what `text` says
};

struct AlterForeignTable {
  bool if_exists = false;
  QualifiedName name;
  std::vector<TableChange> changes;
};

struct RenameForeignTable {
  bool if_exists = false;
  QualifiedName name;
  Name new_name;
};

struct RenameColumn {
  bool if_exists = false;
  QualifiedName name;
  Name column;
  Name new_name;
};

struct DropForeignTable {
  bool if_exists = false;
  std::vector<QualifiedName> names;
  bool cascade = false;
};

/// Which tables of the service: all of them, LIMIT TO (names) or EXCEPT (names).
struct TableSelection {
  enum class Kind : unsigned char { all, limit_to, except };
  Kind kind = Kind::all;
  std::vector<Name> names;  // for limit_to and except
};

struct ImportForeignSchema {
  Name remote_schema;  // any name: a service has no schemas
  TableSelection tables;
  Name server;
  Name local_schema;  // main, temp or an attached database
  std::vector<Option> options;
};

using Statement = std::variant<CreateServer, AlterServer, RenameServer, DropServer, CreateUserMapping,
                               AlterUserMapping, DropUserMapping, CreateForeignTable, AlterForeignTable,
                               RenameForeignTable, RenameColumn, DropForeignTable, ImportForeignSchema>;

struct ScriptStatement {
  Statement statement;
  std::size_t position = 0;  // of its first word
};

}  // namespace table_storage::fdw
