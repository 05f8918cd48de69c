// Limits of the service that every backend enforces before anything is stored or sent, each with the
// service's error code. Source: "Understanding the Table service data model" and observed behaviour of the
// service.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "extension/backend/backend.h"

namespace table_storage::backend {

inline constexpr std::size_t kMaxKeyUnits = 512;    // 1 KiB of UTF-16
inline constexpr std::size_t kMaxProperties = 252;  // 255 with the three system properties
inline constexpr std::size_t kMaxPropertyNameUnits = 255;
inline constexpr std::size_t kMaxStringUnits = 32'768;  // 64 KiB of UTF-16
inline constexpr std::size_t kMaxBinaryBytes = 65'536;
inline constexpr std::size_t kMaxEntityBytes = 1'048'576;
inline constexpr std::size_t kMaxBatchOperations = 100;
inline constexpr std::size_t kMaxBatchBytes = 4'194'304;

/// `^[A-Za-z][A-Za-z0-9]{2,62}$` and not "tables". Throws InvalidResourceName, OutOfRangeInput, InvalidInput.
void check_table_name(std::string_view name);
/// Characters and length of one key ("PartitionKey" or "RowKey"). Throws OutOfRangeInput,
/// PropertyValueTooLarge.
void check_key(std::string_view which, std::string_view key);
/// Length and C#-identifier shape. Throws PropertyNameTooLong, PropertyNameInvalid.
void check_property_name(std::string_view name);
/// Size of text and bytes, range of DateTime, valid UTF-8. Throws PropertyValueTooLarge, OutOfRangeInput,
/// InvalidInput; the message names the property.
void check_property_value(std::string_view name, edm::ValueView value);
/// The service's own estimate, in bytes: 4 + 2·(len PK + len RK) + Σ (8 + 2·len(name) + size(value)).
std::size_t entity_size(std::string_view partition_key, std::string_view row_key,
                        const std::vector<NamedValue>& properties);
/// TooManyProperties, EntityTooLarge.
void check_entity(std::string_view partition_key, std::string_view row_key,
                  const std::vector<NamedValue>& properties);

/// Everything about one operation that needs no look at what is stored, in the order in which the service
/// finds fault: key characters, lengths, property names and sizes, DuplicatePropertiesSpecified, the whole
/// entity, DateTime range. Properties that are missing() count as names only.
void check_operation(const Operation& operation);
/// The same for a table: the message begins with the entity, or with the table where its keys are at fault,
/// which would spoil the message.
void check_operation(const std::string& table, const Operation& operation);
/// "table Devices, PartitionKey 'p', RowKey 'r'", for messages.
std::string describe_entity(const std::string& table, std::string_view partition_key,
                            std::string_view row_key);
/// True for a key that is short ASCII without a refused character: a fast way around check_key(). False says
/// nothing.
bool is_plain_key(std::string_view key);

}  // namespace table_storage::backend
