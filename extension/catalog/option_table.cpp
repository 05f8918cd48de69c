// The options. A row here is all it takes to make one known; the order is that of the reference.
#include <array>

#include "extension/catalog/options.h"

namespace table_storage::catalog {
namespace {

constexpr unsigned kServer = static_cast<unsigned>(ObjectKind::server);
constexpr unsigned kMapping = static_cast<unsigned>(ObjectKind::user_mapping);
constexpr unsigned kTable = static_cast<unsigned>(ObjectKind::table);
constexpr unsigned kColumn = static_cast<unsigned>(ObjectKind::column);
constexpr unsigned kServerOrTable = kServer | kTable;

constexpr std::array<std::string_view, 2> kBackendChoices{"remote", "local"};
constexpr std::array<std::string_view, 3> kDialectChoices{"storage", "cosmos", "azurite"};
constexpr std::array<std::string_view, 2> kMetadataChoices{"minimal", "full"};
constexpr std::array<std::string_view, 2> kUpsertChoices{"replace", "merge"};
constexpr std::array<std::string_view, 2> kAtomicityChoices{"none", "partition"};
constexpr std::array<std::string_view, 2> kMismatchChoices{"null", "error"};
constexpr std::array<std::string_view, 3> kRequireKeyChoices{"off", "warn", "error"};
constexpr std::array<std::string_view, 5> kCredentialChoices{"azure-cli", "managed-identity", "client-secret",
                                                             "workload-identity", "default"};

constexpr std::array kOptions{
    // Where a service is, and how to get there.
    OptionSpec{.name = "backend",
               .carriers = kServer,
               .type = OptionType::choice,
               .default_value = "remote",
               .meaning = "Whether the server is a table service or keeps its entities in SQLite.",
               .choices = kBackendChoices},
    OptionSpec{.name = "database",
               .carriers = kServer,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Of a local server: the schema that keeps the entities (main, temp or an attached "
                          "one); left out, the schema of each foreign table."},
    OptionSpec{.name = "connection_string",
               .carriers = kServerOrTable | kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Where the connection string of a remote service is: env:NAME or file:PATH; or "
                          "UseDevelopmentStorage=true for the emulator on this machine; in a user mapping "
                          "also the string itself, which is then kept in memory only."},
    OptionSpec{.name = "endpoint",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Address of a remote service, without any secret, such as "
                          "http://127.0.0.1:10002/devstoreaccount1."},
    OptionSpec{.name = "account",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Name of the storage account; without endpoint it also says where the service is: "
                          "https://ACCOUNT.table.core.windows.net."},
    OptionSpec{.name = "dialect",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "",
               .meaning = "Which service answers, where its address does not tell.",
               .choices = kDialectChoices},
    OptionSpec{.name = "connect_timeout",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "10",
               .meaning = "Seconds until a connection must stand.",
               .minimum = 1,
               .maximum = 600},
    OptionSpec{.name = "request_timeout",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "120",
               .meaning = "Seconds until a request must be answered.",
               .minimum = 1,
               .maximum = 3600},
    OptionSpec{.name = "max_retries",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "3",
               .meaning = "How often a request that failed for a passing reason is sent again.",
               .minimum = 0,
               .maximum = 20},
    OptionSpec{.name = "proxy",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Proxy as http://host:port; left out, what the environment says."},
    OptionSpec{.name = "ca_file",
               .carriers = kServerOrTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "PEM file of the certificate authorities to trust, or env:NAME of a variable with "
                          "its path; left out, the system's."},
    OptionSpec{.name = "allow_http",
               .carriers = kServerOrTable,
               .type = OptionType::boolean,
               .default_value = "false",
               .meaning = "Whether plain http may leave this machine."},

    // What opens it.
    OptionSpec{.name = "account_key",
               .carriers = kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Key of the storage account, or where it is: env:NAME or file:PATH."},
    OptionSpec{.name = "sas_token",
               .carriers = kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Shared access signature (sv=...&sig=...), or where it is: env:NAME or file:PATH."},
    OptionSpec{.name = "token",
               .carriers = kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Bearer token of Microsoft Entra ID, or where it is: env:NAME or file:PATH, which "
                          "are read again when the token has been used up."},
    OptionSpec{.name = "credential",
               .carriers = kMapping,
               .type = OptionType::choice,
               .default_value = "",
               .meaning = "How to get bearer tokens; default tries client secret, workload identity, managed "
                          "identity and the Azure CLI, as far as the environment speaks of them.",
               .choices = kCredentialChoices},
    OptionSpec{
        .name = "tenant_id",
        .carriers = kMapping,
        .type = OptionType::text,
        .default_value = "",
        .meaning = "Tenant (directory) of Entra ID; left out, AZURE_TENANT_ID or the Azure CLI's own."},
    OptionSpec{.name = "client_id",
               .carriers = kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Application, or user-assigned managed identity; left out, AZURE_CLIENT_ID or the "
                          "machine's own identity."},
    OptionSpec{.name = "client_secret",
               .carriers = kMapping,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Secret of the application, or where it is: env:NAME or file:PATH; left out, "
                          "AZURE_CLIENT_SECRET."},

    // What a foreign table shows, and how.
    OptionSpec{.name = "table",
               .carriers = kTable,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Name of the table in the service; left out, the SQL name."},
    OptionSpec{.name = "property",
               .carriers = kColumn,
               .type = OptionType::text,
               .default_value = "",
               .meaning = "Name of the property that the column shows, with its case; left out, the column's "
                          "name."},
    OptionSpec{.name = "on_type_mismatch",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "null",
               .meaning = "What a column shows for a value of another type than declared: NULL, or an error "
                          "that names the entity.",
               .choices = kMismatchChoices},
    OptionSpec{.name = "updatable",
               .carriers = kServerOrTable,
               .type = OptionType::boolean,
               .default_value = "true",
               .meaning = "Whether INSERT, UPDATE and DELETE are allowed."},
    OptionSpec{.name = "upsert",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "replace",
               .meaning =
                   "What INSERT OR REPLACE does to a remote entity that exists: put the new one in its "
                   "place, or merge with it.",
               .choices = kUpsertChoices},
    OptionSpec{.name = "atomicity",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "none",
               .meaning =
                   "With partition, a COMMIT that would need more than one entity group transaction is "
                   "refused before anything is sent.",
               .choices = kAtomicityChoices},
    // A scan without a count: the service has none. Large enough that the planner prefers a key look-up to a
    // scan.
    OptionSpec{
        .name = "estimated_rows",
        .carriers = kServerOrTable,
        .type = OptionType::integer,
        .default_value = "100000",
        .meaning = "How many entities the query planner assumes in the table; the service does not say.",
        .minimum = 0},

    // What a query may cost.
    OptionSpec{.name = "concurrency",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "8",
               .meaning =
                   "How many requests of one scan or COMMIT may be under way at once; of a list of keys "
                   "(IN), twice as many.",
               .minimum = 1,
               .maximum = 128},
    OptionSpec{.name = "page_size",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "1000",
               .meaning = "How many entities one request asks for; the service gives no more than 1000.",
               .minimum = 1,
               .maximum = 1000},
    // What full adds nobody here needs; it is for services and proxies that answer nothing else.
    OptionSpec{.name = "metadata",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "minimal",
               .meaning =
                   "How much OData metadata a scan asks for: minimal has all that is needed, full sends "
                   "more bytes for the same rows.",
               .choices = kMetadataChoices,
               .why_no_other = "without metadata the service sends neither ETags nor the types of Int64, "
                               "DateTime, Guid and Binary values"},
    OptionSpec{.name = "prefetch_pages",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "1",
               .meaning = "How many pages are asked for before the current one has been read.",
               .minimum = 0,
               .maximum = 16},
    OptionSpec{.name = "require_key",
               .carriers = kServerOrTable,
               .type = OptionType::choice,
               .default_value = "off",
               .meaning =
                   "What becomes of a scan that names no partition: it runs, it runs with a warning in "
                   "SQLite's log, or it is refused.",
               .choices = kRequireKeyChoices},
    OptionSpec{.name = "max_requests",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "0",
               .meaning = "How many requests one statement may make on the table before it fails; 0 for any "
                          "number.",
               .minimum = 0},
    OptionSpec{.name = "statement_timeout",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "0",
               .meaning =
                   "Seconds that one statement may read the table before it fails; 0 for any time. COMMIT "
                   "is not cut off.",
               .minimum = 0,
               .maximum = 86'400},
    OptionSpec{.name = "join_cache_memory",
               .carriers = kServerOrTable,
               .type = OptionType::integer,
               .default_value = "64",
               .meaning = "Mebibytes that the inner side of a join may take in memory for the length of the "
                          "statement; 0 to ask the service each time.",
               .minimum = 0,
               .maximum = 65536},
};

}  // namespace

std::span<const OptionSpec> all_options() { return kOptions; }

}  // namespace table_storage::catalog
