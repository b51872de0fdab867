/* The opened boot image: the segments of a manifest, searched from the newest to the oldest. A process opens it once,
 * in under a millisecond; it does not change afterwards. The bindings open the one that this process uses
 * (ruby/boot/boot.c) and those that commands show; store.c opens the one that it is about to replace. */
#ifndef WARMSTART_CORE_IMAGE_H
#define WARMSTART_CORE_IMAGE_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/manifest.h"
#include "core/image/segment.h"

typedef struct ws_image {
    ws_manifest manifest;
    ws_segment segments[WS_SEGMENTS_MAXIMUM]; /* in the manifest's order: oldest first */
    uint64_t mapped_size;
    struct ws_handed_out *handed_out; /* payloads whose pages are still in memory; NULL: pages are never given back */
} ws_image;

typedef struct ws_image_options {
    const char *directory; /* the image's folder */
    uint64_t key_hash;
    ws_trust trust;
    bool copy;        /* WARMSTART_MAP=copy; also set for network and FUSE file systems */
    const char *root; /* the application's realpath, for a sealed image's fingerprint; NULL: unknown */
} ws_image_options;

/* WS_MISSING: there is no folder or no manifest, as at a first boot, so no message is due. When a segment is gone, the
 * manifest is read again. WS_INCOMPLETE: it is still the same. WS_CHANGED: it was different each time. error: not
 * NULL. */
ws_code ws_image_open(ws_image *image, const ws_image_options *options, ws_error *error);
/* The same for a folder that is already open and checked. The store uses it while it holds the folder's lock. */
ws_code ws_image_open_at(ws_image *image, int directory, const ws_image_options *options, ws_error *error);
void ws_image_close(ws_image *image);
/* Closes the files, but keeps the tables: a load that has not returned may still look at its entry. No payload is asked
 * for from then on. */
void ws_image_unmap(ws_image *image);

typedef struct ws_found {
    const ws_entry *entry;
    const ws_segment *segment;
} ws_found;

/* The newest entry of a path; .entry is NULL when there is none. */
ws_found ws_image_find(const ws_image *image, const char *path, size_t path_size);
/* Is this entry the one that ws_image_find returns for its path, or has a newer segment replaced it? */
bool ws_image_is_newest(const ws_image *image, const ws_segment *segment, const ws_entry *entry);
/* The number of different paths. */
uint32_t ws_image_count(const ws_image *image);
/* The newest segment that has this section (WS_SECTION_LOAD_PATH for the load-path index, WS_SECTION_STATISTICS), or
 * NULL. */
const ws_segment *ws_image_newest_with(const ws_image *image, ws_section section);
/* The segment with this id, or NULL. */
const ws_segment *ws_image_segment_by_id(const ws_image *image, uint64_t id);
/* Finds the entry's payload, which may lie in an older segment, and verifies its checksum. Guarded against SIGBUS. */
ws_code ws_image_payload(const ws_image *image, ws_found found, const uint8_t **payload, ws_error *error);

/* How an entry compares with the file's present metadata. */
typedef enum ws_freshness {
    WS_FRESH,
    WS_MAY_BE_STALE, /* the metadata differ, but the content may be the same */
    WS_STALE_SIZE,   /* the size differs, so the content does */
    WS_STALE_TYPE    /* no longer a regular file */
} ws_freshness;
/* portable: the flag of the image. Then only the size and the whole seconds of mtime count. *reason is a static string
 * ("mtime", "ctime", "inode", "device", "size" or "type"), or NULL when fresh. */
ws_freshness ws_entry_freshness(const ws_entry *entry, bool portable, const ws_stat *stat, const char **reason);

/* Code was compiled without a warning at the level `recorded`. Is it certain that `current` gives no warning either? */
bool ws_warning_level_covers(uint32_t recorded, uint32_t current);

#endif
