/* Files in the image's folder: written under a temporary name and renamed, and removed when nobody needs them any more.
 * Who calls: store.c, with the folder's lock held. */
#ifndef WARMSTART_CORE_STORE_FILES_H
#define WARMSTART_CORE_STORE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/manifest.h"

/* Seconds for which a file that nobody refers to may still be wanted by a reader between manifest and segment. */
#define WS_STORE_GRACE 3600

typedef struct ws_temporary {
    int descriptor;
    char name[64];
} ws_temporary;

/* "<key>-<random>.temporary". path: the folder's, for messages. */
ws_code ws_temporary_create(ws_temporary *temporary, int directory, uint64_t key_hash, bool public_read,
                            const char *path, ws_error *error);
/* Closes it and gives it its name; removes it when that fails. *mtime (may be NULL): the file system's idea of now. */
ws_code ws_temporary_rename(ws_temporary *temporary, int directory, const char *name, int64_t *mtime, const char *path,
                            ws_error *error);
void ws_temporary_discard(ws_temporary *temporary, int directory);

/* Begins the time of grace of segments that `before` names and `after` does not. */
void ws_store_retire(int directory, const ws_manifest *before, const ws_manifest *after);

typedef struct ws_sweep {
    const ws_manifest *manifest; /* what is in use; its key is ours */
    int64_t now;                 /* nanoseconds, by the file system's clock */
    uint64_t maximum_waste;      /* bytes that may lie about during the time of grace; the oldest beyond that go */
    uint32_t maximum_age;        /* seconds: images of other keys */
} ws_sweep;
void ws_store_sweep(int directory, const ws_sweep *sweep);

/* "<key>-<id>.record": what record.c keeps. */
void ws_record_name(char name[64], uint64_t key_hash, uint64_t id);
/* Removes the oldest records beyond that number. (They belong to no manifest: a sweep leaves them alone.) */
void ws_store_sweep_records(int directory, uint32_t maximum);

/* Removes all files that have a name of ours, the lock last. 0, or the first errno. */
int ws_store_remove_all(int directory, uint64_t *removed_size);

#endif
