/* The user's secret: random bytes in a file of the user's own cache folder, which never leave it. What Warmstart writes
 * into a folder that anybody's clone might bring along (an application's) carries a check that only these bytes can
 * make, and only such is believed there. The file is made when something is first written. Who calls: origin.c,
 * record.c. */
#ifndef WARMSTART_CORE_SECRET_H
#define WARMSTART_CORE_SECRET_H

#include <stdbool.h>

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/bytes/siphash.h"

/* Known once it was read: `known` is set last, and threads that read it at the same time read the same. */
struct ws_secret {
    const char *path; /* absolute; its folder belongs to Warmstart ("secret" and "lock" are in it) */
    uint8_t key[WS_SIPHASH_KEY_SIZE];
    int known;
};

/* *key: the secret's bytes. Where there is no secret that could be believed, it is made (make), or: WS_ELSEWHERE, since
 * nothing that is here can have been made with it. Other codes: it cannot be read or made. */
ws_code ws_secret_key(ws_secret *secret, bool make, const uint8_t **key, ws_error *error);

#endif
