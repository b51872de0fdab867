/* The manifest says which segments make up an image, and what kind of image it is. It is a small text file that is
 * replaced as a whole by rename. Its last line is a checksum over everything before it.
 *
 *     warmstart manifest 1
 *     key 8899aabbccddeeff
 *     generation 3
 *     flags sealed portable
 *     root /srv/shop
 *     fingerprint Gemfile.lock 00112233445566778899aabbccddeeff
 *     segment 0123456789abcdef 26214400 8899aabbccddeeff
 *     origin 00112233445566778899aabbccddeeff
 *     checksum 0011223344556677
 *
 * `segment ID SIZE HEADER_CHECKSUM`: oldest first; where two segments have the same path, the later one is right.
 * `origin`: the check of origin.h, only in an application's folder. Lines come in this order. Flags, root and origin
 * are left out when they are empty; there may be no fingerprint, but there is at least one segment. In names a newline
 * is written %0A and a percent sign %25. A number can be written in one way only, so a manifest has exactly one text.
 * Who calls: image.c, store.c. */
#ifndef WARMSTART_CORE_MANIFEST_H
#define WARMSTART_CORE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/bytes/hash.h"

#define WS_SEGMENTS_MAXIMUM 12
#define WS_FINGERPRINTS_MAXIMUM 8
#define WS_MANIFEST_SIZE_MAXIMUM 65536

enum { WS_IMAGE_SEALED = 1, WS_IMAGE_PORTABLE = 2, WS_IMAGE_REPRODUCIBLE = 4 };

typedef struct ws_manifest_segment {
    uint64_t id, file_size, header_checksum;
} ws_manifest_segment;
typedef struct ws_manifest_fingerprint {
    char name[256];
    ws_hash128 hash;
} ws_manifest_fingerprint;

typedef struct ws_manifest {
    uint64_t key_hash, generation;
    uint32_t flags;  /* WS_IMAGE_* */
    char root[4096]; /* realpath of the application for which a sealed image was made; "" otherwise */
    uint32_t segment_count, fingerprint_count;
    ws_manifest_segment segments[WS_SEGMENTS_MAXIMUM];
    ws_manifest_fingerprint fingerprints[WS_FINGERPRINTS_MAXIMUM];
    ws_hash128 origin; /* 0, 0: none */
} ws_manifest;

/* Refuses every text that ws_manifest_print would not have written. The codes are WS_MAGIC, WS_FORMAT, WS_CHECKSUM, and
 * WS_BOUNDS when there is too much of something. path: for messages. */
ws_code ws_manifest_parse(ws_manifest *manifest, const char *text, size_t size, const char *path, ws_error *error);
/* Returns the text's size, or 0 when it does not fit. WS_MANIFEST_SIZE_MAXIMUM bytes are always enough. */
size_t ws_manifest_print(const ws_manifest *manifest, char *buffer, size_t buffer_size);
/* "<key>.manifest" and "<key>-<id>.segment"; key and id have 16 lower-case hexadecimal digits. */
void ws_manifest_name(char name[64], uint64_t key_hash);
void ws_segment_name(char name[64], uint64_t key_hash, uint64_t segment_id);
/* Does the manifest name the segment with this id? */
bool ws_manifest_names(const ws_manifest *manifest, uint64_t id);
/* Is the image sealed for the application at `root` in its present state? Hashes the files that the fingerprints name
 * (relative to root, or absolute). WS_FINGERPRINT: the error names the file that differs. An image that is not sealed
 * passes always; a sealed one does not pass when root is NULL. */
ws_code ws_manifest_check_fingerprint(const ws_manifest *manifest, const char *root, ws_error *error);

#endif
