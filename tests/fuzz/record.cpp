// Entity records of the local backend. Names 1 to 8 are known.
#include "extension/backend/local/record.h"

#include <map>

#include "tests/fuzz/fuzz.h"

namespace table_storage::fuzz {
namespace {

namespace local = backend::local;
using Properties = std::vector<std::pair<local::NameId, edm::Value>>;

constexpr local::NameId kKnown = 8;

std::string name_of(local::NameId id) { return "n" + std::to_string(id); }

const local::NameStore& store() {
  static const local::NameStore names = [] {
    local::NameStore built;
    for (local::NameId id = 1; id <= kKnown; ++id) built.append(name_of(id));
    return built;
  }();
  return names;
}

Properties decode(std::string_view record) {
  Properties out;
  local::RecordCursor cursor(record);
  while (cursor.next()) out.emplace_back(cursor.name(), edm::Value(cursor.value()));
  return out;
}

void check(std::string_view record) {
  const Properties properties = decode(record);
  local::RecordWriter writer;
  writer.begin(local::record_timestamp(record));
  for (const auto& [name, value] : properties) writer.append(name, value);
  require(decode(writer.record()) == properties, "a record reads back the same");

  writer.begin(local::record_timestamp(record));
  local::RecordCursor cursor(record);
  while (cursor.next()) writer.append_raw(cursor.raw());
  require(writer.record() == record, "a record copied property by property is the same");

  std::map<local::NameId, std::size_t> count;
  bool all_known = true;
  for (const auto& [name, value] : properties) {
    ++count[name];
    all_known = all_known && name <= kKnown;
  }
  if (!all_known) return;
  const std::vector<local::NameId> wanted = {3, 1, 8, 9};
  std::vector<edm::ValueView> slots(wanted.size());
  std::vector<local::RecordReader::Wanted> names;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    names.push_back({name_of(wanted[i]), static_cast<std::uint32_t>(i)});
  local::RecordReader reader(std::move(names));
  reader.resolve(store());
  const bool is_complete = reader.read(record, slots.data()) == local::RecordReader::Outcome::complete;
  require(is_complete, "known names are known");
  for (const auto& [name, value] : properties) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == name && count[name] == 1)
        require(slots[i].present() && edm::Value(slots[i]) == value, "both readers agree");
    }
  }
}

}  // namespace

FUZZ_TARGET(record) {
  try {
    check(input);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::corrupt, "a damaged record is corrupt", error.what());
    check_error(error, input);
  }
  // The reader of few properties must stand what the other refuses.
  std::vector<edm::ValueView> slots(1);
  try {
    local::RecordReader reader({{name_of(2), 0}});
    reader.resolve(store());
    if (reader.read(input, slots.data()) == local::RecordReader::Outcome::complete && slots[0].present())
      (void)edm::Value(slots[0]);
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::corrupt, "a damaged record is corrupt", error.what());
  }
}

}  // namespace table_storage::fuzz
