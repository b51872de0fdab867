/* The user's secret: random bytes in a file of the user's own cache folder, which they never leave. Where Warmstart
 * writes into a folder that may have come with a clone (an application's), it adds a check that only these bytes can
 * make, and there it believes only what has a valid check. The secret is made when a check is first written. Who calls:
 * origin.c, record.c. */
#ifndef WARMSTART_CORE_SECRET_H
#define WARMSTART_CORE_SECRET_H

#include <stdbool.h>

#include "core/system/error.h"
#include "core/system/file.h"
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

#endif
