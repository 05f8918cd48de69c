// From syntax trees to a definition: everything that needs the list of types or several arguments at once.
#include "parser/definition/table_definition.h"

#include <array>
#include <string>
#include <utility>
#include <variant>

#include "parser/definition/closest.h"
#include "parser/definition/column_types.h"
#include "parser/definition/grammar.h"
#include "parser/error.h"

namespace table_storage::definition {
namespace {

constexpr std::size_t kQuotedArgument = 60;  // bytes of an argument that a message repeats
constexpr std::size_t kQuotedRest = 24;

struct GivenName {
  std::string_view name;
  std::string_view what;
};
constexpr std::array kGivenNames{
    GivenName{"PartitionKey", "a key of every table"},
    GivenName{"RowKey", "a key of every table"},
    GivenName{"Timestamp", "a column of every table"},
    GivenName{"_etag", "a hidden column of every table"},
    GivenName{"_properties", "a hidden column of every table"},
    GivenName{"_filter", "a hidden column of every table"},
    GivenName{"rowid", "SQLite's name for the identity of a row"},
};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

/// Reads the arguments one after the other into a definition; or columns of another statement.
class Reader {
 public:
  explicit Reader(const std::vector<std::string>& arguments) : texts_(arguments.begin(), arguments.end()) {}
  explicit Reader(const std::vector<SourceText>& columns) : columns_(&columns) {
    for (const SourceText& column : columns) texts_.push_back(column.text);
  }

  TableDefinition read() {
    for (index_ = 0; index_ < texts_.size(); ++index_) {
      try {
        if (columns_ != nullptr)
          take(parse_column(text()));
        else
          std::visit([this](auto&& clause) { take(std::forward<decltype(clause)>(clause)); }, parse());
      } catch (const SyntaxError& error) {
        explain(error);
      }
    }
    return std::move(definition_);
  }

 private:
  using Clause = std::variant<ast::ServerClause, ast::OptionsClause, ast::ColumnClause>;

  std::string_view text() const { return texts_[index_]; }
  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - text().data()); }

  Clause parse() const {
    ast::Argument argument = parse_argument(text());
    return boost::apply_visitor([](auto& clause) { return Clause(std::move(clause)); }, argument.var);
  }

  [[noreturn]] void fail(const char* at, const std::string& what) const {
    if (columns_ != nullptr)
      throw Error(Error::Kind::invalid, "", what).at((*columns_)[index_].position + offset(at));
    throw Error(Error::Kind::invalid, "",
                "argument " + std::to_string(index_ + 1) + " of table_storage(), `" +
                    excerpt(text(), kQuotedArgument) + "`: " + what)
        .at(offset(at));
  }

  /// A sentence about text that the grammar could not read.
  [[noreturn]] void explain(const SyntaxError& error) const {
    if (is_blank(text())) fail(error.at, "the argument is empty; there is a comma too many");
    const std::string_view rest = text().substr(offset(error.at));
    const bool type_missing = error.expected == kExpectedType;
    if (const std::string constraint = constraint_at(rest);
        !constraint.empty() &&
        (type_missing || error.expected == kExpectedColumn || error.expected == kExpectedColumnEnd))
      fail(error.at, constraint +
                         " is refused: entities have no column constraints, any property may be missing. "
                         "The primary key is (PartitionKey, RowKey) and comes by itself");
    std::string what = "expected " + error.expected;
    if (columns_ != nullptr) {
      what = "expected " + (error.expected == kExpectedColumnEnd ? "OPTIONS (...) or the end of the column"
                                                                 : error.expected);
      // Nothing in quotes: arguments have been searched for secrets before, other statements have not.
      const std::string_view shown = rest.substr(0, rest.find_first_of("'\"`["));
      if (rest.empty())
        what += " at the end of the column";
      else if (!shown.empty() && error.expected != kExpectedValue)
        what += " before `" + excerpt(shown, kQuotedRest) + "`";
    } else {
      what += rest.empty() ? " at the end" : " before `" + excerpt(rest, kQuotedRest) + "`";
    }
    if (type_missing && !rest.empty() && rest[0] == '=')
      what += ". An option is written OPTIONS (name 'value'), a column name TYPE";
    else if (type_missing)
      what += ". Types are " + column_type_choices();
    if (error.expected == kExpectedValue) what += ", as in OPTIONS (table 'DeviceReadings')";
    if (columns_ != nullptr) fail(error.at, what);
    if (starts_with_word(trimmed(), "server"))
      what += ". If a column was meant, quote its name: \"SERVER\" STRING";
    if (error.expected == kExpectedOptions && starts_with_word(trimmed(), "options"))
      what += ". If a column was meant, quote its name: \"OPTIONS\" STRING";
    fail(error.at, what);
  }

  std::string_view trimmed() const {
    const std::size_t start = text().find_first_not_of(" \t\r\n\f\v");
    return start == std::string_view::npos ? std::string_view() : text().substr(start);
  }

  void take(ast::ServerClause name) {
    if (name.text.empty()) fail(name.at, "the name of the server is empty");
    // Reads as a server called STRING, and was hardly meant so.
    if (!name.quoted && column_type(name.text))
      fail(name.at, "this reads as the server named " + name.text +
                        ". For a column named SERVER write \"SERVER\" " + name.text +
                        "; for a server of that name write SERVER \"" + name.text + "\"");
    if (definition_.server)
      fail(name.at, "SERVER is given twice, first as " + *definition_.server + "; a table is on one server");
    definition_.server = std::move(name.text);
  }

  void take(ast::OptionsClause clause) { take_options(std::move(clause), definition_.options, "the table"); }

  void take(ast::ColumnClause clause) {
    check_name(clause.name);
    Column column;
    column.type = type_of(clause);
    column.declared_type = declared(clause.type);
    column.name = std::move(clause.name.text);
    take_options(std::move(clause.options), column.options, "column " + column.name);
    definition_.columns.push_back(std::move(column));
  }

  void check_name(const ast::Name& name) const {
    if (name.text.empty()) fail(name.at, "the name of the column is empty");
    for (const GivenName& given : kGivenNames)
      if (equal_without_case(given.name, name.text))
        fail(name.at, std::string(given.name) + " is " + std::string(given.what) +
                          " and exists without being declared. Leave it out");
    for (const Column& other : definition_.columns)
      if (equal_without_case(other.name, name.text))
        fail(name.at,
             "there is a column " + other.name +
                 " already, and SQL names do not tell upper from lower case. Two properties whose names "
                 "differ in case need two column names: OPTIONS (property '" +
                 name.text + "') says which property a column shows");
  }

  std::optional<edm::Type> type_of(const ast::ColumnClause& clause) const {
    const ast::TypeName& type = clause.type;
    const std::string name = type.name.text + (type.precision ? " PRECISION" : "");
    const auto known = column_type(name);
    // Edm. belongs to the eight names of the service, not to SQL's.
    if (known && (!type.edm_prefix || (*known && equal_without_case("Edm." + name, edm::name_of(**known)))))
      return *known;
    const std::string_view near = closest_column_type(name);
    fail(type.name.at, "column " + clause.name.text + " has the unknown type " +
                           (type.edm_prefix ? "Edm." : "") + excerpt(name, kQuotedRest) +
                           (near.empty() ? std::string() : "; did you mean " + std::string(near) + "?") +
                           (near.empty() ? ". Types are " : " Types are ") + column_type_choices());
  }

  /// As written, less what CREATE TABLE would not take: quotes, the prefix Edm., (MAX), comments.
  static std::string declared(const ast::TypeName& type) {
    std::string out = type.name.text;
    if (type.precision) out += " PRECISION";
    if (type.lengths.empty() || type.lengths[0] == "MAX") return out;
    out += '(' + type.lengths[0];
    if (type.lengths.size() > 1 && type.lengths[1] != "MAX") out += ',' + type.lengths[1];
    return out + ')';
  }

  void take_options(std::vector<ast::OptionItem> items, std::vector<Option>& options,
                    const std::string& owner) const {
    for (ast::OptionItem& item : items) {
      if (item.name.text.empty()) fail(item.name.at, "the name of an option of " + owner + " is empty");
      for (const Option& other : options)
        if (equal_without_case(other.name, item.name.text))
          fail(item.name.at, "option " + item.name.text + " of " + owner + " is given twice");
      options.push_back({std::move(item.name.text), std::move(item.value), offset(item.name.at)});
    }
  }

  std::vector<std::string_view> texts_;
  const std::vector<SourceText>* columns_ = nullptr;  // null: arguments
  std::size_t index_ = 0;
  TableDefinition definition_;
};

}  // namespace

TableDefinition parse_table_definition(const std::vector<std::string>& arguments) {
  // table_storage() without arguments may arrive as one empty argument.
  if (arguments.size() == 1 && is_blank(arguments[0])) return {};
  return Reader(arguments).read();
}

std::vector<Column> parse_columns(const std::vector<SourceText>& columns) {
  return Reader(columns).read().columns;
}

}  // namespace table_storage::definition
