// Whole SQL statements against the module. An input that starts with '!' is SQL as it stands; any other one
// chooses statements of sql.grammar, byte by byte, and conditions for which
//
//   SELECT count(*) FROM t WHERE condition      SELECT total((condition) IS TRUE) FROM t
//
// must agree: the first is pushed down, the second cannot be.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sql_database.h"

namespace table_storage::fuzz {
namespace {

const char* const kScript = R"(
  CREATE TABLE native(v);
  INSERT INTO native VALUES (5), ('p1'), (NULL), (2.5), ('r2'), (x'0102');
  CREATE VIRTUAL TABLE things USING table_storage(a INT64, b STRING, c DOUBLE, d BOOLEAN, e DATETIME, f GUID,
                                                  g BINARY, h ANY, "two words" STRING OPTIONS (property 'two'));
  CREATE VIRTUAL TABLE few USING table_storage(a INT32, b ANY, OPTIONS (table 'things'));
  CREATE VIRTUAL TABLE other USING table_storage(a ANY, b INT32, h DOUBLE);
  CREATE VIEW view1 AS SELECT * FROM things WHERE a > 3;
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
    INSERT INTO things(PartitionKey, RowKey, a, b, c, d, e, f, g, h)
      SELECT 'p' || (i % 3), 'r' || i, iif(i % 4, i, NULL), 'text ' || i, i / 2.0, i % 2,
             iif(i % 3, '2024-06-' || (10 + i), NULL), 'c9da6455-213d-42c9-9a79-3e9149a57833', x'0102',
             iif(i % 2, i, 'any') FROM n;
  INSERT INTO other(PartitionKey, RowKey, a, b, h)
    VALUES ('p', 'r', 'x', 5, 1), ('', '', '', 0, NULL), ('p1', 'r1', x'', -1, 9007199254740993),
           ('p1', char(65280), 2.5, NULL, 2.5), ('p1', char(128512), 7, 7, 9e999);
)";

constexpr int kDeepest = 12;
constexpr std::size_t kMostStatements = 12;
constexpr std::size_t kLongest = 20'000;

class Grammar {
 public:
  explicit Grammar(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::string rule;
    while (std::getline(file, line)) {
      if (line.empty() || line.front() == '#') continue;
      std::string alternatives = line;
      if (line.front() != ' ') {
        const std::size_t colon = line.find(':');
        rule = line.substr(0, colon);
        alternatives = line.substr(colon + 1);
      } else {
        alternatives.erase(0, alternatives.find('|') + 1);
      }
      add(rule, alternatives);
    }
    require(rules_.count("statement") == 1, "the grammar is there", path);
  }

  std::string expand(const std::string& rule, Choices& choices) const {
    std::string out;
    expand(rule, choices, 0, out);
    return out;
  }

 private:
  // " | " stands between alternatives, so that `||` can be part of one.
  void add(const std::string& rule, const std::string& text) {
    constexpr std::string_view kBar = " | ";
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(kBar, from), text.size());
      // One blank on either side belongs to the bar, others to the text.
      std::string alternative = text.substr(from, to - from);
      if (from == 0 && !alternative.empty() && alternative.front() == ' ') alternative.erase(0, 1);
      rules_[rule].push_back(alternative);
      from = to + kBar.size();
    }
  }

  void expand(const std::string& rule, Choices& choices, int depth, std::string& out) const {
    const auto found = rules_.find(rule);
    require(found != rules_.end(), "the grammar has the rule", rule);
    const std::vector<std::string>& alternatives = found->second;
    const bool ends = depth >= kDeepest || out.size() >= kLongest;
    const std::string& chosen = alternatives[ends ? 0 : choices.below(alternatives.size())];
    for (std::size_t at = 0; at < chosen.size();) {
      const std::size_t end = chosen[at] == '<' ? chosen.find('>', at) : std::string::npos;
      const std::string name = end == std::string::npos ? "" : chosen.substr(at + 1, end - at - 1);
      if (rules_.count(name) == 1) {
        expand(name, choices, depth + 1, out);
        at = end + 1;
      } else {
        out += chosen[at++];
      }
    }
  }

  std::map<std::string, std::vector<std::string>> rules_;
};

bool contains_folded(std::string_view text, std::string_view word) {
  const auto it = std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
  return it != text.end();
}

// A definition that names a service would have SQL wait for it, and a file may be endless.
bool leaves_this_process(std::string_view sql) {
  for (const std::string_view word : {"http", "development", "file:"})
    if (contains_folded(sql, word)) return true;
  return false;
}

void compare_pushdown(SqlDatabase& database, const std::string& table, const std::string& condition) {
  if (condition.find("_filter") != std::string::npos) return;  // means something in WHERE only
  const int pushed_code = database.run("SELECT count(*) FROM " + table + " WHERE " + condition);
  const std::string pushed = database.value();
  const int plain_code = database.run("SELECT CAST(total((" + condition + ") IS TRUE) AS INT) FROM " + table);
  if (pushed_code == SQLITE_OK && plain_code == SQLITE_OK) {
    require(pushed == database.value(), "pushdown does not change the answer",
            table + " WHERE " + condition + "\n" + pushed + " pushed down, " + database.value() + " without");
  }
}

}  // namespace

FUZZ_TARGET(sql) {
  static const std::vector<unsigned char> image = image_of(kScript);
  static const Grammar grammar(FUZZ_FOLDER "/sql.grammar");
  Choices choices(input);
  SqlDatabase database(image);
  database.run("CREATE VIRTUAL TABLE temp.tempthings USING table_storage(a INT64, b STRING)");
  if (input.starts_with('!')) {
    if (!leaves_this_process(input)) database.run(std::string(input.substr(1)));
    return;
  }
  for (std::size_t i = 0; i < kMostStatements && !choices.empty(); ++i) {
    if (choices.below(4) == 3) {
      compare_pushdown(database, grammar.expand("table", choices), grammar.expand("condition", choices));
    } else {
      database.run(grammar.expand("statement", choices));
    }
  }
  if (sqlite3_get_autocommit(database.handle()) == 0) database.run("COMMIT");
  database.run("SELECT *, _etag, _properties FROM things");
}

}  // namespace table_storage::fuzz
