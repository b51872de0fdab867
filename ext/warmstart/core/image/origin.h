/* Proves where an image was made. An image in an application's folder may have come with a clone, and then its author
 * could run code that no review shows. So the manifest there carries a check that says "made by this user, here". It is
 * computed with the user's secret over the manifest itself and over each segment's inode, size and time of
 * modification, which a copy does not keep. Checking it reads no file but the secret.
 *
 * The secret is random bytes in a file of the user's own cache folder, which they never leave. It is made when a check
 * is first written. Who calls: image.c, store.c, record.c. */
#ifndef WARMSTART_CORE_ORIGIN_H
#define WARMSTART_CORE_ORIGIN_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/manifest.h"
#include "core/bytes/siphash.h"

/* `known` is set last, after the key. Threads that read the file at the same time read the same key. */
struct ws_secret {
    const char *path; /* absolute; its folder belongs to Warmstart, which keeps "secret" and "lock" there */
    uint8_t key[WS_SIPHASH_KEY_SIZE];
    int known;
};

/* *key: the secret's bytes. If there is no secret that can be believed, it is made (make), or the result is
 * WS_ELSEWHERE, since nothing here can have been made with it. Other codes: it cannot be read or made. */
ws_code ws_secret_key(ws_secret *secret, bool make, const uint8_t **key, ws_error *error);

/* Has neither the device, which a reboot changes, nor the ctime, which the segment's own rename changes. */
typedef struct ws_identity {
    uint64_t inode, size;
    int64_t mtime;
} ws_identity;

ws_identity ws_identity_of(const ws_stat *stat);
/* identities: one for each of the manifest's segments, in the manifest's order. WS_ELSEWHERE: the check is missing or
 * differs. path: for messages. */
ws_code ws_origin_check(const ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
                        ws_error *error);
/* Fills manifest->origin. Makes the user's secret if there is none. */
ws_code ws_origin_sign(ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
                       ws_error *error);

#endif
