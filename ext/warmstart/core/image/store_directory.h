/* The image's folder as a writer opens it: made if it is missing, trusted and locked. */
#ifndef WARMSTART_CORE_STORE_DIRECTORY_H
#define WARMSTART_CORE_STORE_DIRECTORY_H

#include <stdbool.h>

#include "core/system/error.h"
#include "core/system/file.h"

#define WS_LOCK_NAME "lock"
/* It names the standby's client to the application's scripts (lib/warmstart/cli/init/standby_scripts.rb). */
#define WS_CLIENT_NAME "standby"

/* What a path meant when the boot began: the root folder, and the part of the path that existed. If one of the two is
 * another one now (Dir.chroot) or gone (the application's folder was removed while it ran), the path leads elsewhere.
 */
typedef struct ws_anchor {
    size_t size; /* bytes of the path that existed; 0: it is not known, and everything may be made */
    uint64_t device, inode, root_device, root_inode;
} ws_anchor;
ws_anchor ws_anchor_take(const char *path);

/* Makes the missing components with mode 0700, or 0755 for public_read, whatever the umask is; but `tmp` and the
 * `cache` in it as the umask wants them, unless they are to be public. WS_FOREIGN_OWNER: the last existing folder
 * belongs to another user, and nothing was made. WS_CHANGED: the path leads elsewhere than the anchor (NULL: none)
 * says, and nothing was made. */
ws_code ws_store_directory_make(const char *path, const ws_trust *trust, bool public_read, const ws_anchor *anchor,
                                ws_error *error);
/* Opens a folder for writing. The trust rules must allow it, and the user must own it. Returns the descriptor, or
 * -1. */
int ws_store_directory_open(const char *path, const ws_trust *trust, bool public_read, ws_error *error);
/* Opens the lock file and takes the lock. *descriptor is set as soon as the file is open, so that a child that is
 * forked meanwhile can close it. It is -1 after a failure. */
ws_code
ws_store_lock(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, ws_error *error);

#endif
