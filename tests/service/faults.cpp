#include "tests/service/faults.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace table_storage::fake {
namespace {

using Action = Fault::Action;

constexpr std::array<std::pair<std::string_view, Action>, 15> kActions{{
    {"answer", Action::answer},
    {"html_error", Action::html_error},
    {"empty_body", Action::empty_body},
    {"reset_before_reading", Action::reset_before_reading},
    {"reset_before_answer", Action::reset_before_answer},
    {"close_before_answer", Action::close_before_answer},
    {"failed_answer", Action::failed_answer},
    {"lost_answer", Action::lost_answer},
    {"reset_in_body", Action::reset_in_body},
    {"cut_body", Action::cut_body},
    {"corrupt_json", Action::corrupt_json},
    {"slow_body", Action::slow_body},
    {"delay", Action::delay},
    {"hang", Action::hang},
    {"wrong_date", Action::wrong_date},
}};

Action action_of(std::string_view name) {
  const auto at =
      std::find_if(kActions.begin(), kActions.end(), [&](const auto& a) { return a.first == name; });
  if (at == kActions.end()) throw std::invalid_argument("unknown action of a fault: " + std::string(name));
  return at->second;
}

void set_member(Fault& fault, std::string_view name, const std::string& value) {
  if (name == "action") {
    fault.action = action_of(value);
  } else if (name == "method") {
    fault.method = value;
  } else if (name == "path") {
    fault.path_contains = value;
  } else if (name == "nth") {
    fault.nth = std::stoul(value);
  } else if (name == "times") {
    fault.times = std::stoul(value);
  } else if (name == "probability") {
    fault.probability = std::stod(value);
  } else if (name == "status") {
    fault.status = std::stoi(value);
  } else if (name == "code") {
    fault.code = value;
  } else if (name == "body") {
    fault.body = value;
  } else if (name == "delay") {
    fault.delay = std::chrono::milliseconds(std::stol(value));
  } else if (name == "bytes") {
    fault.bytes = std::stoul(value);
  } else if (name == "clock_offset") {
    fault.clock_offset = std::chrono::seconds(std::stol(value));
  } else if (name == "header") {
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos)
      throw std::invalid_argument("a fault's header is of the form Name: value");
    const std::size_t from = std::min(value.find_first_not_of(' ', colon + 1), value.size());
    fault.headers.emplace_back(value.substr(0, colon), value.substr(from));
  } else {
    throw std::invalid_argument("unknown member of a fault: " + std::string(name));
  }
}

}  // namespace

Fault parse_fault(std::string_view text) {
  Fault fault;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (part.empty()) continue;
    if (equals == std::string_view::npos)
      throw std::invalid_argument("a fault is of the form name=value;name=value: " + std::string(part));
    set_member(fault, part.substr(0, equals), std::string(part.substr(equals + 1)));
  }
  return fault;
}

std::optional<Fault> FaultScript::next(std::string_view method, std::string_view target) {
  std::optional<Fault> found;
  for (Entry& entry : entries_) {
    const Fault& fault = entry.fault;
    if (!fault.method.empty() && fault.method != method) continue;
    if (target.find(fault.path_contains) == std::string_view::npos) continue;
    ++entry.seen;
    if (found || entry.seen < fault.nth || (fault.times != 0 && entry.done >= fault.times)) continue;
    if (fault.probability < 1 && std::uniform_real_distribution<double>()(random_) >= fault.probability)
      continue;
    ++entry.done;
    found = fault;
  }
  if (found) ++struck_;
  return found;
}

}  // namespace table_storage::fake
