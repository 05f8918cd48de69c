#include "extension/module/bytecode.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "extension/backend/local/statement.h"
#include "extension/sql_values.h"
#include "parser/error.h"

namespace table_storage::module {

using backend::local::bind_text;
using backend::local::next_row;
using backend::local::Statement;

namespace {

constexpr const char* kDoing = "reading the program of the statement";

struct Instruction {
  std::string name;
  int p1 = 0;
  int p2 = 0;
  int p3 = 0;
  std::string p4;
};
using Program = std::vector<Instruction>;

Statement prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  if (const int rc = sqlite3_prepare_v2(db, sql.c_str(), -1, &raw, &rest); rc != SQLITE_OK) {
    throw Error(Error::Kind::invalid, "", std::string("ts_explain: ") + sqlite3_errmsg(db)).native(rc);
  }
  return Statement(raw);
}

/// The main program and those of its triggers.
std::vector<Program> programs_of(sqlite3* db, const std::string& sql, std::vector<std::string>& parameters) {
  {
    const Statement plain = prepare(db, sql);
    if (!plain) throw Error(Error::Kind::invalid, "", "ts_explain wants a statement, and this is none");
    if (sqlite3_stmt_isexplain(plain.get()) != 0) {
      throw Error(Error::Kind::invalid, "",
                  "ts_explain wants the statement itself, without EXPLAIN before it");
    }
    for (int i = 1; i <= sqlite3_bind_parameter_count(plain.get()); ++i) {
      const char* name = sqlite3_bind_parameter_name(plain.get(), i);
      parameters.push_back(name == nullptr ? "?" + std::to_string(i) : name);
    }
  }
  const Statement statement = prepare(db, "EXPLAIN " + sql);
  std::vector<Program> programs;
  while (next_row(statement.get(), kDoing)) {
    if (sqlite3_column_int(statement.get(), 0) == 0) programs.emplace_back();
    if (programs.empty()) continue;
    programs.back().push_back({text_at(statement.get(), 1), sqlite3_column_int(statement.get(), 2),
                               sqlite3_column_int(statement.get(), 3), sqlite3_column_int(statement.get(), 4),
                               text_at(statement.get(), 5)});
  }
  return programs;
}

SqlValue value_of(sqlite3* db, const Instruction& instruction) {
  const Statement statement = prepare(db, "SELECT ?1");
  if (instruction.name == "String8" || instruction.name == "String") {
    bind_text(statement.get(), 1, instruction.p4);
  } else if (instruction.name == "Integer") {
    sqlite3_bind_int(statement.get(), 1, instruction.p1);
  } else if (instruction.name == "Int64") {
    sqlite3_bind_int64(statement.get(), 1, std::strtoll(instruction.p4.c_str(), nullptr, 10));
  } else if (instruction.name == "Real") {
    // A number in SQLite's own words.
    const Statement number = prepare(db, "SELECT CAST(?1 AS REAL)");
    bind_text(number.get(), 1, instruction.p4);
    if (next_row(number.get(), kDoing)) return SqlValue(copy_of(sqlite3_column_value(number.get(), 0)));
  }
  if (!next_row(statement.get(), kDoing)) return nullptr;
  return SqlValue(copy_of(sqlite3_column_value(statement.get(), 0)));
}

class Reader {
 public:
  Reader(sqlite3* db, const Program& program, const std::vector<std::string>& parameters)
      : db_(db), program_(program), parameters_(parameters) {}

  void read(std::vector<BytecodeScan>& scans) const {
    std::map<int, std::string> tables;  // by cursor
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const Instruction& instruction = program_[i];
      constexpr std::string_view kPrefix = "vtab:";
      if (instruction.name == "VOpen" && std::string_view(instruction.p4).substr(0, 5) == kPrefix) {
        tables[instruction.p1] = instruction.p4.substr(kPrefix.size());
      }
      if (instruction.name != "VFilter") continue;
      BytecodeScan scan;
      scan.table = tables[instruction.p1];
      scan.plan = instruction.p4;
      scan.in_loop = is_in_loop(i);
      const int count = integer_in(instruction.p3 + 1, i);
      for (int k = 0; k < count; ++k) scan.arguments.push_back(argument(instruction.p3 + 2 + k, i, tables));
      scans.push_back(std::move(scan));
    }
  }

 private:
  bool is_in_loop(std::size_t at) const {
    for (std::size_t i = at + 1; i < program_.size(); ++i) {
      const Instruction& instruction = program_[i];
      const bool turns = instruction.name == "VNext" || instruction.name == "Next" ||
                         instruction.name == "Prev" || instruction.name == "SorterNext" ||
                         instruction.name == "Goto";
      if (turns && instruction.p2 > 0 && instruction.p2 <= static_cast<int>(at) &&
          !(instruction.name == "Goto" && instruction.p2 <= 1))
        return true;
    }
    return false;
  }

  /// The instruction that fills the register before instruction `before`; constants may stand at the end.
  const Instruction* writer_of(int target, std::size_t before) const {
    const auto writes = [&](const Instruction& instruction) {
      if (instruction.name == "Column" || instruction.name == "VColumn") return instruction.p3 == target;
      if (instruction.name == "Null")
        return instruction.p2 <= target && target <= std::max(instruction.p2, instruction.p3);
      if (instruction.name == "Rowid" || instruction.name == "Variable" || instruction.name == "String8" ||
          instruction.name == "String" || instruction.name == "Integer" || instruction.name == "Int64" ||
          instruction.name == "Real" || instruction.name == "VInitIn" || instruction.name == "SCopy" ||
          instruction.name == "Copy" || instruction.name == "Blob")
        return instruction.p2 == target;
      return (instruction.name == "Function" || instruction.name == "PureFunc" ||
              instruction.name == "Concat" || instruction.name == "Add" || instruction.name == "Subtract" ||
              instruction.name == "Multiply" || instruction.name == "Divide" ||
              instruction.name == "Remainder") &&
             instruction.p3 == target;
    };
    for (std::size_t i = before; i-- > 0;) {
      if (writes(program_[i])) return &program_[i];
    }
    for (std::size_t i = before; i < program_.size(); ++i) {
      if (writes(program_[i])) return &program_[i];
    }
    return nullptr;
  }

  int integer_in(int target, std::size_t before) const {
    const Instruction* writer = writer_of(target, before);
    return writer != nullptr && writer->name == "Integer" ? writer->p1 : 0;
  }

  ScanArgument argument(int target, std::size_t before, const std::map<int, std::string>& tables) const {
    ScanArgument argument;
    const Instruction* writer = writer_of(target, before);
    for (int hops = 0; writer != nullptr && hops < 8 && (writer->name == "SCopy" || writer->name == "Copy");
         ++hops) {
      writer = writer_of(writer->p1, static_cast<std::size_t>(writer - program_.data()));
    }
    if (writer == nullptr) return argument;
    if (writer->name == "String8" || writer->name == "String" || writer->name == "Integer" ||
        writer->name == "Int64" || writer->name == "Real" || writer->name == "Null") {
      argument.value = value_of(db_, *writer);
      if (argument.value) argument.kind = ScanArgument::Kind::literal;
    } else if (writer->name == "Variable") {
      argument.kind = ScanArgument::Kind::parameter;
      const auto number = static_cast<std::size_t>(writer->p1);
      argument.text = number >= 1 && number <= parameters_.size() ? parameters_[number - 1] : "?";
    } else if (writer->name == "VInitIn") {
      argument.kind = ScanArgument::Kind::list;
    } else if (writer->name == "Column" || writer->name == "VColumn" || writer->name == "Rowid") {
      argument.kind = ScanArgument::Kind::column;
      if (writer->name == "VColumn") {
        const auto known = tables.find(writer->p1);
        if (known != tables.end()) argument.table = known->second;
        argument.column = writer->p2;
      }
    }
    return argument;
  }

  sqlite3* db_;
  const Program& program_;
  const std::vector<std::string>& parameters_;
};

}  // namespace

std::vector<BytecodeScan> scans_of(sqlite3* db, const std::string& sql) {
  std::vector<BytecodeScan> scans;
  std::vector<std::string> parameters;
  for (const Program& program : programs_of(db, sql, parameters)) Reader(db, program, parameters).read(scans);
  return scans;
}

}  // namespace table_storage::module
