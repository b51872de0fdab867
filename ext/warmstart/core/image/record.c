/* Reads and writes records. A file consists of WS_RECORD_MAGIC, the content's size, its hash, its check and the
 * content. The check is made with the user's secret in an application's folder; elsewhere it is zero. */
#include "core/image/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/image/origin.h"
#include "core/image/store_directory.h"
#include "core/image/store_files.h"
#include "core/system/thread.h"

/* How often we try to take the lock, and how many milliseconds we wait in between. */
enum { LOCK_TRIES = 10, LOCK_PAUSE = 10 };

static const char WS_RECORD_MAGIC[16] = "warmstart rec2\n";

typedef struct record_header {
    char magic[16];
    uint64_t size;
    ws_hash128 hash, origin;
} record_header;

void
ws_record_name(char name[64], uint64_t key_hash, uint64_t id)
{
    snprintf(name, 64, "%016" PRIx64 "-%016" PRIx64 ".record", key_hash, id);
}

/* Reads exactly `size` bytes. Returns 0 or errno, and EIO when the file ends early. */
static int
read_all(int descriptor, void *bytes, size_t size)
{
    size_t read_size = 0;
    int error_number = ws_file_read(descriptor, bytes, size, &read_size);
    return error_number != 0 || read_size == size ? error_number : EIO;
}

static ws_code
check_header(const record_header *header, uint64_t file_size, const char *path, ws_error *error)
{
    if (memcmp(header->magic, WS_RECORD_MAGIC, sizeof header->magic) != 0)
        return ws_error_set(error, WS_MAGIC, 0, "read", path);
    if (header->size > WS_RECORD_SIZE_MAXIMUM) return ws_error_set(error, WS_BOUNDS, 0, "read", path);
    if (header->size != file_size - sizeof *header) return ws_error_set(error, WS_TRUNCATED, 0, "read", path);
    return WS_OK;
}

/* The check covers the record's key and id as well as its content, so that one record cannot pass for another. */
static ws_code
origin_of(ws_secret *secret, bool make, uint64_t key_hash, uint64_t id, const void *bytes, size_t size,
          ws_hash128 *origin, ws_error *error)
{
    const uint8_t *key;

    *origin = (ws_hash128){ 0, 0 };
    if (secret == NULL) return WS_OK;
    ws_code code = ws_secret_key(secret, make, &key, error);
    if (code != WS_OK) return code;
    ws_hash128 content = ws_siphash128(key, bytes, size);
    const uint64_t words[] = { key_hash, id, content.low, content.high };
    *origin = ws_siphash128(key, words, sizeof words);
    return WS_OK;
}

static ws_code
read_content(int descriptor, const ws_stat *stat, void **bytes, size_t *size, ws_hash128 *origin, const char *path,
             ws_error *error)
{
    record_header header;

    if (stat->size < sizeof header) return ws_error_set(error, WS_TRUNCATED, 0, "read", path);
    int error_number = read_all(descriptor, &header, sizeof header);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "read", path);
    ws_code code = check_header(&header, stat->size, path, error);
    if (code != WS_OK) return code;

    *size = (size_t)header.size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "read", path);
    error_number = read_all(descriptor, *bytes, *size);
    ws_hash128 hash = ws_hash128_bytes(*bytes, error_number == 0 ? *size : 0);
    *origin = header.origin;
    if (error_number == 0 && hash.low == header.hash.low && hash.high == header.hash.high) return WS_OK;
    free(*bytes);
    *bytes = NULL;
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "read", path);
    return ws_error_set(error, WS_CHECKSUM, 0, "checksum", path);
}

ws_code
ws_record_read(const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id, void **bytes, size_t *size,
               ws_error *error)
{
    ws_stat stat;
    ws_hash128 found = { 0, 0 }, origin;
    char name[64];

    *bytes = NULL;
    int folder = ws_trust_open_directory(directory, trust, &stat, error);
    if (folder < 0) return error->code;
    ws_record_name(name, key_hash, id);
    int descriptor = ws_trust_open_file(folder, directory, name, trust, &stat, error);
    ws_file_close(folder);
    if (descriptor < 0) return error->code;
    ws_code code = read_content(descriptor, &stat, bytes, size, &found, name, error);
    ws_file_close(descriptor);
    if (code != WS_OK || trust->secret == NULL) return code;
    code = origin_of(trust->secret, false, key_hash, id, *bytes, *size, &origin, error);
    if (code == WS_OK && (origin.low != found.low || origin.high != found.high))
        code = ws_error_set(error, WS_ELSEWHERE, 0, "origin", name);
    if (code == WS_OK) return WS_OK;
    free(*bytes);
    *bytes = NULL;
    return code;
}

static ws_code
write_into(int folder, const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id, const void *bytes,
           size_t size, int64_t *mtime, ws_error *error)
{
    record_header header = { .size = size, .hash = ws_hash128_bytes(bytes, size) };
    ws_temporary temporary;
    char name[64];

    memcpy(header.magic, WS_RECORD_MAGIC, sizeof header.magic);
    ws_code code = origin_of(trust->secret, true, key_hash, id, bytes, size, &header.origin, error);
    if (code == WS_OK) code = ws_temporary_create(&temporary, folder, key_hash, false, directory, error);
    if (code == WS_OK) code = ws_temporary_write(&temporary, folder, &header, sizeof header, directory, error);
    if (code == WS_OK) code = ws_temporary_write(&temporary, folder, bytes, size, directory, error);
    if (code != WS_OK) return code;
    ws_record_name(name, key_hash, id);
    code = ws_temporary_rename(&temporary, folder, name, mtime, directory, error);
    if (code == WS_OK) ws_store_sweep_records(folder, WS_RECORDS_MAXIMUM);
    return code;
}

/* Takes the folder's lock, like everything that writes. Its holder writes an image, which is soon done unless the
 * holder was stopped. The program waits for us, so we give up after LOCK_TRIES. */
static ws_code
write_locked(int folder, const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id,
             const void *bytes, size_t size, int64_t *mtime, ws_error *error)
{
    int lock = -1;

    ws_code code = ws_store_lock(folder, directory, trust, false, &lock, error);
    for (int tries = 1; code == WS_LOCK && tries < LOCK_TRIES; tries++) {
        ws_thread_sleep(LOCK_PAUSE);
        code = ws_store_lock(folder, directory, trust, false, &lock, error);
    }
    if (code != WS_OK) return code;
    code = write_into(folder, directory, trust, key_hash, id, bytes, size, mtime, error);
    ws_file_unlock(lock);
    ws_file_close(lock);
    return code;
}

ws_code
ws_record_write(const char *directory, const ws_anchor *anchor, const ws_trust *trust, uint64_t key_hash, uint64_t id,
                const void *bytes, size_t size, int64_t *mtime, ws_error *error)
{
    if (size > WS_RECORD_SIZE_MAXIMUM) return ws_error_set(error, WS_FULL, 0, "write", directory);
    ws_code code = ws_store_directory_make(directory, trust, false, anchor, error);
    if (code != WS_OK) return code;
    int folder = ws_store_directory_open(directory, trust, false, error);
    if (folder < 0) return error->code;
    code = write_locked(folder, directory, trust, key_hash, id, bytes, size, mtime, error);
    ws_file_close(folder);
    return code;
}
