/* The memory that holds a recording. To profile a process this is a shared mapping of a file, which grows step by step,
 * so that the file has everything known so far however the process ends. To profile a block of a running program it is
 * anonymous memory. Plain C.
 *
 * Layout: a ws_arena_header, then records. Each record begins at a multiple of 8 bytes with a ws_record, and a reader
 * follows their sizes. Numbers are in this machine's byte order. */
#ifndef WARMSTART_PROFILER_ARENA_H
#define WARMSTART_PROFILER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_ARENA_MAGIC "warmprof"
#define WS_ARENA_VERSION 1

/* How a recording ended. 0 means that something else ended the process, such as a signal. */
enum { WS_ENDED = 1, WS_BECAME_ANOTHER };

enum { WS_RECORD_NODE = 1, WS_RECORD_TEXT, WS_RECORD_THREAD };

typedef struct ws_arena_header {
    char magic[8];
    uint32_t version, metric_count;
    uint64_t size;          /* bytes in use; they hold complete records only */
    int64_t started_ns;     /* CLOCK_MONOTONIC when the process began */
    int64_t now_ns;         /* when the clock was last read */
    int64_t process_cpu_ns; /* read from getrusage at the end */
    /* The overhead is computed from these counts; `repeated` are the requires that made no node. */
    int64_t repeated;
    int64_t memory_readings, evals;
    int64_t cost_node_ns, cost_repeated_ns, cost_memory_ns, cost_call_ns, cost_start_ns;
    int32_t pid, full, ended, calls_known;
} ws_arena_header;

typedef struct ws_record {
    uint32_t type, size;
} ws_record; /* size includes this header and is a multiple of 8 */

/* path names a file to be created; NULL means memory. After false, errno has the reason. */
bool ws_arena_open(const char *path);
bool ws_arena_is_open(void);
ws_arena_header *ws_arena_head(void);

/* Returns a new record, zeroed, or NULL if there is no more room because the disk is full or 1 GB is used. A record
 * never moves. */
void *ws_arena_add(uint32_t type, size_t size);

/* Stores a text and returns the place of its record in the arena; 0 means that there is none. */
uint32_t ws_arena_text(const char *text, size_t size);
uint32_t ws_arena_place(const void *record);

/* Unmaps the arena. A forked child calls this too, because its work must not appear in the parent's recording. */
void ws_arena_close(void);

/* ---- arena_space_posix.c, arena_space_windows.c: a reserved range of addresses, filled from its beginning ---- */

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
