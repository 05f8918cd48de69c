// SQLite's API, in the one way every file of the extension includes it: through the table of functions that
// SQLite hands to extensions.
#pragma once

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3
