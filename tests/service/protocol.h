// The table protocol of the fake service: from a request to its answer, over a Store.
// Not for several threads: FakeService guards it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/service/authorization.h"
#include "tests/service/batch.h"
#include "tests/service/http_server.h"
#include "tests/service/store.h"
#include "tests/service/wire.h"

namespace table_storage::fake {

struct Settings {
  Personality personality = Personality::storage;
  std::string account = "devstoreaccount1";
  /// The published key of the emulators, unless a test wants another.
  std::string key =
      "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  std::vector<std::string> bearer_tokens;
  bool check_authorization = true;
  bool path_style = true;  // the account is the first segment of the path
  Paging paging;
  std::chrono::milliseconds deletion_time{0};  // how long a dropped table's name stays taken
  std::chrono::seconds clock_offset{0};  // of the service's clock: Date headers and the check of x-ms-date
  bool chunked_pages = true;             // as the service sends them; else with Content-Length
};

/// "page_size=3": changes the setting of that name. Throws std::invalid_argument.
void change_setting(Settings& settings, std::string_view text);

class Protocol {
 public:
  explicit Protocol(Settings with) : settings(std::move(with)), store(settings.personality) {}

  /// Never throws: what is refused is answered.
  Answer answer(const Request& request);
  Answer error(const Refusal& refusal) const;

  Settings settings;
  Store store;
  std::vector<std::string> violations;

 private:
  struct Call;

  Answer dispatch(const Request& request);
  Answer batch(const Request& request);
  Answer batch_changes(const std::vector<BatchPart>& parts);
  Answer execute(const Call& call);
  Answer tables(const Call& call);
  Answer one_table(const Call& call);
  Answer query(const Call& call);
  Answer point(const Call& call);
  Answer change(const Call& call);
  Call call_of(const Request& request, bool in_batch);
  void check_headers(const Request& request);
  void check_access(const Request& request, const Call& call) const;
  Rendering rendering(const Call& call, const std::string& table) const;
  Answer json(int status, const Call& call, std::string body) const;
  void violate(const Request& request, const std::string& what);
  std::string base() const;

  std::string host_;
  std::size_t request_id_ = 0;
};

}  // namespace table_storage::fake
