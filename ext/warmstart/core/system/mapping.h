/* A file's bytes in memory: mapped, or copied where a mapping is not safe (network and FUSE file systems,
 * WARMSTART_MAP=copy). Reads that may meet a truncated file go through ws_mapping_guard. mapping_posix.c or
 * mapping_windows.c, where for SIGBUS read: an exception for a page that cannot be had. */
#ifndef WARMSTART_CORE_MAPPING_H
#define WARMSTART_CORE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"

typedef struct ws_mapping {
    const uint8_t *bytes;
    size_t size;
    bool copied; /* on the heap, not mapped */
} ws_mapping;

/* Maps (read-only, private) or copies `size` bytes of descriptor, which the caller still owns and may close after. A
 * file system without mappings is copied. WS_TRUNCATED when size is 0, WS_UNREADABLE when a copy finds fewer bytes; a
 * mapping does not look. */
ws_code ws_mapping_open(ws_mapping *mapping, int descriptor, size_t size, bool copy, const char *path, ws_error *error);
void ws_mapping_close(ws_mapping *mapping);

/* The whole pages between two addresses of a mapping no longer count as this process's resident memory; the kernel may
 * keep them in its page cache, and the next read brings them back. Of a copy nothing is given back. */
void ws_mapping_forget(const ws_mapping *mapping, const uint8_t *from, const uint8_t *to);

/* Installs the SIGBUS handler once a process (idempotent). It chains to the handler that was there before. */
void ws_mapping_guard_install(void);

/* ws_hash64 of bytes inside a mapping. A SIGBUS on the way (file truncated in place, dead disk) makes it return
 * WS_UNREADABLE instead of killing the process; every other SIGBUS is the previous handler's. No system call (but for
 * the first call, which installs the guard if nobody did). Thread-safe; not reentrant in one thread. WS_SYSTEM or
 * WS_MEMORY where no guard can be had: then nothing is read. *hash is set with WS_OK only. */
ws_code ws_mapping_hash(const void *bytes, size_t size, uint64_t seed, uint64_t *hash);

/* Memory for a copy of some megabytes, its pages there at once where the system can do that: page by page, faults would
 * cost more than the copy. NULL when memory is short. */
void *ws_mapping_allocate(size_t size);
void ws_mapping_release(void *bytes, size_t size);

/* memcpy out of a mapping, guarded in the same way. */
ws_code ws_mapping_read_out(void *to, const void *from, size_t size);

#endif
