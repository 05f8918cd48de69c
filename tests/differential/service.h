// Where the entities of a trial are: in the database itself, in the project's fake of the Table service or of
// Cosmos DB for Table, or in Azurite, the emulator.
#pragma once

#include <memory>
#include <string>

#include "tests/differential/scenario.h"
#include "tests/service/fake_service.h"

namespace table_storage::differential {

enum class Backend : unsigned char { local, fake, cosmos, azurite };

/// How the extension gets into a connection, and what stands behind its tables.
struct Host {
  std::string extension;  // path of the loadable module; empty: the one linked into this program
  Backend backend = Backend::local;
  std::string endpoint;  // of Azurite

  bool is_remote() const { return backend != Backend::local; }
  /// Requests cost time, so there is less to ask for.
  std::size_t most_entities() const {
    return backend == Backend::local ? 300 : backend == Backend::azurite ? 30 : 90;
  }
  bool takes_empty_keys() const { return backend != Backend::cosmos; }
};

/// The backend of one trial. The fake starts empty; Azurite must have the tables already (EntA, EntB, EntW),
/// and what a trial before this one left in them has to be deleted.
class Service {
 public:
  Service(const Host& host, const Scenario& scenario);

  /// What goes into OPTIONS of a foreign table: empty, or with a comma first.
  const std::string& options() const { return options_; }
  /// The first request that breaks the service's protocol; empty if there is none.
  std::string complaint() const;

 private:
  std::unique_ptr<fake::FakeService> fake_;
  std::string options_;
};

}  // namespace table_storage::differential
