/* The image's folder, for writers: lock, publish, compact, clean up. Readers never come here. Everything that changes
 * the folder happens while its lock is held; without a working lock nothing is written. Who calls: the recorder's
 * native thread, `warmstart build` and `clear`. */
#ifndef WARMSTART_CORE_STORE_H
#define WARMSTART_CORE_STORE_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/image.h"
#include "core/image/manifest.h"
#include "core/image/segment_writer.h"

typedef struct ws_store_options {
    const char *directory; /* made (0700, with its parents) when missing */
    uint64_t key_hash;
    ws_trust trust;        /* a folder that belongs to somebody else is read-only for us: WS_FOREIGN_OWNER */
    uint64_t maximum_size; /* bytes of one image; 0: 512 MiB. Beyond it the image is compacted, then begun anew */
    uint32_t maximum_age;  /* seconds after which images of other keys are removed; 0: 30 days */
    uint32_t image_flags;  /* WS_IMAGE_*: set in the manifest that is published */
    bool replace;          /* the new segment is the whole image (build) rather than one more */
    bool public_read;      /* --seal: 0755 and 0644 rather than 0700 and 0600; a folder that exists is opened up */
    bool wait;             /* wait for the lock (build) rather than give up (recorder: somebody else is writing) */
    const char *root;      /* for the manifest; "" or NULL: none */
    const ws_manifest_fingerprint *fingerprints;
    uint32_t fingerprint_count;
} ws_store_options;

/* Opened and locked folder. While it is open, ws_store_image is the image as it is on disk now (or NULL): what a writer
 * compares with, since another process may have published after we opened ours. Publishing replaces it: what was found
 * in it before must not be used after. WS_LOCK: somebody else is writing (error_number EWOULDBLOCK), or there is no
 * working lock. WS_FOREIGN_OWNER, WS_WRITABLE: not a folder of ours. An image that is proven to be broken is begun
 * anew; with `replace` also one that is refused (sealed for another application). One that cannot be read at the moment
 * is an error, and stays as it is; so does one whose flags are others than ours (WS_CHANGED): it was built meanwhile.
 */
typedef struct ws_store ws_store;

ws_code ws_store_open(ws_store **store, const ws_store_options *options, ws_error *error);
const ws_image *ws_store_image(const ws_store *store);

/* Writes the segment to a temporary file (mode whatever the umask, no fsync: checksums reject torn files), renames it,
 * and publishes it in the manifest; compacts when there are too many segments or the deltas pass half of the base;
 * removes unreferenced segments, temporary files (both only when an hour old, or when they are more than maximum_size
 * together) and other keys' images (by age). WS_FULL: the disk, or the segment alone passes maximum_size; the image
 * stays as it was. published may be NULL. */
typedef struct ws_published {
    uint64_t generation, segment_id, image_size;
    uint32_t segment_count, entry_count;
    bool compacted;
} ws_published;
ws_code ws_store_publish(ws_store *store, ws_segment_writer *writer, ws_published *published, ws_error *error);

/* Releases lock and memory. A fork's child must not use it: it calls ws_store_abandon_after_fork, which only closes
 * descriptors (async-signal-safe) so that the parent's lock is not held by the child. At most WS_STORES_MAXIMUM are
 * open at a time in a process. */
enum { WS_STORES_MAXIMUM = 8 };
void ws_store_close(ws_store *store);
void ws_store_abandon_after_fork(void);

/* Removes everything that is ours in the folder (manifests, segments, temporary files, lock), nothing else; waits for
 * the lock. A folder that does not exist is clear. *removed_size (may be NULL): bytes. */
ws_code ws_store_clear(const char *directory, const ws_trust *trust, uint64_t *removed_size, ws_error *error);

/* Compaction's question for each entry: is it worth keeping? Set by the caller (default: keep when the path still
 * exists). Where the image would still be too large, entries go from the oldest segment first, and in it the last of
 * the boot first: a boot that finds its beginning stays warm for longest. */
typedef bool (*ws_store_keep)(void *data, const char *path, size_t path_size, const ws_entry *entry);
void ws_store_set_keep(ws_store *store, ws_store_keep keep, void *data);

#endif
