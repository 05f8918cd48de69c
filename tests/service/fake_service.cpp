#include "tests/service/fake_service.h"

#include <algorithm>
#include <stdexcept>

namespace table_storage::fake {
namespace {

using Action = Fault::Action;

constexpr std::string_view kAdministration = "/__fake/";

std::string target_of(const Request& request) {
  return request.query.empty() ? request.path : request.path + "?" + request.query;
}

Answer plain_text(std::string text, int status = 200) {
  Answer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  answer.body = std::move(text);
  return answer;
}

bool is_carried_out(Action action) {
  switch (action) {
    case Action::answer:
    case Action::html_error:
    case Action::empty_body:
    case Action::reset_before_reading:
    case Action::reset_before_answer:
    case Action::close_before_answer:
    case Action::hang:
      return false;
    case Action::failed_answer:
    case Action::lost_answer:
    case Action::reset_in_body:
    case Action::cut_body:
    case Action::corrupt_json:
    case Action::slow_body:
    case Action::delay:
    case Action::wrong_date:
      return true;
  }
  return true;
}

// The first half of a text of JSON, so that it never is JSON.
void corrupt(std::string& body) {
  body.resize(body.size() / 2);
  if (body.empty()) body = "{";
}

void end_early(Answer& answer, Answer::Ending ending, std::optional<std::size_t> bytes) {
  answer.ending = ending;
  answer.before_headers = false;
  answer.body_bytes = bytes.value_or(answer.body.size() / 2);
}

void end_unanswered(Answer& answer, Answer::Ending ending) {
  answer.ending = ending;
  answer.before_headers = true;
}

}  // namespace

FakeService::FakeService(FakeOptions options)
    : options_(std::move(options)),
      account_{options_.settings.account, options_.settings.key, options_.settings.bearer_tokens},
      protocol_(options_.settings) {
  server_ = std::make_unique<HttpServer>(
      options_.port, [this](const Request& request) { return handle(request); },
      [this](const Request& request) { return resets_before_reading(request); });
}

std::string FakeService::endpoint() const {
  return options_.settings.path_style ? origin() + "/" + account_.name : origin();
}

std::string FakeService::connection_string() const {
  return "DefaultEndpointsProtocol=http;AccountName=" + account_.name + ";AccountKey=" + account_.key +
         ";TableEndpoint=" + endpoint() + ";";
}

// --- Entities ----------------------------------------------------------------------------------------------

void FakeService::create_table(const std::string& name) {
  const std::lock_guard lock(mutex_);
  protocol_.store.create_table(name);
}

std::string FakeService::put(const std::string& table, const Key& key, Properties properties) {
  const std::lock_guard lock(mutex_);
  const Change change{backend::OperationKind::insert_or_replace, key, std::move(properties), ""};
  return protocol_.store.apply(protocol_.store.table(table), change).etag;
}

std::optional<Entity> FakeService::get(const std::string& table, const Key& key) const {
  const std::lock_guard lock(mutex_);
  const Table* const found = const_cast<Store&>(protocol_.store).find_table(table);
  if (found == nullptr) return std::nullopt;
  const auto at = found->rows.find(key);
  return at == found->rows.end() ? std::nullopt : std::optional(at->second);
}

bool FakeService::remove(const std::string& table, const Key& key) {
  const std::lock_guard lock(mutex_);
  return protocol_.store.table(table).rows.erase(key) > 0;
}

void FakeService::touch(const std::string& table, const Key& key) {
  const std::lock_guard lock(mutex_);
  protocol_.store.apply(protocol_.store.table(table), {backend::OperationKind::merge, key, {}, "*"});
}

std::size_t FakeService::size(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  const Table* const found = const_cast<Store&>(protocol_.store).find_table(table);
  return found == nullptr ? 0 : found->rows.size();
}

std::vector<std::string> FakeService::table_names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [lower, table] : protocol_.store.tables()) names.push_back(table.name);
  return names;
}

// --- What happens to requests ------------------------------------------------------------------------------

void FakeService::add_fault(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.add(std::move(fault));
}

void FakeService::clear_faults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

std::size_t FakeService::faults_struck() const {
  const std::lock_guard lock(mutex_);
  return faults_.struck();
}

void FakeService::configure(const std::function<void(Settings&)>& change) {
  const std::lock_guard lock(mutex_);
  change(protocol_.settings);
}

void FakeService::set_hook(Hook hook) {
  const std::lock_guard lock(mutex_);
  hook_ = std::move(hook);
}

std::string FakeService::shown_method(const Request& request) {
  const std::string* const tunnelled = request.header("X-HTTP-Method");
  return tunnelled != nullptr ? *tunnelled : request.method;
}

bool FakeService::resets_before_reading(const Request& request) {
  if (options_.administration && request.path.starts_with(kAdministration)) return false;
  const std::lock_guard lock(mutex_);
  pending_.erase(request.connection);
  auto fault = faults_.next(shown_method(request), target_of(request));
  if (!fault) return false;
  if (fault->action != Action::reset_before_reading) {
    pending_.emplace(request.connection, *std::move(fault));
    return false;
  }
  ++count_;
  if (recorded_.size() < options_.recorded_requests) recorded_.push_back({request, 0, fault->action});
  return true;
}

Answer FakeService::handle(const Request& request) {
  if (options_.administration && request.path.starts_with(kAdministration)) return administer(request);
  Hook hook;
  std::optional<Fault> fault;
  {
    const std::lock_guard lock(mutex_);
    hook = hook_;
    if (const auto at = pending_.find(request.connection); at != pending_.end()) {
      fault = std::move(at->second);
      pending_.erase(at);
    }
  }
  std::optional<Answer> answer;
  if (hook) answer = hook(request);  // without the lock: it may call us
  const std::lock_guard lock(mutex_);
  if (!answer) answer = carry_out(request, fault);
  ++count_;
  if (recorded_.size() < options_.recorded_requests) {
    const bool silent = answer->ending == Answer::Ending::never || answer->before_headers;
    std::optional<Action> action;
    if (fault) action = fault->action;
    recorded_.push_back({request, silent ? 0 : answer->status, action});
  }
  return *std::move(answer);
}

Answer FakeService::carry_out(const Request& request, const std::optional<Fault>& fault) {
  if (!fault) return protocol_.answer(request);
  Answer answer;
  if (is_carried_out(fault->action)) answer = protocol_.answer(request);
  switch (fault->action) {
    case Action::answer:
    case Action::failed_answer:
      answer = protocol_.error({fault->status, fault->code, "The request was made to fail."});
      if (!fault->body.empty()) answer.body = fault->body;
      break;
    case Action::html_error:
      answer.status = fault->status;
      answer.headers = {{"Content-Type", "text/html"}};
      answer.body = "<html><head><title>" + std::to_string(fault->status) +
                    "</title></head>\r\n<body><center><h1>Made to fail</h1></center></body></html>\r\n";
      break;
    case Action::empty_body:
      answer.status = fault->status;
      break;
    case Action::reset_before_reading:
    case Action::reset_before_answer:
    case Action::lost_answer:
      end_unanswered(answer, Answer::Ending::reset);
      break;
    case Action::close_before_answer:
      end_unanswered(answer, Answer::Ending::close);
      break;
    case Action::reset_in_body:
      end_early(answer, Answer::Ending::reset, fault->bytes);
      break;
    case Action::cut_body:
      end_early(answer, Answer::Ending::close, fault->bytes);
      break;
    case Action::corrupt_json:
      corrupt(answer.body);
      break;
    case Action::slow_body:
      answer.slow_bytes = fault->bytes.value_or(1024);
      break;
    case Action::hang:
      answer.ending = Answer::Ending::never;
      break;
    case Action::delay:
      break;
    case Action::wrong_date:
      answer.clock_offset = fault->clock_offset;
      break;
  }
  answer.delay = fault->delay;
  answer.headers.insert(answer.headers.end(), fault->headers.begin(), fault->headers.end());
  return answer;
}

// --- What came in ------------------------------------------------------------------------------------------

std::vector<Recorded> FakeService::requests() const {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

std::size_t FakeService::request_count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void FakeService::forget_requests() {
  const std::lock_guard lock(mutex_);
  recorded_.clear();
  protocol_.violations.clear();
  count_ = 0;
}

std::vector<std::string> FakeService::violations() const {
  const std::lock_guard lock(mutex_);
  return protocol_.violations;
}

// --- From outside: scripts have no C++ ---------------------------------------------------------------------

Answer FakeService::administer(const Request& request) try {
  const std::string what = request.path.substr(kAdministration.size());
  const std::lock_guard lock(mutex_);
  std::string text;
  if (what == "requests") {
    for (const Recorded& r : recorded_)
      text += shown_method(r.request) + " " + target_of(r.request) + " " + std::to_string(r.status) + "\n";
  } else if (what == "violations") {
    for (const std::string& line : protocol_.violations) text += line + "\n";
  } else if (what == "fault") {
    faults_.add(parse_fault(request.body));
  } else if (what == "config") {
    change_setting(protocol_.settings, request.body);
  } else if (what == "forget") {
    recorded_.clear();
    protocol_.violations.clear();
    faults_.clear();
    count_ = 0;
  } else if (what == "reset") {
    recorded_.clear();
    protocol_.violations.clear();
    faults_.clear();
    count_ = 0;
    protocol_.store.clear();
    protocol_.settings = options_.settings;
  } else {
    return plain_text(
        "there is no " + what + "; there are requests, violations, fault, config, forget, reset\n", 404);
  }
  return plain_text(std::move(text));
} catch (const std::exception& e) {
  return plain_text(std::string(e.what()) + "\n", 400);
}

void change_setting(Settings& settings, std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const std::string value(text.substr(std::min(equals + 1, text.size())));
  const auto number = [&] { return std::stoul(value); };
  const auto yes = [&] { return value == "1" || value == "true"; };
  Paging& paging = settings.paging;
  if (name == "page_size") {
    paging.page_size = std::max<std::size_t>(1, number());
  } else if (name == "scan_limit") {
    paging.scan_limit = number();
  } else if (name == "empty_every") {
    paging.empty_every = number();
    // Each page would be empty, and the one after it.
    if (paging.empty_every == 1) throw std::invalid_argument("empty_every must be 0 or at least 2");
  } else if (name == "partition_pages") {
    paging.partition_pages = yes();
  } else if (name == "trailing_empty_page") {
    paging.trailing_empty_page = yes();
  } else if (name == "check_authorization") {
    settings.check_authorization = yes();
  } else if (name == "chunked_pages") {
    settings.chunked_pages = yes();
  } else if (name == "deletion_time") {
    settings.deletion_time = std::chrono::milliseconds(std::stol(value));
  } else if (name == "clock_offset") {
    settings.clock_offset = std::chrono::seconds(std::stol(value));
  } else if (name == "bearer_token") {
    settings.bearer_tokens.push_back(value);
  } else {
    throw std::invalid_argument(
        "there is no setting " + std::string(name) +
        "; there are page_size, scan_limit, empty_every, partition_pages, "
        "trailing_empty_page, check_authorization, chunked_pages, deletion_time (ms), "
        "clock_offset (s), bearer_token");
  }
}

}  // namespace table_storage::fake
