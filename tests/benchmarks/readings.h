// The data of the benchmarks: readings of devices, a pure function of the row's number, so that every run and
// every side of a comparison sees the same rows.
//
// A reading has twelve properties: PartitionKey (the device, 1000 rows each), RowKey (the time, 24
// characters) and Timestamp, then nine of six types, some of them missing in some rows. A device has five.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace table_storage::benchmarks {

inline constexpr std::uint64_t kRowsPerDevice = 1000;

inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// "2024-…T…Z" with milliseconds; `milliseconds` count from the start of 2024, up to about two months.
inline std::string time_text(std::uint64_t milliseconds, const char* more_digits = "") {
  std::uint64_t seconds = milliseconds / 1000;
  std::uint64_t day = seconds / 86400;  // January and February 2024 have 60 days
  char text[48];
  std::snprintf(text, sizeof text, "2024-%02u-%02uT%02u:%02u:%02u.%03u%sZ", day < 31 ? 1U : 2U,
                static_cast<unsigned>(day < 31 ? day + 1 : day % 60 - 30) % 100U,
                static_cast<unsigned>(seconds / 3600 % 24), static_cast<unsigned>(seconds / 60 % 60),
                static_cast<unsigned>(seconds % 60), static_cast<unsigned>(milliseconds % 1000), more_digits);
  return text;
}

inline std::string device_name(std::uint64_t device) {
  char text[32];
  std::snprintf(text, sizeof text, "dev-%05llu", static_cast<unsigned long long>(device));
  return text;
}

struct Reading {
  std::string partition_key;
  std::string row_key;
  std::optional<double> temperature;  // -5 .. 45, uniform: one row in a hundred is above 44.5
  std::optional<double> humidity;
  std::optional<std::string> location;
  std::optional<std::string> status;
  std::optional<int> count;
  std::int64_t seq = 0;
  std::optional<bool> active;
  std::optional<std::uint64_t> at;  // milliseconds, see time_text()
  std::optional<std::string> id;    // 16 bytes
};

/// 5 to 61 seconds between the readings of one device.
inline std::uint64_t reading_time(std::uint64_t device, std::uint64_t ordinal) {
  return ordinal * 45'000 + mixed(device * 7919 + ordinal) % 40'000;
}

inline void key_of(std::uint64_t i, std::string& partition_key, std::string& row_key) {
  partition_key = device_name(i / kRowsPerDevice);
  row_key = time_text(reading_time(i / kRowsPerDevice, i % kRowsPerDevice));
}

inline Reading reading(std::uint64_t i) {
  static const char* const kLocations[] = {
      "Hall 1",      "Hall 2",     "Hall 3",    "Roof North", "Roof South", "Basement",   "Loading dock",
      "Server room", "Zürich HB",  "São Paulo", "東京",       "Café Nord",  "Pump house", "Tank A",
      "Greenhouse",  "Cold store", "Lobby",     "Gate 7",     "Turbine 4",  "Parking P2"};
  static const char* const kStatus[] = {"ok", "ok",   "ok",   "ok",    "ok",
                                        "ok", "warn", "warn", "fault", "offline"};
  Reading r;
  key_of(i, r.partition_key, r.row_key);
  std::uint64_t h = mixed(i);
  auto missing = [&h](std::uint64_t percent) { return (h = mixed(h)) % 100 < percent; };
  auto below = [&h](std::uint64_t n) { return (h = mixed(h)) % n; };
  if (!missing(3)) r.temperature = static_cast<double>(below(5000)) / 100 - 5 + 0.005;
  if (!missing(10)) r.humidity = static_cast<double>(below(1000)) / 10;
  if (!missing(5)) r.location = kLocations[below(20)];
  if (!missing(5)) r.status = kStatus[below(10)];
  if (!missing(10)) r.count = static_cast<int>(below(10'000));
  r.seq = static_cast<std::int64_t>(i) + 5'000'000'000;
  if (!missing(20)) r.active = below(2) == 1;
  if (!missing(10)) r.at = reading_time(i / kRowsPerDevice, i % kRowsPerDevice) + below(1000);
  if (!missing(10)) {
    std::string bytes;
    for (int half = 0; half < 2; ++half) {
      std::uint64_t v = below(~0ULL);
      for (unsigned k = 0; k < 8; ++k) bytes += static_cast<char>(v >> (8 * k));
    }
    r.id = std::move(bytes);
  }
  return r;
}

struct Device {
  std::string partition_key;  // region
  std::string row_key;        // device
  std::string model;
  std::string owner;
  std::uint64_t installed = 0;  // milliseconds, see time_text()
};

inline Device device(std::uint64_t i) {
  static const char* const kRegions[] = {"ap-south", "eu-north",   "eu-west", "sa-east",
                                         "uk-south", "us-central", "us-east", "us-west"};
  static const char* const kModels[] = {"TH-100", "TH-200", "TH-200X", "Probe mini", "Probe max", "Gateway"};
  std::uint64_t h = mixed(i + 1'000'000'007);
  return {kRegions[h % 8], device_name(i), kModels[h / 8 % 6],
          "owner" + std::to_string(h / 64 % 5) + "@example.com", h / 512 % 1'000'000'000};
}

}  // namespace table_storage::benchmarks
