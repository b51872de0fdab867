/* Records: small files beside the image that keep one result each (what Bundler found out), whole and under a checksum.
 * A record is believed by the same rules as the image, because what it says decides which code runs. Replaced as a
 * whole by rename: the last writer wins. Who calls: ruby/boot/records.c. */
#ifndef WARMSTART_CORE_RECORD_H
#define WARMSTART_CORE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/system/file.h"

#define WS_RECORD_SIZE_MAXIMUM (16u << 20)
/* How many may lie in a folder; beyond that the oldest go. */
#define WS_RECORDS_MAXIMUM 32

/* Reads the record's content into *bytes (malloc; the caller frees). WS_MISSING, or why it is not believed. */
ws_code ws_record_read(const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id, void **bytes,
                       size_t *size, ws_error *error);
/* Makes the folder where it is missing (0700) and writes the record (0600 whatever the umask). WS_FOREIGN_OWNER: the
 * folder is somebody else's; WS_LOCK: its lock does not work, or another process has it. Nothing is written then.
 * *mtime (may be NULL): the file system's idea of now. */
ws_code ws_record_write(const char *directory, const ws_trust *trust, uint64_t key_hash, uint64_t id, const void *bytes,
                        size_t size, int64_t *mtime, ws_error *error);

#endif
