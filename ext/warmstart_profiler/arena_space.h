/* The memory of an arena: a reserved range of addresses that is filled from its beginning. Implemented by
 * arena_space_posix.c and arena_space_windows.c; plain C. Who calls: arena.c. */
#ifndef WARMSTART_PROFILER_ARENA_SPACE_H
#define WARMSTART_PROFILER_ARENA_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#define WS_SPACE_RESERVED ((size_t)1 << 30)
#define WS_SPACE_STEP ((size_t)4 << 20)

/* Reserves the range and returns its first address, or NULL with errno set. path names the file that will be mapped
 * there; NULL means memory. */
char *ws_space_reserve(const char *path);
/* Adds one step of zeroed memory at base + allocated. The first step of a file creates the file. After false, errno has
 * the reason. */
bool ws_space_grow(char *base, size_t allocated);
void ws_space_release(char *base, size_t allocated);

#endif
