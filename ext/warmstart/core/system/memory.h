/* How much memory and CPU time and how many descriptors this process uses now. The governor compares them with its
 * limits. The code is in memory_posix.c and memory_windows.c. */
#ifndef WARMSTART_CORE_MEMORY_H
#define WARMSTART_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ws_memory {
    size_t size; /* bytes of this process alone: resident, and without shared memory where the system tells that */
    int lowest_free_file; /* the descriptor that the next open would get */
} ws_memory;

/* Returns false if the system does not tell. Keeps no descriptor open. */
bool ws_memory_now(ws_memory *memory);

/* The largest number of bytes that were resident at any time; 0 if unknown. Needs no descriptor. On Linux the number
 * survives exec. */
size_t ws_memory_peak(void);

/* Reads at most `size` bytes of a kernel file (/proc, /sys). Returns how many it read, or -1. */
long ws_memory_read(const char *path, char *text, size_t size);

/* How many more bytes this process may use, as far as a system call tells; 0 if no system call tells it. */
uint64_t ws_memory_available(void);

/* How many descriptors a program may have, as far as the system says; 0 if unknown. */
size_t ws_memory_file_limit(void);

/* Nanoseconds of CPU time that this process has used; 0 if unknown. */
int64_t ws_cpu_now(void);

/* ---- What limits the memory that this process may use, and how much of it is left at the moment. On POSIX systems the
 * kernel tells this in files, which lib/warmstart/boot/memory_limits.rb finds. The code is in memory_limits.c. ---- */

/* A control group's limit in bytes. usage: the file that has the number of bytes in use. statistics: the file in which
 * a line `cached` has the bytes of files that were not used for a while; the kernel gives these up before anything
 * else, so they count as free. */
typedef struct ws_memory_limit {
    uint64_t limit;
    const char *usage, *statistics, *cached;
} ws_memory_limit;

/* Forgets all limits. Then the machine's own is the file `machine` (/proc/meminfo). Returns false if there is no memory
 * for the name. */
bool ws_memory_limits_begin(const char *machine);

/* Adds a group. Copies the texts. Returns false if there is no memory for it. */
bool ws_memory_limits_add(const ws_memory_limit *limit);

/* Returns the least number of bytes that any of the limits leaves; UINT64_MAX if nothing tells. */
uint64_t ws_memory_left(void);

#endif
