/* The memory that an arena lies in: a reserved range of addresses, filled from its beginning. arena_space_posix.c or
 * arena_space_windows.c; plain C. Who calls: arena.c. */
#ifndef WARMSTART_PROFILER_ARENA_SPACE_H
#define WARMSTART_PROFILER_ARENA_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#define WS_SPACE_RESERVED ((size_t)1 << 30)
#define WS_SPACE_STEP ((size_t)4 << 20)

/* Reserves the range; its first address, or NULL. path: of the file that is to be mapped there, or NULL for memory.
 * errno tells. */
char *ws_space_reserve(const char *path);
/* A step more, zeroed, at base + allocated. The file's first step makes the file. false: errno tells. */
bool ws_space_grow(char *base, size_t allocated);
void ws_space_release(char *base, size_t allocated);

#endif
