/* Public header of the static library: what a program that links SQLite itself passes to
** sqlite3_auto_extension(), or calls on one connection:
**
**   sqlite3_auto_extension((void (*)(void))sqlite3_tablestorage_init);
**
** Loadable hosts find the same function by its name in table_storage.so and need no header. */
#ifndef TABLE_STORAGE_H
#define TABLE_STORAGE_H

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/* Registers the module, the functions and the collation on `db`. Returns an SQLite result code; a text in
 * `message`, if there is one on failure, is to be freed with sqlite3_free(). */
int sqlite3_tablestorage_init(sqlite3* db, char** message, const struct sqlite3_api_routines* api);

#ifdef __cplusplus
}
#endif

#endif
