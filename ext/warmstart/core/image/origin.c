/* The check that proves that an image was made by this user on this machine. */
#include "core/image/origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

ws_identity
ws_identity_of(const ws_stat *stat)
{
    return (ws_identity){ stat->inode, stat->size, stat->mtime };
}

static uint8_t *
put_number(uint8_t *at, uint64_t number)
{
    for (int i = 0; i < 8; i++) *at++ = (uint8_t)(number >> (8 * i));
    return at;
}

/* Computes the check over the manifest's text without its origin line, and over the identities. */
static ws_code
origin_of(const ws_manifest *manifest, const ws_identity *identities, const uint8_t *key, ws_hash128 *origin,
          const char *path, ws_error *error)
{
    ws_manifest bare = *manifest;
    char *text = malloc(WS_MANIFEST_SIZE_MAXIMUM + WS_SEGMENTS_MAXIMUM * sizeof *identities);

    if (text == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "origin", path);
    bare.origin = (ws_hash128){ 0, 0 };
    size_t size = ws_manifest_print(&bare, text, WS_MANIFEST_SIZE_MAXIMUM);
    uint8_t *end = (uint8_t *)text + size;
    for (uint32_t i = 0; i < manifest->segment_count; i++) {
        end = put_number(end, identities[i].inode);
        end = put_number(end, identities[i].size);
        end = put_number(end, (uint64_t)identities[i].mtime);
    }
    *origin = ws_siphash128(key, text, (size_t)(end - (uint8_t *)text));
    free(text);
    return size > 0 ? WS_OK : ws_error_set(error, WS_BOUNDS, 0, "origin", path);
}

ws_code
ws_origin_check(const ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
                ws_error *error)
{
    const uint8_t *key;
    ws_hash128 origin;

    ws_code code = ws_secret_key(secret, false, &key, error);
    if (code == WS_ELSEWHERE) return ws_error_set(error, WS_ELSEWHERE, 0, "origin", path);
    if (code == WS_OK) code = origin_of(manifest, identities, key, &origin, path, error);
    if (code != WS_OK) return code;
    bool same = origin.low == manifest->origin.low && origin.high == manifest->origin.high;
    return same ? WS_OK : ws_error_set(error, WS_ELSEWHERE, 0, "origin", path);
}

ws_code
ws_origin_sign(ws_manifest *manifest, const ws_identity *identities, ws_secret *secret, const char *path,
               ws_error *error)
{
    const uint8_t *key;

    ws_code code = ws_secret_key(secret, true, &key, error);
    return code == WS_OK ? origin_of(manifest, identities, key, &manifest->origin, path, error) : code;
}
