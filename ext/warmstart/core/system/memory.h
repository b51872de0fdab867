/* What this process takes of the machine now: for the governor's limits. memory_posix.c or memory_windows.c. */
#ifndef WARMSTART_CORE_MEMORY_H
#define WARMSTART_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ws_memory {
    size_t size;          /* bytes that are this process's own (resident, not shared where the system tells that) */
    int lowest_free_file; /* the descriptor that the next open would get */
} ws_memory;

/* false: the system does not tell. Keeps no descriptor. */
bool ws_memory_now(ws_memory *memory);

/* The most bytes that were resident at any time, asked for without a descriptor; 0: not known. Linux hands it on by
 * exec. */
size_t ws_memory_peak(void);

/* At most `size` bytes of a file of the kernel's (/proc, /sys). Bytes that were read, or -1. */
long ws_memory_read(const char *path, char *text, size_t size);

/* Bytes that this process may still take, as far as a call of the system tells; 0: it tells otherwise, if at all. */
uint64_t ws_memory_available(void);

/* How many descriptors a program may have, as far as the system says; 0: not known. */
size_t ws_memory_file_limit(void);

/* Nanoseconds of CPU time that this process has used; 0: not known. */
int64_t ws_cpu_now(void);

#endif
