/* Where an image was made. One that lies in an application's folder may have come with a clone, by which its author
 * would run code that no review shows. So the manifest there carries a check, by the user's secret, over itself and
 * over what each segment's file is (inode, size, time of modification: what a copy does not keep): "made by this user,
 * here". Nothing needs to be read for it but the secret. Who calls: image.c, store.c. */
#ifndef WARMSTART_CORE_ORIGIN_H
#define WARMSTART_CORE_ORIGIN_H

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/manifest.h"
#include "core/image/secret.h"

/* Neither device nor ctime: a reboot changes the one, the segment's own rename the other. */
typedef struct ws_identity {
    uint64_t inode, size;
    int64_t mtime;
} ws_identity;

ws_identity ws_identity_of(const ws_stat *stat);
/* identities: of the manifest's segments, in its order. WS_ELSEWHERE: the check is missing, or another. path: for
 * messages. */
ws_code ws_origin_check(const ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
                        ws_error *error);
/* Fills manifest->origin. Makes the secret where there is none. */
ws_code ws_origin_sign(ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
                       ws_error *error);

#endif
