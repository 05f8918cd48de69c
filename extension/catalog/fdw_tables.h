// The statements about foreign tables. Altering one makes it anew with the changed definition: entities are
// not the table's and stay where they are.
//
// Whoever calls holds a savepoint. The connection's thread only; everything throws Error.
#pragma once

#include <string>

#include "extension/catalog/connection.h"
#include "extension/catalog/fdw_names.h"
#include "parser/fdw/ast.h"

namespace table_storage::catalog {

void create_foreign_table(Connection& connection, const fdw::CreateForeignTable& statement);
void alter_foreign_table(Connection& connection, const fdw::AlterForeignTable& statement);
/// The table goes on showing the same entity table.
void rename_foreign_table(Connection& connection, const fdw::RenameForeignTable& statement);
/// The column goes on showing the same property.
void rename_foreign_column(Connection& connection, const fdw::RenameColumn& statement);
void drop_foreign_tables(Connection& connection, const fdw::DropForeignTable& statement);

/// DROP TABLE, of the mapping alone. Refused while writes of the open transaction wait to be sent through it.
void drop_foreign_table(Connection& connection, const ForeignTableText& table);
/// Drops the table and makes it again with another definition.
void remake_foreign_table(Connection& connection, const ForeignTableText& table,
                          const definition::TableDefinition& definition);

}  // namespace table_storage::catalog
