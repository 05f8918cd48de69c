#include "tests/differential/service.h"

namespace table_storage::differential {

Service::Service(const Host& host, const Scenario& scenario) {
  std::string endpoint = host.endpoint;
  const char* dialect = "azurite";
  switch (host.backend) {
    case Backend::local:
      return;
    case Backend::fake:
    case Backend::cosmos: {
      fake::FakeOptions options;
      fake::Paging& paging = options.settings.paging;
      paging.page_size = scenario.pages.size;
      paging.empty_every = scenario.pages.empty_every;
      paging.partition_pages = scenario.pages.by_partition;
      paging.trailing_empty_page = scenario.pages.trailing_empty;
      options.recorded_requests = 0;
      if (host.backend == Backend::cosmos) options.settings.personality = fake::Personality::cosmos;
      fake_ = std::make_unique<fake::FakeService>(options);
      for (const Store& store : scenario.stores) fake_->create_table(store.name);
      endpoint = fake_->endpoint();
      dialect = host.backend == Backend::cosmos ? "cosmos" : "storage";
      break;
    }
    case Backend::azurite:
      break;
  }
  options_ = ", endpoint '" + endpoint + "', dialect '" + dialect + "', concurrency '" +
             std::to_string(scenario.concurrency) + "'";
  // Tables count as large by either of these, so that they are read in parts: full pages go on with their
  // tokens, those that the service cuts short are asked for anew.
  constexpr std::size_t kSmall = 10;
  if (scenario.pages.size > kSmall) return;
  options_ += scenario.pages.size % 2 == 0 ? ", estimated_rows '100000'"
                                           : ", page_size '" + std::to_string(scenario.pages.size) + "'";
}

std::string Service::complaint() const {
  if (!fake_) return {};
  const std::vector<std::string> all = fake_->violations();
  return all.empty() ? std::string() : "breaks the protocol: " + all.front();
}

}  // namespace table_storage::differential
