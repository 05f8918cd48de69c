// The members of the syntax tree in the order in which the grammar meets them. Internal to parser/fdw.
#pragma once

#include <boost/fusion/include/adapt_struct.hpp>

#include "parser/fdw/ast.h"

BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::Name, text, quoted)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::QualifiedName, schema, name)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::Option, name, value)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::OptionChange, action, name, value)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::CreateServer, if_not_exists, name, type, version, wrapper,
                          options)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::AlterServer, name, version, options)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::RenameServer, name, new_name)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::DropServer, if_exists, names, cascade)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::CreateUserMapping, if_not_exists, user, server, options)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::AlterUserMapping, user, server, options)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::DropUserMapping, if_exists, user, server)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::CreateForeignTable, if_not_exists, name, column_texts, server,
                          options)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::TableChange, kind, conditional, column, text, changes)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::AlterForeignTable, if_exists, name, changes)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::RenameForeignTable, if_exists, name, new_name)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::RenameColumn, if_exists, name, column, new_name)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::DropForeignTable, if_exists, names, cascade)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::TableSelection, kind, names)
BOOST_FUSION_ADAPT_STRUCT(table_storage::fdw::ImportForeignSchema, remote_schema, tables, server,
                          local_schema, options)
