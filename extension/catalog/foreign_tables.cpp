#include "extension/catalog/foreign_tables.h"

#include <memory>
#include <new>
#include <utility>

#include "extension/backend/local/statement.h"
#include "extension/catalog/infer.h"
#include "extension/sql_values.h"
#include "parser/definition/closest.h"
#include "parser/error.h"

namespace table_storage::catalog {

using backend::local::next_row;
using backend::local::Statement;
using backend::local::throw_storage_error;

namespace {

constexpr const char* kModule = "table_storage";

Statement prepare(sqlite3* db, const std::string& sql, const std::string& what) {
  Statement statement;
  const int rc = statement.prepare(db, sql);
  if (rc != SQLITE_OK) throw_storage_error(db, rc, what);
  return statement;
}

/// Cuts CREATE VIRTUAL TABLE texts into arguments by letting SQLite do it: in a database of its own, whose
/// module of the name only notes what it is given.
class ArgumentReader {
 public:
  /// None if the text makes a table of another module, or none at all.
  std::optional<std::vector<std::string>> read(const std::string& sql) {
    open();
    arguments_.reset();
    Statement statement;
    int rc = statement.prepare(db_.get(), sql);
    // The module refuses to make the table, so that the next text finds none of its name.
    if (rc == SQLITE_OK && statement) rc = sqlite3_step(statement.get());
    // A table that could not be read must not pass for one of another module.
    if ((rc & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
    return arguments_;
  }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };

  void open() {
    if (db_) return;
    sqlite3* db = nullptr;
    const int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    std::unique_ptr<sqlite3, Close> opened(db);
    if (rc == SQLITE_NOMEM) throw std::bad_alloc();
    if (rc != SQLITE_OK)
      throw Error(Error::Kind::storage, "", std::string("reading the schema: ") + sqlite3_errstr(rc))
          .native(rc);
    static const sqlite3_module kNotes = [] {
      sqlite3_module module{};
      module.xCreate = module.xConnect = note;
      // SQLite wants them to be there, and never calls them, since note() makes no table.
      module.xDestroy = module.xDisconnect = [](sqlite3_vtab*) { return SQLITE_OK; };
      return module;
    }();
    if (sqlite3_create_module(db, kModule, &kNotes, this) != SQLITE_OK) throw std::bad_alloc();
    // The text comes from the file: nothing but a table of this module is to be made of it.
    sqlite3_set_authorizer(
        db,
        [](void*, int action, const char*, const char* module, const char*, const char*) {
          if (action != SQLITE_CREATE_VTABLE)
            return action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_READ ? SQLITE_OK
                                                                                               : SQLITE_DENY;
          return module != nullptr && definition::equal_without_case(module, kModule) ? SQLITE_OK
                                                                                      : SQLITE_DENY;
        },
        nullptr);
    db_ = std::move(opened);
  }

  static int note(sqlite3*, void* self, int argc, const char* const* argv, sqlite3_vtab**, char**) {
    try {
      static_cast<ArgumentReader*>(self)->arguments_.emplace(argv + 3, argv + argc);
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    }
    return SQLITE_ERROR;
  }

  std::unique_ptr<sqlite3, Close> db_;
  std::optional<std::vector<std::string>> arguments_;
};

/// temp has a schema table of another name in old versions; this one is understood by all.
std::string schema_table(const std::string& schema) {
  const bool temp = definition::equal_without_case(schema, "temp");
  return identifier_text(schema) + (temp ? ".sqlite_temp_master" : ".sqlite_master");
}

Relation relation_at(sqlite3_stmt* row, ArgumentReader& reader) {
  Relation relation{text_at(row, 0), text_at(row, 1), std::nullopt};
  if (relation.type == "table" && sqlite3_column_int64(row, 2) == 0)
    relation.arguments = reader.read(text_at(row, 3));
  return relation;
}

}  // namespace

std::optional<Relation> find_relation(sqlite3* db, const std::string& schema, const std::string& name) {
  const std::string what = "looking for " + name + " in schema " + schema;
  const Statement rows = prepare(db,
                                 "SELECT name, type, rootpage, sql FROM " + schema_table(schema) +
                                     " WHERE name = ?1 COLLATE NOCASE AND type <> 'trigger'",
                                 what);
  backend::local::bind_text(rows.get(), 1, name);
  if (!next_row(rows.get(), what)) return std::nullopt;
  ArgumentReader reader;
  return relation_at(rows.get(), reader);
}

std::vector<Relation> foreign_tables(sqlite3* db, const std::string& schema) {
  const std::string what = "reading schema " + schema;
  const Statement rows = prepare(db,
                                 "SELECT name, type, rootpage, sql FROM " + schema_table(schema) +
                                     " WHERE type = 'table' AND rootpage = 0 ORDER BY name COLLATE NOCASE",
                                 what);
  std::vector<Relation> tables;
  ArgumentReader reader;
  while (next_row(rows.get(), what)) {
    Relation relation = relation_at(rows.get(), reader);
    if (relation.is_foreign()) tables.push_back(std::move(relation));
  }
  return tables;
}

std::vector<std::string> schemas(sqlite3* db) {
  std::vector<std::string> names{"main", "temp"};
  const std::string what = "listing the schemas";
  const Statement rows = prepare(db, "PRAGMA database_list", what);
  while (next_row(rows.get(), what)) {
    std::string name = text_at(rows.get(), 1);
    if (name != "main" && name != "temp") names.push_back(std::move(name));
  }
  return names;
}

std::string entity_table_of(const definition::TableDefinition& definition, const std::string& name) {
  for (const definition::Option& option : definition.options) {
    if (definition::equal_without_case(option.name, "table")) return option.value;
  }
  return name;
}

}  // namespace table_storage::catalog
