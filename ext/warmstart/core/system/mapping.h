/* A file's bytes in memory. They are mapped, or copied where a mapping is not safe (network and FUSE file systems,
 * WARMSTART_MAP=copy). Reads that may meet a truncated file are guarded. The code is in mapping_posix.c and
 * mapping_windows.c. Where this file says SIGBUS, Windows raises an exception for a page that cannot be read. */
#ifndef WARMSTART_CORE_MAPPING_H
#define WARMSTART_CORE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"

typedef struct ws_mapping {
    const uint8_t *bytes;
    size_t size;
    bool copied; /* on the heap instead of mapped */
} ws_mapping;

/* Maps (read-only, private) or copies `size` bytes of the descriptor, which stays the caller's and may be closed
 * afterwards. On a file system without mappings the bytes are copied. Returns WS_TRUNCATED when size is 0, and
 * WS_UNREADABLE when a copy finds fewer bytes. A mapping does not check this. */
ws_code ws_mapping_open(ws_mapping *mapping, int descriptor, size_t size, bool copy, const char *path, ws_error *error);
void ws_mapping_close(ws_mapping *mapping);

/* Releases the whole pages between two addresses of a mapping from this process's resident memory. The kernel may keep
 * them in its page cache, and the next read brings them back. A copy is not released. */
void ws_mapping_forget(const ws_mapping *mapping, const uint8_t *from, const uint8_t *to);

/* Installs the SIGBUS handler once per process; further calls do nothing. It chains to the handler that was there
 * before. */
void ws_mapping_guard_install(void);
/* Gives the signal's previous handler back, unless somebody has put another one over ours. The next install takes it
 * again. */
void ws_mapping_guard_remove(void);

/* ws_hash64 of bytes inside a mapping. If reading them raises SIGBUS (the file was truncated in place, the disk is
 * dead), it returns WS_UNREADABLE instead of letting the process die. Every other SIGBUS goes to the previous handler.
 * Makes no system call, except that the first call installs the guard if nobody has. Thread-safe, but not reentrant in
 * one thread. Returns WS_SYSTEM or WS_MEMORY, without reading anything, where no guard is available. Sets *hash only
 * with WS_OK. */
ws_code ws_mapping_hash(const void *bytes, size_t size, uint64_t seed, uint64_t *hash);

/* Memory for a copy of some megabytes. Where the system can do that, all pages are allocated at once, because a fault
 * for each page would cost more than the copy. NULL when memory is short. */
void *ws_mapping_allocate(size_t size);
void ws_mapping_release(void *bytes, size_t size);

/* memcpy from a mapping, guarded in the same way. */
ws_code ws_mapping_read_out(void *to, const void *from, size_t size);

#endif
