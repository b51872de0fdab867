/* What limits the memory that this process may use, and how much of it is left at the moment. On POSIX systems the
 * kernel tells this in files, which lib/warmstart/boot/memory_limits.rb finds. */
#ifndef WARMSTART_CORE_MEMORY_LIMITS_H
#define WARMSTART_CORE_MEMORY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

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
