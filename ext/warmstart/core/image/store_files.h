/* Files in the image's folder. They are written under a temporary name and renamed, and removed when nobody needs them
 * any more. Who calls: store.c, with the folder's lock held. */
#ifndef WARMSTART_CORE_STORE_FILES_H
#define WARMSTART_CORE_STORE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/manifest.h"

typedef struct ws_temporary {
    int descriptor;
    char name[64];
} ws_temporary;

/* The file's name is "<key>-<random>.temporary". path: the folder's, for messages. */
ws_code ws_temporary_create(ws_temporary *temporary, int directory, uint64_t key_hash, bool public_read,
                            const char *path, ws_error *error);
/* Discards the file when that fails. WS_FULL: see ws_write_failure. */
ws_code ws_temporary_write(ws_temporary *temporary, int directory, const void *bytes, size_t size, const char *path,
                           ws_error *error);
/* Closes the file and renames it; removes it when that fails. *mtime (may be NULL): the present time by the file
 * system's clock. */
ws_code ws_temporary_rename(ws_temporary *temporary, int directory, const char *name, int64_t *mtime, const char *path,
                            ws_error *error);
void ws_temporary_discard(ws_temporary *temporary, int directory);

/* Starts the time of grace of the segments that `before` names and `after` does not. */
void ws_store_retire(int directory, const ws_manifest *before, const ws_manifest *after);

/* Removes what nobody needs: images of other keys that have not been written for 30 days; segments and temporary files
 * to which no manifest refers, when they are an hour old, and before that the oldest ones beyond maximum_waste bytes.
 * manifest: the one in use; its key is ours. now: nanoseconds, by the file system's clock. */
void ws_store_sweep(int directory, const ws_manifest *manifest, int64_t now, uint64_t maximum_waste);
/* Removes the oldest records beyond that number. A sweep leaves records alone, because no manifest names them. */
void ws_store_sweep_records(int directory, uint32_t maximum);

/* Removes all files that have a name of ours, the lock last. Returns 0, or the first errno. */
int ws_store_remove_all(int directory, uint64_t *removed_size);

#endif
