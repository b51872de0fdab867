/* The opened boot image: a manifest's segments, looked up newest first. Opened once a process, in under a millisecond;
 * nothing in it changes afterwards. Who calls: the loader and inspector bindings, store.c (compaction). */
#ifndef WARMSTART_CORE_IMAGE_H
#define WARMSTART_CORE_IMAGE_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/manifest.h"
#include "core/image/segment.h"

typedef struct ws_image {
    ws_manifest manifest;
    ws_segment segments[WS_SEGMENTS_MAXIMUM]; /* as in the manifest: oldest first */
    uint64_t mapped_size;
    struct ws_handed_out *handed_out; /* payloads whose pages are still ours; NULL: none are given back */
} ws_image;

typedef struct ws_image_options {
    const char *directory; /* the image's folder */
    uint64_t key_hash;
    ws_trust trust;
    bool copy;        /* WARMSTART_MAP=copy; implied on network and FUSE file systems */
    const char *root; /* application's realpath for a sealed image's fingerprint; NULL: none known */
} ws_image_options;

/* WS_MISSING when there is no folder or no manifest (a first boot: not worth a line). A segment that vanished makes it
 * read the manifest again: WS_INCOMPLETE where it is the same one, WS_CHANGED where it is another one each time. */
ws_code ws_image_open(ws_image *image, const ws_image_options *options, ws_error *error);
/* The same for a folder that is open already (and checked): the store, which holds its lock. */
ws_code ws_image_open_at(ws_image *image, int directory, const ws_image_options *options, ws_error *error);
void ws_image_close(ws_image *image);

typedef struct ws_found {
    const ws_entry *entry;
    const ws_segment *segment;
} ws_found;

/* The newest entry of a path; .entry is NULL when there is none. */
ws_found ws_image_find(const ws_image *image, const char *path, size_t path_size);
/* Is it what ws_image_find gives for its path, rather than a version that a newer segment replaces? */
bool ws_image_is_newest(const ws_image *image, const ws_segment *segment, const ws_entry *entry);
/* How many paths there are. */
uint32_t ws_image_count(const ws_image *image);
/* The newest segment that has a section: WS_SECTION_LOAD_PATH for the load-path index, WS_SECTION_STATISTICS. NULL:
 * none. */
const ws_segment *ws_image_newest_with(const ws_image *image, ws_section section);
/* NULL: none has that id. */
const ws_segment *ws_image_segment_by_id(const ws_image *image, uint64_t id);
/* Address and verified checksum of the entry's payload (it may lie in an older segment). Guarded against SIGBUS. */
ws_code ws_image_payload(const ws_image *image, ws_found found, const uint8_t **payload, ws_error *error);

/* How an entry stands against the file's present metadata. */
typedef enum ws_freshness {
    WS_FRESH,
    WS_CHECK_CONTENT, /* metadata differ in a way that the same content may have */
    WS_STALE_SIZE,    /* another size: surely another content */
    WS_STALE_TYPE     /* not a regular file any more */
} ws_freshness;
/* portable: of the segment that the entry lies in (header's flags): size and whole seconds of mtime count.
 * *reason (static): "mtime", "ctime", "inode", "device", "size", "type"; NULL when fresh. */
ws_freshness ws_entry_freshness(const ws_entry *entry, bool portable, const ws_stat *stat, const char **reason);

/* Is something compiled silently at `recorded` silent at `current`, too? */
bool ws_warning_level_covers(uint32_t recorded, uint32_t current);

#endif
