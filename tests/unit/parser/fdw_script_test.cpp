// What statements about foreign data are read as.
#include "parser/fdw/script.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "parser/error.h"

namespace table_storage::fdw {
namespace {

template <class Kind>
Kind one(const std::string& text) {
  const auto statements = parse_script(text);
  EXPECT_EQ(statements.size(), 1U) << text;
  const Kind* found = std::get_if<Kind>(&statements.at(0).statement);
  EXPECT_NE(found, nullptr) << text;
  return found == nullptr ? Kind{} : *found;
}

TEST(FdwScript, CreateServer) {
  const auto s = one<CreateServer>(
      "CREATE SERVER IF NOT EXISTS \"my \"\"server\" TYPE 'a' VERSION \"b\" FOREIGN DATA WRAPPER "
      "Table_Storage "
      "OPTIONS (endpoint 'https://it''s', \"page_size\" \"5\"\"\")");
  EXPECT_TRUE(s.if_not_exists);
  EXPECT_EQ(s.name.name.text, "my \"server");
  EXPECT_TRUE(s.name.name.quoted);
  EXPECT_EQ(s.name.name.position, 28U);
  EXPECT_EQ(s.name.schema.text, "");
  EXPECT_EQ(s.type, "a");
  EXPECT_EQ(s.version, "b");
  ASSERT_EQ(s.options.size(), 2U);
  EXPECT_EQ(s.options[0].name.text, "endpoint");
  EXPECT_EQ(s.options[0].value, "https://it's");
  EXPECT_EQ(s.options[1].name.text, "page_size");
  EXPECT_EQ(s.options[1].value, "5\"");
}

TEST(FdwScript, CreateServerShort) {
  const auto s = one<CreateServer>("create server temp . prod foreign data wrapper table_storage;");
  EXPECT_FALSE(s.if_not_exists);
  EXPECT_EQ(s.name.schema.text, "temp");
  EXPECT_EQ(s.name.name.text, "prod");
  EXPECT_TRUE(s.options.empty());
  EXPECT_EQ(one<CreateServer>("CREATE SERVER a VERSION NULL FOREIGN DATA WRAPPER table_storage").version, "");
}

TEST(FdwScript, AlterServer) {
  using Action = OptionChange::Action;
  const auto s =
      one<AlterServer>("ALTER SERVER prod VERSION '2' OPTIONS (a '1', ADD b '2', SET c '3', DROP d)");
  EXPECT_EQ(s.name.name.text, "prod");
  EXPECT_EQ(s.version, "2");
  ASSERT_EQ(s.options.size(), 4U);
  EXPECT_EQ(s.options[0].action, Action::add);
  EXPECT_EQ(s.options[1].action, Action::add);
  EXPECT_EQ(s.options[2].action, Action::set);
  EXPECT_EQ(s.options[2].value, "3");
  EXPECT_EQ(s.options[3].action, Action::drop);
  EXPECT_EQ(s.options[3].name.text, "d");
  EXPECT_EQ(s.options[3].value, "");
  // Options may be called like the actions.
  const auto odd = one<AlterServer>("ALTER SERVER prod OPTIONS (set '1', SET add '2', DROP drop)");
  EXPECT_EQ(odd.options[0].action, Action::add);
  EXPECT_EQ(odd.options[0].name.text, "set");
  EXPECT_EQ(odd.options[1].action, Action::set);
  EXPECT_EQ(odd.options[1].name.text, "add");
  EXPECT_EQ(odd.options[2].name.text, "drop");
  EXPECT_EQ(one<RenameServer>("ALTER SERVER a.b RENAME TO c").new_name.text, "c");
}

TEST(FdwScript, DropServer) {
  const auto s = one<DropServer>("DROP SERVER IF EXISTS a, temp.b, `c d` CASCADE");
  EXPECT_TRUE(s.if_exists);
  EXPECT_TRUE(s.cascade);
  ASSERT_EQ(s.names.size(), 3U);
  EXPECT_EQ(s.names[1].schema.text, "temp");
  EXPECT_EQ(s.names[2].name.text, "c d");
  EXPECT_FALSE(one<DropServer>("DROP SERVER a RESTRICT").cascade);
  EXPECT_FALSE(one<DropServer>("DROP SERVER a").if_exists);
  // Not reserved in PostgreSQL either.
  EXPECT_EQ(one<DropServer>("DROP SERVER cascade").names[0].name.text, "cascade");
}

TEST(FdwScript, UserMappings) {
  const auto created = one<CreateUserMapping>(
      "CREATE USER MAPPING IF NOT EXISTS FOR PUBLIC SERVER s OPTIONS (account_key 'env:K')");
  EXPECT_TRUE(created.if_not_exists);
  EXPECT_EQ(created.user, User::everyone);
  EXPECT_EQ(created.server.name.text, "s");
  EXPECT_EQ(created.options.at(0).value, "env:K");
  for (const char* user : {"CURRENT_USER", "user", "CURRENT_ROLE", "session_user"})
    EXPECT_EQ(one<CreateUserMapping>(std::string("CREATE USER MAPPING FOR ") + user + " SERVER s").user,
              User::current);
  EXPECT_EQ(one<AlterUserMapping>("ALTER USER MAPPING FOR USER SERVER s OPTIONS (DROP a)").options.size(),
            1U);
  EXPECT_TRUE(one<DropUserMapping>("DROP USER MAPPING IF EXISTS FOR USER SERVER s").if_exists);
}

TEST(FdwScript, CreateForeignTable) {
  const auto s = one<CreateForeignTable>(
      "CREATE FOREIGN TABLE IF NOT EXISTS aux.\"t 1\" (\n"
      "  a TEXT, -- first, with a comma\n"
      "  \"b,)\" VARCHAR(10) OPTIONS (property 'B)'),\n"
      "  server /* a /* nested */ one */ DECIMAL(10, 2),\n"
      "  options Edm.Guid)\n"
      "SERVER prod OPTIONS (table 'T1')");
  EXPECT_TRUE(s.if_not_exists);
  EXPECT_EQ(s.name.schema.text, "aux");
  EXPECT_EQ(s.name.name.text, "t 1");
  EXPECT_EQ(s.server.text, "prod");
  EXPECT_EQ(s.options.at(0).value, "T1");
  ASSERT_EQ(s.columns.size(), 4U);
  EXPECT_EQ(s.columns[0].name, "a");
  EXPECT_EQ(s.columns[0].type, edm::Type::String);
  EXPECT_EQ(s.columns[1].name, "b,)");
  EXPECT_EQ(s.columns[1].declared_type, "VARCHAR(10)");
  EXPECT_EQ(s.columns[1].options.at(0).value, "B)");
  EXPECT_EQ(s.columns[2].name, "server");
  EXPECT_EQ(s.columns[2].type, edm::Type::Double);
  EXPECT_EQ(s.columns[3].name, "options");
  EXPECT_EQ(s.columns[3].type, edm::Type::Guid);
  EXPECT_TRUE(one<CreateForeignTable>("CREATE FOREIGN TABLE t ( ) SERVER s").columns.empty());
}

TEST(FdwScript, AlterForeignTable) {
  using Kind = TableChange::Kind;
  const auto s = one<AlterForeignTable>(
      "ALTER FOREIGN TABLE IF EXISTS main.t ADD COLUMN IF NOT EXISTS a INT OPTIONS (property 'A'), ADD b "
      "TEXT, DROP "
      "COLUMN IF EXISTS c CASCADE, DROP d, ALTER COLUMN \"e\"\"\" TYPE DOUBLE PRECISION, ALTER f SET DATA "
      "TYPE ANY, "
      "ALTER g OPTIONS (SET property 'G'), OPTIONS (DROP table)");
  EXPECT_TRUE(s.if_exists);
  EXPECT_EQ(s.name.schema.text, "main");
  ASSERT_EQ(s.changes.size(), 8U);
  EXPECT_EQ(s.changes[0].kind, Kind::add_column);
  EXPECT_TRUE(s.changes[0].conditional);
  EXPECT_EQ(s.changes[0].definition.name, "a");
  EXPECT_EQ(s.changes[0].definition.options.at(0).value, "A");
  EXPECT_FALSE(s.changes[1].conditional);
  EXPECT_EQ(s.changes[2].kind, Kind::drop_column);
  EXPECT_TRUE(s.changes[2].conditional);
  EXPECT_EQ(s.changes[2].column.text, "c");
  EXPECT_EQ(s.changes[3].column.text, "d");
  EXPECT_EQ(s.changes[4].kind, Kind::column_type);
  EXPECT_EQ(s.changes[4].definition.name, "e\"");
  EXPECT_EQ(s.changes[4].definition.type, edm::Type::Double);
  EXPECT_EQ(s.changes[4].definition.declared_type, "DOUBLE PRECISION");
  EXPECT_EQ(s.changes[5].definition.type, std::nullopt);
  EXPECT_EQ(s.changes[6].kind, Kind::column_options);
  EXPECT_EQ(s.changes[6].changes.at(0).action, OptionChange::Action::set);
  EXPECT_EQ(s.changes[7].kind, Kind::options);
  EXPECT_EQ(s.changes[7].changes.at(0).action, OptionChange::Action::drop);

  const auto column = one<RenameColumn>("ALTER FOREIGN TABLE t RENAME COLUMN a TO b");
  EXPECT_EQ(column.column.text, "a");
  EXPECT_EQ(column.new_name.text, "b");
  EXPECT_EQ(one<RenameColumn>("ALTER FOREIGN TABLE t RENAME a TO b").column.text, "a");
  EXPECT_EQ(one<RenameForeignTable>("ALTER FOREIGN TABLE IF EXISTS t RENAME TO b").new_name.text, "b");
}

TEST(FdwScript, DropForeignTable) {
  const auto s = one<DropForeignTable>("DROP FOREIGN TABLE IF EXISTS a, main.b RESTRICT");
  EXPECT_TRUE(s.if_exists);
  EXPECT_EQ(s.names.at(1).schema.text, "main");
  EXPECT_FALSE(s.cascade);
}

TEST(FdwScript, Import) {
  using Kind = TableSelection::Kind;
  auto s = one<ImportForeignSchema>(
      "IMPORT FOREIGN SCHEMA tables LIMIT TO (Devices, Order, \"from\") FROM SERVER prod INTO main OPTIONS "
      "(sample_rows "
      "'all')");
  EXPECT_EQ(s.remote_schema.text, "tables");
  EXPECT_EQ(s.tables.kind, Kind::limit_to);
  ASSERT_EQ(s.tables.names.size(), 3U);
  EXPECT_EQ(s.tables.names[1].text, "Order");
  EXPECT_EQ(s.server.text, "prod");
  EXPECT_EQ(s.local_schema.text, "main");
  EXPECT_EQ(s.options.at(0).name.text, "sample_rows");
  s = one<ImportForeignSchema>("IMPORT FOREIGN SCHEMA \"x\" EXCEPT (a) FROM SERVER \"env:X\" INTO temp");
  EXPECT_EQ(s.tables.kind, Kind::except);
  EXPECT_EQ(s.server.text, "env:X");
  EXPECT_EQ(one<ImportForeignSchema>("IMPORT FOREIGN SCHEMA t FROM SERVER s INTO main").tables.kind,
            Kind::all);
}

TEST(FdwScript, SeveralStatements) {
  const auto statements = parse_script(
      ";; DROP SERVER a;\n/* nothing */;\n  IMPORT FOREIGN SCHEMA t FROM SERVER s INTO main -- done\n;");
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(command_tag(statements[0].statement), "DROP SERVER");
  EXPECT_EQ(statements[0].position, 3U);
  EXPECT_EQ(command_tag(statements[1].statement), "IMPORT FOREIGN SCHEMA");
  EXPECT_EQ(statements[1].position, 35U);
}

TEST(FdwScript, CommentsAndQuotesHideEachOther) {
  const auto s = one<CreateServer>(
      "CREATE SERVER/**/\"a--b\"-- ' \" /*\nFOREIGN DATA WRAPPER table_storage OPTIONS (endpoint '/* not one "
      "*/ -- nor "
      "this')");
  EXPECT_EQ(s.name.name.text, "a--b");
  EXPECT_EQ(s.options.at(0).value, "/* not one */ -- nor this");
}

TEST(FdwScript, Utf8) {
  const auto s = one<DropServer>("DROP SERVER größe, \"日本\"");
  EXPECT_EQ(s.names.at(0).name.text, "größe");
  EXPECT_EQ(s.names.at(1).name.text, "日本");
}

TEST(FdwScript, Places) {
  EXPECT_EQ(place_text("abc", 2), "line 1, column 3");
  EXPECT_EQ(place_text("a\nb\nßc", 6), "line 3, column 2");
  EXPECT_EQ(place_text("a", 100), "line 1, column 2");
}

// Depth and length of a text cost neither stack nor more than a little time.
TEST(FdwScript, DeepAndHuge) {
  const std::size_t many = 200'000;
  std::string comments(2 * many, '/');
  for (std::size_t i = 1; i < comments.size(); i += 2) comments[i] = '*';
  std::string closing(2 * many, '*');
  for (std::size_t i = 1; i < closing.size(); i += 2) closing[i] = '/';
  EXPECT_EQ(one<DropServer>("DROP SERVER " + comments + closing + " a").names.size(), 1U);
  EXPECT_THROW(parse_script("DROP SERVER " + comments), Error);

  EXPECT_THROW(parse_script("CREATE FOREIGN TABLE t (a text " + std::string(many, '(')), Error);
  EXPECT_THROW(parse_script("CREATE FOREIGN TABLE t (a text " + std::string(many, '(') +
                            std::string(many, ')') + ") SERVER s"),
               Error);
  EXPECT_THROW(parse_script(std::string(many, '(')), Error);
  EXPECT_THROW(parse_script("DROP SERVER \"" + std::string(many, 'x')), Error);

  std::string statements;
  for (std::size_t i = 0; i < 20'000; ++i) statements += "DROP SERVER a;";
  EXPECT_EQ(parse_script(statements).size(), 20'000U);
  EXPECT_EQ(parse_script("DROP SERVER a" + std::string(many, ';')).size(), 1U);

  std::string options = "ALTER SERVER s OPTIONS (DROP o";
  for (std::size_t i = 0; i < 20'000; ++i) options += ", DROP o" + std::to_string(i);
  EXPECT_EQ(one<AlterServer>(options + ")").options.size(), 20'001U);

  std::string columns = "CREATE FOREIGN TABLE t (c text";
  for (std::size_t i = 0; i < 1'999; ++i) columns += ", c" + std::to_string(i) + " text";
  EXPECT_EQ(one<CreateForeignTable>(columns + ") SERVER s").columns.size(), 2'000U);
  EXPECT_THROW(parse_script(columns + ", d text) SERVER s"), Error);
}

}  // namespace
}  // namespace table_storage::fdw
