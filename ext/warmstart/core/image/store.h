/* The image's folder for writers: lock, publish, compact, clean up. Readers do not use this file. Everything that
 * changes the folder happens under its lock; without a working lock nothing is written. Who calls: the recorder's
 * native thread, adoption, `warmstart build` and `clear`. (A pull puts its files in place by itself, under the same
 * lock: stores/arrival.rb.) */
#ifndef WARMSTART_CORE_STORE_H
#define WARMSTART_CORE_STORE_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/image.h"
#include "core/image/manifest.h"
#include "core/image/segment_writer.h"
#include "core/image/store_directory.h"

typedef struct ws_store_options {
    const char *directory; /* is made when it is missing, with its parents (ws_store_directory_make) */
    ws_anchor anchor;      /* where it led when the boot began; {0}: it may be anywhere */
    uint64_t key_hash;
    ws_trust trust;        /* a folder of another user is read-only for us: WS_FOREIGN_OWNER */
    uint64_t maximum_size; /* bytes of one image; 0: 512 MiB. A larger image is compacted; if that is not enough, it is
                              begun anew */
    uint32_t image_flags;  /* WS_IMAGE_*: set in the manifest that is published */
    bool replace;          /* the new segment replaces the whole image (build) instead of being added to it */
    bool public_read;      /* --seal: modes 0755 and 0644 instead of 0700 and 0600, for an existing folder too */
    bool wait; /* wait for the lock (build) instead of giving up (recorder: then another process is writing) */
    bool own_descriptors; /* the calling thread has a table of descriptors of its own (core/system/thread.h) */
    bool keep_gone;       /* tests: compaction keeps entries of files that do not exist */
    int64_t began;        /* seconds since the epoch: when this boot began; 0: unknown */
    const char *root;     /* for the manifest; NULL: none */
    const ws_manifest_fingerprint *fingerprints;
    uint32_t fingerprint_count;
} ws_store_options;

/* An opened and locked folder. ws_store_image returns the image that is on disk now, or NULL. A writer compares with
 * this image, because another process may have published since the boot opened its own. Publishing replaces the image,
 * so nothing that was found in it before may be used afterwards.
 *
 * An image that is proven to be broken is begun anew; with `replace`, so is one that is refused because it is sealed
 * for another application. These are errors: WS_LOCK: another process is writing (error_number EWOULDBLOCK), or there
 * is no working lock. WS_FOREIGN_OWNER, WS_WRITABLE: the folder is not ours alone. WS_CHANGED: the image was built
 * meanwhile with other flags. An image that cannot be read at the moment is an error too. In all these cases the image
 * stays as it is. */
typedef struct ws_store ws_store;

/* options: must live until the last publication. error is never NULL in this file. */
ws_code ws_store_open(ws_store **store, const ws_store_options *options, ws_error *error);
const ws_image *ws_store_image(const ws_store *store);

/* Publishes a segment: writes it to a temporary file, renames it and names it in the manifest. The mode does not depend
 * on the umask. There is no fsync, because checksums reject a torn file. Then it compacts if there are too many
 * segments or too much that is not used (ws_compaction_due). Compaction keeps the entries whose path exists. If the
 * image would still be too large, entries are dropped from the oldest segment first, and in it those that a boot loads
 * last: a boot whose first files are in the image stays warm for longest. At last it removes segments and temporary
 * files to which no manifest refers (when they are an hour old, or when together they exceed a limit) and images of
 * other keys (after 30 days). WS_FULL: the disk is full, or the segment alone exceeds maximum_size; the image stays as
 * it was. published may be NULL. */
typedef struct ws_published {
    uint64_t generation, segment_id, image_size;
    uint32_t segment_count, entry_count;
    bool compacted;
} ws_published;
ws_code ws_store_publish(ws_store *store, ws_segment_writer *writer, ws_published *published, ws_error *error);

/* Releases lock and memory. A forked child must not call it. The child calls ws_store_abandon_after_fork, which only
 * closes descriptors (async-signal-safe), so that the child does not hold the parent's lock. A process can have at most
 * WS_STORES_MAXIMUM stores open at a time. */
enum { WS_STORES_MAXIMUM = 8 };
void ws_store_close(ws_store *store);
void ws_store_abandon_after_fork(void);

/* Waits for the lock and removes all our files in the folder (manifests, segments, temporary files, lock) and nothing
 * else. A folder that does not exist counts as cleared. *removed_size: bytes. */
ws_code ws_store_clear(const char *directory, const ws_trust *trust, uint64_t *removed_size, ws_error *error);

#endif
