// The grammar of the statements in script.h. Internal to parser/fdw; included by grammar.cpp alone, which
// pays for the templates.
//
// Names, values and the mark of a word's end are those of parser/definition. A column is taken as text up to
// the next comma or parenthesis that is not inside others, and parser/definition reads it: so the same column
// means the same here and in CREATE VIRTUAL TABLE, and its errors are the same. What completes the sentence
// "expected …" stands at each token.
//
// Nothing here calls itself: the depth of a text costs no stack.
#pragma once

#include <utility>
#include <vector>

#include "parser/fdw/grammar.h"
#include "parser/fdw/tokens.h"

namespace table_storage::fdw::grammar {

// Every rule is a type of its own and is defined apart: one written into another would make its type, and the
// compiler's memory, grow with each use.
template <typename Id, typename Attribute = x3::unused_type>
using rule = x3::rule<Id, Attribute>;

// --- Pieces ----------------------------------------------------------------------------------------------

constexpr End end_of_statement("the end of the statement");
constexpr End end_or_options("OPTIONS (...) or the end of the statement");
constexpr End end_or_name("a comma and another name, CASCADE, RESTRICT or the end of the statement");
constexpr NameOf server_name("the name of the server");
constexpr NameOf new_name("the new name");
constexpr NameOf column_name("the name of the column", true);

const rule<struct server_class, QualifiedName> server = "the name of the server";
const auto server_def = ((server_name >> '.') > server_name) | (x3::attr(Name{}) >> server_name);
const rule<struct table_class, QualifiedName> table = "the name of the table";
constexpr NameOf table_name("the name of the table");
const auto table_def = ((table_name >> '.') > table_name) | (x3::attr(Name{}) >> table_name);

const rule<struct servers_class, std::vector<QualifiedName>> servers = "the name of the server";
const auto servers_def = (x3::eps > server) >> *(',' > server);
const rule<struct tables_class, std::vector<QualifiedName>> tables = "the name of the table";
const auto tables_def = (x3::eps > table) >> *(',' > table);

const rule<struct if_not_exists_class, bool> if_not_exists = "IF NOT EXISTS";
const auto if_not_exists_def = (keyword("if") > Word("NOT EXISTS after IF", "not") >
                                Word("EXISTS after IF NOT", "exists") > x3::attr(true)) |
                               x3::attr(false);
const rule<struct if_exists_class, bool> if_exists = "IF EXISTS";
const auto if_exists_def =
    (keyword("if") > Word("EXISTS after IF", "exists") > x3::attr(true)) | x3::attr(false);
const rule<struct cascade_class, bool> cascade = "CASCADE or RESTRICT";
const auto cascade_def =
    (keyword("cascade") >> x3::attr(true)) | (keyword("restrict") >> x3::attr(false)) | x3::attr(false);

const auto value = definition::grammar::value;
constexpr NameOf option_name("the name of an option", true);
constexpr Mark open("(name 'value')", '(');
constexpr Mark close(kExpectedOptionEnd, ')');
const rule<struct option_class, Option> option = "an option (name 'value')";
const auto option_def = option_name > value;
const rule<struct options_list_class, std::vector<Option>> options_list = "OPTIONS (...)";
const auto options_list_def = ((keyword("options") > open > option) >> *(',' > option)) > close;
/// What ends most statements.
const rule<struct options_class, std::vector<Option>> options = "OPTIONS (...)";
const auto options_def =
    (options_list > end_of_statement) | (x3::attr(std::vector<Option>{}) > end_or_options);

using Action = OptionChange::Action;
// An option may be called set: then its value follows.
const rule<struct drop_class, Action> drop = "DROP";
const auto drop_def = keyword("drop") >> !x3::lit('\'') >> x3::attr(Action::drop);
const rule<struct put_class, Action> put = "ADD or SET";
const auto put_def = (keyword("add") >> !x3::lit('\'') >> x3::attr(Action::add)) |
                     (keyword("set") >> !x3::lit('\'') >> x3::attr(Action::set)) | x3::attr(Action::add);
const rule<struct change_class, OptionChange> change = "ADD, SET or DROP and an option";
const auto change_def = (drop > option_name > x3::attr(std::string())) | (put > option_name > value);
const rule<struct changes_class, std::vector<OptionChange>> changes = "OPTIONS (...)";
const auto changes_def = ((keyword("options") > open > change) >> *(',' > change)) > close;
const auto no_changes = x3::attr(std::vector<OptionChange>{});

const rule<struct user_class, User> user = kExpectedUser;
const auto user_def =
    ((keyword("current_user") | keyword("user") | keyword("current_role") | keyword("session_user")) >>
     x3::attr(User::current)) |
    (keyword("public") >> x3::attr(User::everyone));

// --- Servers ---------------------------------------------------------------------------------------------

const rule<struct type_class, std::string> type = "TYPE";
const auto type_def = (keyword("type") > value) | x3::attr(std::string());
const rule<struct version_value_class, std::string> version_value = "the version in quotes, or NULL";
const auto version_value_def = (keyword("null") >> x3::attr(std::string())) | value;
const rule<struct version_class, std::string> version = "VERSION";
const auto version_def = (keyword("version") > version_value) | x3::attr(std::string());

const rule<struct create_server_class, CreateServer> create_server = "CREATE SERVER";
const auto create_server_def = keyword("server") > if_not_exists > server > type > version >
                               Word("TYPE, VERSION or FOREIGN DATA WRAPPER table_storage", "foreign") >
                               Word("DATA WRAPPER table_storage", "data") >
                               Word("WRAPPER table_storage", "wrapper") > NameOf("table_storage") > options;

const rule<struct alter_server_class, AlterServer> alter_server = "ALTER SERVER";
const auto alter_server_def = (keyword("server") >> server >> &(keyword("version") | keyword("options"))) >>
                              version >> ((changes > end_of_statement) | (no_changes > end_or_options));

const rule<struct rename_server_class, RenameServer> rename_server = "ALTER SERVER";
const auto rename_server_def = keyword("server") > server > Word(kExpectedServerChange, "rename") >
                               Word("TO and the new name", "to") > new_name > end_of_statement;

const rule<struct drop_server_class, DropServer> drop_server = "DROP SERVER";
const auto drop_server_def = keyword("server") > if_exists > servers > cascade > end_or_name;

// --- User mappings ---------------------------------------------------------------------------------------

constexpr Word mapping("MAPPING after USER", "mapping");
constexpr Word for_("FOR", "for");
constexpr Word on_server("SERVER and its name", "server");

const rule<struct create_mapping_class, CreateUserMapping> create_mapping = "CREATE USER MAPPING";
const auto create_mapping_def =
    keyword("user") > mapping > if_not_exists > for_ > user > on_server > server > options;
const rule<struct alter_mapping_class, AlterUserMapping> alter_mapping = "ALTER USER MAPPING";
const auto alter_mapping_def = keyword("user") > mapping > for_ > user > on_server > server >
                               Word("OPTIONS (...)", "options", true) > changes > end_of_statement;
const rule<struct drop_mapping_class, DropUserMapping> drop_mapping = "DROP USER MAPPING";
const auto drop_mapping_def =
    keyword("user") > mapping > if_exists > for_ > user > on_server > server > end_of_statement;

// --- Foreign tables --------------------------------------------------------------------------------------

constexpr Word table_word(kExpectedTable, "table");
constexpr ColumnText column_text("a column (name and type)");
constexpr ColumnText type_text("the type of the column");

const rule<struct columns_class, std::vector<definition::SourceText>> columns = "( and the columns";
const auto columns_def = Mark("( and the columns", '(') >
                         ((&x3::lit(')') >> x3::attr(std::vector<definition::SourceText>{})) |
                          ((x3::eps > column_text) >> *(',' > column_text))) >
                         Mark("a comma or ) after the column", ')');
const rule<struct create_table_class, CreateForeignTable> create_table = "CREATE FOREIGN TABLE";
const auto create_table_def =
    keyword("foreign") > table_word > if_not_exists > table > columns > on_server > server_name > options;

using Kind = TableChange::Kind;
const auto no_name = x3::attr(Name{});
const auto no_text = x3::attr(definition::SourceText{});
const auto column_word = x3::omit[-keyword("column")];

const rule<struct add_column_class, TableChange> add_column = "ADD COLUMN";
const auto add_column_def = (keyword("add") >> column_word >> x3::attr(Kind::add_column)) > if_not_exists >
                            no_name > column_text > no_changes;
const rule<struct drop_column_class, TableChange> drop_column = "DROP COLUMN";
const auto drop_column_def = (keyword("drop") >> column_word >> x3::attr(Kind::drop_column)) > if_exists >
                             column_name > no_text > no_changes > x3::omit[cascade];
const rule<struct column_type_class, TableChange> column_type = "ALTER COLUMN";
const auto column_type_def =
    (keyword("alter") >> column_word >> x3::attr(Kind::column_type) >> x3::attr(false) >> column_name >>
     x3::omit[-(keyword("set") >> keyword("data"))] >> keyword("type")) > type_text > no_changes;
const rule<struct column_options_class, TableChange> column_options = "ALTER COLUMN";
const auto column_options_def = (keyword("alter") >> column_word >> x3::attr(Kind::column_options) >>
                                 x3::attr(false)) > column_name > no_text >
                                Word(kExpectedColumnChange, "options", true) > changes;
const rule<struct table_options_class, TableChange> table_options = "OPTIONS (...)";
const auto table_options_def = x3::attr(Kind::options) >> x3::attr(false) >> no_name >> no_text >> changes;
const rule<struct table_change_class, TableChange> table_change = kExpectedTableChange;
const auto table_change_def = add_column | drop_column | column_type | column_options | table_options;
const rule<struct table_changes_class, std::vector<TableChange>> table_changes = kExpectedTableChange;
const auto table_changes_def = (x3::eps > table_change) >> *(',' > table_change);

const auto only = x3::omit[-keyword("only")];
const rule<struct alter_table_class, AlterForeignTable> alter_table = "ALTER FOREIGN TABLE";
const auto alter_table_def = (keyword("foreign") > table_word) > if_exists > only > table > table_changes >
                             End("a comma and another action, or the end of the statement");
const rule<struct rename_table_class, RenameForeignTable> rename_table = "ALTER FOREIGN TABLE";
const auto rename_table_def = (keyword("foreign") >> keyword("table") >> if_exists >> only >> table >>
                               keyword("rename") >> keyword("to")) > new_name > end_of_statement;
const rule<struct rename_column_class, RenameColumn> rename_column = "ALTER FOREIGN TABLE";
const auto rename_column_def = (keyword("foreign") >> keyword("table") >> if_exists >> only >> table >>
                                keyword("rename")) > column_word > column_name >
                               Word("TO and the new name", "to") > new_name > end_of_statement;

const rule<struct drop_table_class, DropForeignTable> drop_table = "DROP FOREIGN TABLE";
const auto drop_table_def = keyword("foreign") > table_word > if_exists > tables > cascade > end_or_name;

// --- Import ----------------------------------------------------------------------------------------------

using Selection = TableSelection::Kind;
constexpr NameOf imported_name("the name of a table of the service", true);
const rule<struct imported_names_class, std::vector<Name>> imported_names = "( and names of tables";
const auto imported_names_def = ((Mark("( and names of tables", '(') > imported_name) >>
                                 *(',' > imported_name)) > Mark("a comma or ) after the name", ')');
const rule<struct selection_class, TableSelection> selection = "LIMIT TO (...) or EXCEPT (...)";
const auto selection_def =
    (keyword("limit") > Word("TO after LIMIT", "to") > x3::attr(Selection::limit_to) > imported_names) |
    (keyword("except") > x3::attr(Selection::except) > imported_names) |
    (x3::attr(Selection::all) >> x3::attr(std::vector<Name>{}));
const rule<struct import_class, ImportForeignSchema> import_schema = "IMPORT FOREIGN SCHEMA";
const auto import_schema_def = keyword("import") > Word("FOREIGN SCHEMA after IMPORT", "foreign") >
                               Word("SCHEMA after FOREIGN", "schema") >
                               NameOf("the name of the foreign schema, such as tables,") > selection >
                               Word("LIMIT TO, EXCEPT or FROM SERVER", "from") >
                               Word("SERVER after FROM", "server") > server_name >
                               Word("INTO and the name of a schema", "into") >
                               NameOf("the name of a schema") > options;

// --- Scripts ---------------------------------------------------------------------------------------------

struct Statements;  // in the context, std::vector<ScriptStatement>: what has been read

/// A statement begins; then, it is read. What fails in between ends the parse, so none stays half read.
const auto begin = [](auto& context) {
  const char* at = x3::_where(context).begin();
  const char* const end = x3::_where(context).end();
  while (at != end && static_cast<unsigned char>(*at) <= ' ') ++at;
  x3::get<Statements>(context).push_back({{}, offset(context, at)});
};
const auto keep = [](auto& context) {
  x3::get<Statements>(context).back().statement = std::move(x3::_attr(context));
};

const rule<struct created_class> created = kExpectedCreate;
const auto created_def = create_server[keep] | create_mapping[keep] | create_table[keep];
const rule<struct altered_class> altered = kExpectedAlter;
const auto altered_def = alter_server[keep] | rename_server[keep] | alter_mapping[keep] | rename_table[keep] |
                         rename_column[keep] | alter_table[keep];
const rule<struct dropped_class> dropped = kExpectedDrop;
const auto dropped_def = drop_server[keep] | drop_mapping[keep] | drop_table[keep];
const rule<struct statement_class> statement = kExpectedStatement;
const auto statement_def = (keyword("create") > created) | (keyword("alter") > altered) |
                           (keyword("drop") > dropped) | import_schema[keep];
const rule<struct script_class> script = kExpectedStatement;
const auto script_def = *x3::lit(';') > *((!x3::eoi >> x3::eps[begin]) > statement >
                                          End("; before the next statement") > *x3::lit(';'));

BOOST_SPIRIT_DEFINE(server, table, servers, tables, if_not_exists, if_exists, cascade, option, options_list,
                    options, drop, put, change, changes, user, type, version_value, version, create_server,
                    alter_server, rename_server, drop_server, create_mapping, alter_mapping, drop_mapping)
BOOST_SPIRIT_DEFINE(columns, create_table, add_column, drop_column, column_type, column_options,
                    table_options, table_change, table_changes, alter_table, rename_table, rename_column,
                    drop_table, imported_names, selection, import_schema, created, altered, dropped,
                    statement, script)

}  // namespace table_storage::fdw::grammar
