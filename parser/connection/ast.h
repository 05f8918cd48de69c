// What the grammars of connection strings and addresses leave behind; nothing is checked against the list of
// keys yet. Internal to parser/connection.
#pragma once

#include <boost/optional.hpp>
#include <string>
#include <vector>

namespace table_storage::connection::ast {

struct Pair {
  std::string key;
  std::string value;
};
using Pairs = std::vector<Pair>;

struct Address {
  std::string scheme;
  std::string host;
  boost::optional<std::string> port;
  std::string path;
  std::string query;
};

}  // namespace table_storage::connection::ast
