/* The image's folder as a writer opens it: made where missing, trusted, locked. Who calls: store.c. */
#ifndef WARMSTART_CORE_STORE_DIRECTORY_H
#define WARMSTART_CORE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "core/system/error.h"
#include "core/system/file.h"

#define WS_LOCK_NAME "lock"

/* Makes the missing components (0700, or 0755 for public_read, whatever the umask). WS_FOREIGN_OWNER: the last folder
 * that is there belongs to another user, and nothing was made. */
ws_code ws_store_directory_make(const char *path, const ws_trust *trust, bool public_read, ws_error *error);
/* Opens a folder for writing: by the trust rules, and owned by the user. The descriptor, or -1. */
int ws_store_directory_open(const char *path, const ws_trust *trust, bool public_read, ws_error *error);
/* Opens the lock file and takes the lock. *descriptor is set as soon as it is open, for the sake of a fork meanwhile;
 * -1 after a failure. */
ws_code
ws_store_lock(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, ws_error *error);

#endif
