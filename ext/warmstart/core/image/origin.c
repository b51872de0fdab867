/* The check that proves that an image was made by this user on this machine, and the user's secret with which it is
 * made. The secret's file has a title of 16 bytes and 16 random bytes. */
#include "core/image/origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/store_directory.h"
#include "core/image/store_files.h"

/* ---- the secret ---- */

static const char title[16] = "warmstart key 1";

typedef struct secret_file {
    char title[16];
    uint8_t key[WS_SIPHASH_KEY_SIZE];
} secret_file;

/* The file must belong to this process's user, and nobody else may read or write it: anybody who knows the secret can
 * make valid checks. */
static ws_code
check_owner(const ws_stat *stat)
{
    if (stat->type != WS_TYPE_REGULAR) return WS_NOT_REGULAR;
    if (stat->owner != ws_file_user() || !ws_file_owner_is_known(stat->owner)) return WS_FOREIGN_OWNER;
    return ws_file_is_private(stat) ? WS_OK : WS_WRITABLE;
}

static ws_code
read_file(const char *path, uint8_t *key, ws_error *error)
{
    secret_file file;
    ws_stat stat;
    size_t size = 0;
    int descriptor;

    int error_number = ws_file_open(path, WS_OPEN_FILE_ITSELF, &descriptor);
    if (error_number == ENOENT || error_number == ENOTDIR)
        return ws_error_set(error, WS_MISSING, error_number, "open", path);
    if (error_number == ELOOP) return ws_error_set(error, WS_NOT_REGULAR, error_number, "open", path);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "open", path);
    error_number = ws_file_stat_trust(descriptor, &stat);
    ws_code code = error_number == 0 ? check_owner(&stat) : WS_SYSTEM;
    if (code == WS_OK && (error_number = ws_file_read(descriptor, &file, sizeof file, &size)) != 0) code = WS_SYSTEM;
    ws_file_close(descriptor);
    if (code == WS_OK &&
        (stat.size != sizeof file || size != sizeof file || memcmp(file.title, title, sizeof title) != 0))
        code = WS_MAGIC;
    if (code == WS_OK) memcpy(key, file.key, sizeof file.key);
    return code == WS_OK ? WS_OK : ws_error_set(error, code, error_number, "read", path);
}

/* Did this fail because there is no usable secret? The other failures come from the system and may pass. */
static bool
is_no_secret(ws_code code)
{
    return code != WS_OK && code != WS_SYSTEM && code != WS_MEMORY;
}

static ws_code
write_file(int directory, const char *folder, const char *name, ws_error *error)
{
    secret_file file;
    ws_temporary temporary;

    memcpy(file.title, title, sizeof title);
    int error_number = ws_random_bytes(file.key, sizeof file.key);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "read", "random numbers");
    ws_code code = ws_temporary_create(&temporary, directory, 0, false, folder, error);
    if (code == WS_OK) code = ws_temporary_write(&temporary, directory, &file, sizeof file, folder, error);
    return code == WS_OK ? ws_temporary_rename(&temporary, directory, name, NULL, folder, error) : code;
}

/* Holds the folder's lock, so that two first boots at the same time get the same secret. */
static ws_code
make_locked(const char *folder, const char *path, uint8_t *key, ws_error *error)
{
    ws_trust trust = { .user = ws_file_user(), .application_owner = ws_file_user() };
    int lock = -1;

    ws_code code = ws_store_directory_make(folder, &trust, false, NULL, error);
    if (code != WS_OK) return code;
    int directory = ws_store_directory_open(folder, &trust, false, error);
    if (directory < 0) return error->code;
    code = ws_store_lock(directory, folder, &trust, true, &lock, error);
    if (code == WS_OK) {
        code = read_file(path, key, error);
        if (is_no_secret(code)) {
            code = write_file(directory, folder, strrchr(path, '/') + 1, error);
            if (code == WS_OK) code = read_file(path, key, error);
        }
        ws_file_unlock(lock);
        ws_file_close(lock);
    }
    ws_file_close(directory);
    return code;
}

static ws_code
make_file(const char *path, uint8_t *key, ws_error *error)
{
    char *folder = strdup(path);
    if (folder == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "open", path);
    *strrchr(folder, '/') = '\0';
    ws_code code = make_locked(folder, path, key, error);
    free(folder);
    return code;
}

ws_code
ws_secret_key(ws_secret *secret, bool make, const uint8_t **key, ws_error *error)
{
    uint8_t found[WS_SIPHASH_KEY_SIZE];

    *key = secret->key;
    if (__atomic_load_n(&secret->known, __ATOMIC_ACQUIRE)) return WS_OK;
    ws_code code = read_file(secret->path, found, error);
    if (is_no_secret(code)) code = make ? make_file(secret->path, found, error) : WS_ELSEWHERE;
    if (code == WS_OK) {
        memcpy(secret->key, found, sizeof found);
        __atomic_store_n(&secret->known, 1, __ATOMIC_RELEASE);
        return WS_OK;
    }
    error->code = code;
    return code;
}

/* ---- the check ---- */

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
