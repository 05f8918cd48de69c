// The fake service in a process of its own, so that its memory is none of the process that is tested.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace table_storage::oom {

/// Serves empty tables until it is destroyed, or this process ends. Pages of three entities.
class ServiceProcess {
 public:
  /// Ends the program if there can be none.
  explicit ServiceProcess(const std::vector<std::string>& tables);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  pid_t child_;
  std::uint16_t port_ = 0;
};

}  // namespace table_storage::oom
