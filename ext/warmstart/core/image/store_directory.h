/* The image's folder as a writer opens it: made if it is missing, trusted and locked. Who calls: store.c. */
#ifndef WARMSTART_CORE_STORE_DIRECTORY_H
#define WARMSTART_CORE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "core/system/error.h"
#include "core/system/file.h"

#define WS_LOCK_NAME "lock"

/* Makes the missing components with mode 0700, or 0755 for public_read, whatever the umask is. WS_FOREIGN_OWNER: the
 * last existing folder belongs to another user, and nothing was made. */
ws_code ws_store_directory_make(const char *path, const ws_trust *trust, bool public_read, ws_error *error);
/* Opens a folder for writing. The trust rules must allow it, and the user must own it. Returns the descriptor, or
 * -1. */
int ws_store_directory_open(const char *path, const ws_trust *trust, bool public_read, ws_error *error);
/* Opens the lock file and takes the lock. *descriptor is set as soon as the file is open, so that a child that is
 * forked meanwhile can close it. It is -1 after a failure. */
ws_code
ws_store_lock(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, ws_error *error);

#endif
