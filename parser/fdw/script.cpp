// From syntax trees to statements: comments before the grammar, columns and sentences about errors after it.
#include "parser/fdw/script.h"

#include <algorithm>
#include <set>
#include <utility>

#include "parser/definition/closest.h"
#include "parser/error.h"
#include "parser/fdw/diagnosis.h"
#include "parser/fdw/grammar.h"

namespace table_storage::fdw {
namespace {

constexpr std::string_view kWrapper = "table_storage";
constexpr std::size_t kMaxColumns = 2000;  // SQLite's compiled limit, far below what would take long to check

/// The text with a blank for each byte of a comment, so that places stay what they are. PostgreSQL's comments
/// nest, SQLite's do not: here an opening one inside another counts.
std::string without_comments(std::string_view text) {
  std::string out(text);
  std::size_t i = 0;
  const auto starts = [&](std::string_view mark) { return text.substr(i).starts_with(mark); };
  while (i < text.size()) {
    if (starts("--")) {
      for (; i < text.size() && text[i] != '\n'; ++i) out[i] = ' ';
    } else if (starts("/*")) {
      const std::size_t start = i;
      std::size_t depth = 0;
      do {
        if (i >= text.size()) throw syntax_error(text, start, "the end of this comment, */");
        const bool opens = starts("/*");
        if (opens || starts("*/")) {
          depth = opens ? depth + 1 : depth - 1;
          out[i++] = ' ';
        }
        if (text[i] != '\n') out[i] = ' ';
        ++i;
      } while (depth > 0);
    } else if (const char c = text[i]; c == '\'' || c == '"' || c == '`' || c == '[') {
      // A doubled quote closes and opens again, which comes to the same. An open one is the grammar's to
      // report.
      const std::size_t closing = text.find(c == '[' ? ']' : c, i + 1);
      i = closing == std::string_view::npos ? text.size() : closing + 1;
    } else {
      ++i;
    }
  }
  return out;
}

/// Everything that the grammar leaves open in one statement.
class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  void operator()(CreateServer& s) const {
    check(s.name);
    if (!definition::equal_without_case(s.wrapper.text, kWrapper))
      throw invalid(text_, s.wrapper.position,
                    "the foreign-data wrapper is " + std::string(kWrapper) + ", not " +
                        definition::excerpt(s.wrapper.text, 40));
    check(s.options);
  }
  void operator()(AlterServer& s) const { check(s.name), check(s.options); }
  void operator()(RenameServer& s) const { check(s.name), check(s.new_name); }
  void operator()(DropServer& s) const { check_all(s.names); }
  void operator()(CreateUserMapping& s) const { check(s.server), check(s.options); }
  void operator()(AlterUserMapping& s) const { check(s.server), check(s.options); }
  void operator()(DropUserMapping& s) const { check(s.server); }

  void operator()(CreateForeignTable& s) const {
    check(s.name), check(s.server), check(s.options);
    if (s.column_texts.size() > kMaxColumns)
      throw invalid(text_, s.name.name.position,
                    s.name.name.text + " has " + std::to_string(s.column_texts.size()) +
                        " columns; SQLite allows " + std::to_string(kMaxColumns) +
                        ". What no column shows is in _properties");
    s.columns = columns(s.column_texts);
  }

  void operator()(AlterForeignTable& s) const {
    check(s.name);
    for (TableChange& change : s.changes) check(change);
  }
  void operator()(RenameForeignTable& s) const { check(s.name), check(s.new_name); }
  void operator()(RenameColumn& s) const { check(s.name), check(s.column), check(s.new_name); }
  void operator()(DropForeignTable& s) const { check_all(s.names); }
  void operator()(ImportForeignSchema& s) const {
    check(s.remote_schema), check_all(s.tables.names), check(s.server), check(s.local_schema),
        check(s.options);
  }

 private:
  void check(const Name& name) const {
    if (name.text.empty()) throw invalid(text_, name.position, "the name between the quotes is empty");
  }
  void check(const QualifiedName& object) const {
    if (object.schema.quoted) check(object.schema);
    check(object.name);
  }
  template <class AnyName>
  void check_all(const std::vector<AnyName>& names) const {
    for (const AnyName& name : names) check(name);
  }
  template <class Item>
  void check(const std::vector<Item>& items) const {
    std::set<std::string> names;
    for (const Item& item : items) {
      check(item.name);
      std::string folded = item.name.text;
      std::transform(folded.begin(), folded.end(), folded.begin(), definition::lower);
      if (!names.insert(std::move(folded)).second)
        throw invalid(text_, item.name.position,
                      "option " + definition::excerpt(item.name.text, 40) + " is given twice");
    }
  }

  void check(TableChange& change) const {
    check(change.changes);
    if (change.kind == TableChange::Kind::options) return;
    if (change.kind == TableChange::Kind::add_column) {
      change.definition = columns({change.text}).front();
      return;
    }
    check(change.column);
    if (change.kind == TableChange::Kind::column_type) change.definition = typed_column(change);
  }

  /// A type alone: read as the column that will have it, for the sake of the messages. Only the type can be
  /// wrong, and its place is in the text; the name in front of it may start before the text does, which the
  /// wrap-around of offsets undoes.
  definition::Column typed_column(const TableChange& change) const {
    std::string name = "\"";
    for (const char c : change.column.text) name += c == '"' ? std::string(2, c) : std::string(1, c);
    name += "\" ";
    definition::Column column =
        columns({{name + change.text.text, change.text.position - name.size()}}).front();
    if (!column.options.empty())
      throw invalid(text_, change.text.position,
                    "ALTER COLUMN changes the type or the options; write another ALTER COLUMN " +
                        change.column.text + " OPTIONS (...) behind a comma");
    return column;
  }

  std::vector<definition::Column> columns(const std::vector<definition::SourceText>& texts) const {
    try {
      return definition::parse_columns(texts);
    } catch (const Error& error) {
      throw invalid(text_, error.position().value_or(0), error.message());
    }
  }

  std::string_view text_;
};

struct Tags {
  std::string_view operator()(const CreateServer&) const { return "CREATE SERVER"; }
  std::string_view operator()(const AlterServer&) const { return "ALTER SERVER"; }
  std::string_view operator()(const RenameServer&) const { return "ALTER SERVER"; }
  std::string_view operator()(const DropServer&) const { return "DROP SERVER"; }
  std::string_view operator()(const CreateUserMapping&) const { return "CREATE USER MAPPING"; }
  std::string_view operator()(const AlterUserMapping&) const { return "ALTER USER MAPPING"; }
  std::string_view operator()(const DropUserMapping&) const { return "DROP USER MAPPING"; }
  std::string_view operator()(const CreateForeignTable&) const { return "CREATE FOREIGN TABLE"; }
  std::string_view operator()(const AlterForeignTable&) const { return "ALTER FOREIGN TABLE"; }
  std::string_view operator()(const RenameForeignTable&) const { return "ALTER FOREIGN TABLE"; }
  std::string_view operator()(const RenameColumn&) const { return "ALTER FOREIGN TABLE"; }
  std::string_view operator()(const DropForeignTable&) const { return "DROP FOREIGN TABLE"; }
  std::string_view operator()(const ImportForeignSchema&) const { return "IMPORT FOREIGN SCHEMA"; }
};

}  // namespace

std::vector<ScriptStatement> parse_script(std::string_view text) {
  std::vector<ScriptStatement> statements;
  try {
    statements = parse_statements(without_comments(text));
  } catch (const SyntaxError& error) {
    throw syntax_error(text, error.position, error.expected);
  }
  if (statements.empty())
    throw Error(Error::Kind::invalid, "",
                std::string("the text has no statement; expected ") + kExpectedStatement)
        .at(text.size());
  const Checker checker(text);
  for (ScriptStatement& statement : statements) std::visit(checker, statement.statement);
  return statements;
}

std::string_view command_tag(const Statement& statement) { return std::visit(Tags{}, statement); }

}  // namespace table_storage::fdw
