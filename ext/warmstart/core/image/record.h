/* Records are small files beside the image. Each keeps one result, such as what Bundler found out, under a checksum. A
 * record is believed by the same rules as the image, because what it says decides which code runs. A write replaces the
 * whole file by rename, so the last writer wins. */
#ifndef WARMSTART_CORE_RECORD_H
#define WARMSTART_CORE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/image/store_directory.h"

#define WS_RECORD_SIZE_MAXIMUM (16u << 20)
/* A folder keeps at most this many records; the oldest are removed. */
#define WS_RECORDS_MAXIMUM 32

/* "<key>-<id>.record", the name of the file. */
void ws_record_name(char name[64], uint64_t key_hash, uint64_t id);
/* Reads the record's content into *bytes, which the caller frees. WS_MISSING: there is no such record. Other codes say
 * why it is not believed. */
ws_code ws_record_read(const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id, void **bytes,
                       size_t *size, ws_error *error);
/* Writes the record with mode 0600, and makes the folder with mode 0700 if it is missing, whatever the umask is.
 * Nothing is written in these cases: WS_FOREIGN_OWNER: the folder is another user's; WS_LOCK: its lock does not work,
 * or another process holds it; WS_CHANGED: the place is another one than when the boot began (anchor, which may be
 * NULL: store_directory.h). *mtime (may be NULL): the present time by the file system's clock. */
ws_code ws_record_write(const char *directory, const ws_anchor *anchor, const ws_trust *trust, uint64_t key_hash,
                        uint64_t id, const void *bytes, size_t size, int64_t *mtime, ws_error *error);

#endif
