/* Proves where an image was made. An image in an application's folder may have come with a clone, and then its author
 * could run code that no review shows. So the manifest there carries a check that says "made by this user, here". It is
 * computed with the user's secret over the manifest itself and over each segment's inode, size and time of
 * modification, which a copy does not keep. Checking it reads no file but the secret. Who calls: image.c, store.c. */
#ifndef WARMSTART_CORE_ORIGIN_H
#define WARMSTART_CORE_ORIGIN_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/manifest.h"
#include "core/image/secret.h"

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
