// SQLite's API, in the one way every file of the extension includes it: through the table of the host that
// loads the extension, or directly where the library is linked into a program (SQLITE_CORE).
#pragma once

#include <sqlite3ext.h>

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT3
#endif
