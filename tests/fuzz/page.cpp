// Pages of entities. The first byte chooses: 'l' a list, 'e' one entity, 't' names of tables.
//
// The reader has fast paths that a plain one has not, so it is compared with itself (another projection, a
// second page by a reader that has learned the first) and with the reader of `_properties`.
#include "extension/backend/remote/page.h"

#include <simdjson.h>

#include <optional>

#include "parser/json/entity_json.h"
#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

namespace remote = backend::remote;
using backend::NamedValue;
using backend::Projection;
using remote::Page;
using remote::PageReader;

const std::vector<std::string> kNames = {"a", "Temperature", "t\xC3\xA9",
                                         "a", "odata.x",     "Long_name_of_17_c"};

Projection projection(bool all) {
  Projection wanted;
  wanted.all_properties = all;
  wanted.properties = kNames;
  return wanted;
}

/// nullopt if it was read, else the error.
std::optional<std::string> read(PageReader& reader, bool is_list, std::string_view body, Page& page) {
  try {
    is_list ? reader.read_list(std::string(body), page) : reader.read_entity(std::string(body), page);
    return std::nullopt;
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::storage, "a damaged page is an error of the storage", error.what());
    check_error(error, body);
    require(page.empty(), "a page that was refused is empty");
    return error.what();
  }
}

bool is_same(edm::ValueView a, edm::ValueView b) {
  return a.present() == b.present() && (!a.present() || edm::Value(a) == edm::Value(b));
}

/// An ETag is looked at when it is asked for; one with a wrong escape is refused then.
std::string etag_of(const Page& page, std::size_t row) {
  try {
    return page.etag(row);
  } catch (const Error& error) {
    return error.what();
  }
}

void compare(const Page& a, const Page& b, std::string_view what) {
  require(a.size() == b.size(), what);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const auto x = a[row];
    const auto y = b[row];
    require(x.partition_key == y.partition_key && x.row_key == y.row_key && x.timestamp == y.timestamp &&
                etag_of(a, row) == etag_of(b, row),
            what);
    for (std::size_t i = 0; i < kNames.size(); ++i)
      require(is_same(x.properties.at(i), y.properties.at(i)), what, kNames[i]);
  }
}

/// Against the plain reader, entity by entity, where that one takes them.
void compare_with_plain(const Page& page, bool is_list, std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(body.data(), body.size()).get(document) != simdjson::SUCCESS) return;
  std::vector<simdjson::dom::element> entities;
  simdjson::dom::array list;
  if (!is_list) {
    entities.push_back(document);
  } else if (document["value"].get(list) == simdjson::SUCCESS) {
    entities.assign(list.begin(), list.end());
  }
  if (entities.size() != page.size()) return;  // two members "value"
  for (std::size_t row = 0; row < entities.size(); ++row) {
    std::vector<json::Property> plain;
    try {
      plain = json::parse_properties(simdjson::minify(entities[row]));
    } catch (const Error&) {
      continue;  // a name that comes twice, for one
    }
    const auto entity = page[row];
    std::size_t found = 0;
    for (const auto& [name, value] : plain) {
      if (name == "PartitionKey" || name == "RowKey" || name == "Timestamp") continue;
      if (name.find('@') != std::string::npos)
        continue;  // no service has such names: an annotation of some kind
      require(found < entity.all.size(), "every property is there", name);
      const NamedValue& shown = entity.all[found++];
      require(shown.name == name && edm::Value(shown.value) == value, "a property is what JSON says", name);
    }
    require(found == entity.all.size(), "no property is invented");
  }
}

}  // namespace

FUZZ_TARGET(page) {
  Choices choices(input);
  const std::size_t kind = choices.byte();
  const std::string_view body = choices.rest();
  if (kind == 't') {
    try {
      remote::read_table_names(body);
    } catch (const Error& error) {
      check_error(error, body);
    }
    return;
  }
  const bool is_list = kind != 'e';
  PageReader narrow(projection(false));
  PageReader wide(projection(true));
  Page few;
  Page all;
  const auto narrow_error = read(narrow, is_list, body, few);
  const auto wide_error = read(wide, is_list, body, all);
  if (!wide_error) {
    require(!narrow_error, "what is read in full is read in part", narrow_error.value_or(""));
    compare(few, all, "two projections agree");
    compare_with_plain(all, is_list, body);
  }
  Page again;
  const auto second_error = read(narrow, is_list, body, again);
  require(second_error == narrow_error, "a reader that has learned agrees with itself",
          second_error.value_or("(read)") + "\n" + narrow_error.value_or("(read)"));
  compare(few, again, "a reader that has learned agrees with itself");
}

}  // namespace table_storage::fuzz
