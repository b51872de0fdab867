/* Files in the image's folder. They are written under a temporary name and renamed, and removed when nobody needs them
 * any more. Who calls: store.c, with the folder's lock held. */
#ifndef WARMSTART_CORE_STORE_FILES_H
#define WARMSTART_CORE_STORE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/manifest.h"

/* For so many seconds a reader may still need a file that nothing refers to any more: it has read the old manifest and
 * not yet opened the segment. */
#define WS_STORE_GRACE 3600

typedef struct ws_temporary {
    int descriptor;
    char name[64];
} ws_temporary;

/* The file's name is "<key>-<random>.temporary". path: the folder's, for messages. */
ws_code ws_temporary_create(ws_temporary *temporary, int directory, uint64_t key_hash, bool public_read,
                            const char *path, ws_error *error);
/* Closes the file and renames it; removes it when that fails. *mtime (may be NULL): the present time by the file
 * system's clock. */
ws_code ws_temporary_rename(ws_temporary *temporary, int directory, const char *name, int64_t *mtime, const char *path,
                            ws_error *error);
void ws_temporary_discard(ws_temporary *temporary, int directory);

/* Starts the time of grace of the segments that `before` names and `after` does not. */
void ws_store_retire(int directory, const ws_manifest *before, const ws_manifest *after);

typedef struct ws_sweep {
    const ws_manifest *manifest; /* the manifest in use; its key is ours */
    int64_t now;                 /* nanoseconds, by the file system's clock */
    uint64_t maximum_waste;      /* bytes that may stay during the time of grace; beyond that the oldest are removed */
    uint32_t maximum_age;        /* seconds after which images of other keys are removed */
} ws_sweep;
void ws_store_sweep(int directory, const ws_sweep *sweep);

/* "<key>-<id>.record", the name of a file of record.c. */
void ws_record_name(char name[64], uint64_t key_hash, uint64_t id);
/* Removes the oldest records beyond that number. A sweep leaves records alone, because no manifest names them. */
void ws_store_sweep_records(int directory, uint32_t maximum);

/* Removes all files that have a name of ours, the lock last. Returns 0, or the first errno. */
int ws_store_remove_all(int directory, uint64_t *removed_size);

#endif
