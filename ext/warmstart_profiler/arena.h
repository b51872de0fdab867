/* Where a recording lies: a file that is mapped, shared, and grown step by step, so that all that is known is there
 * whatever way the process ends; or memory, for a block of a running program. Plain C.
 *
 * Layout: a ws_arena_header, then records, each 8-byte aligned: a ws_record and what it says. Whoever reads goes from
 * record to record. Numbers are of this machine's byte order. */
#ifndef WARMSTART_PROFILER_ARENA_H
#define WARMSTART_PROFILER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_ARENA_MAGIC "warmprof"
#define WS_ARENA_VERSION 1

/* How a recording ended; 0: by a signal, say. */
enum { WS_ENDED = 1, WS_BECAME_ANOTHER };

enum { WS_RECORD_NODE = 1, WS_RECORD_TEXT, WS_RECORD_THREAD };

typedef struct ws_arena_header {
    char magic[8];
    uint32_t version, metric_count;
    uint64_t size;          /* that is in use: complete records only */
    int64_t started_ns;     /* CLOCK_MONOTONIC when the process began */
    int64_t now_ns;         /* the last look at the clock */
    int64_t process_cpu_ns; /* at the end, by getrusage */
    int64_t repeated;       /* requires that made no node, memory readings, evals: what the overhead is computed from */
    int64_t memory_readings, evals;
    int64_t cost_node_ns, cost_repeated_ns, cost_memory_ns, cost_call_ns, cost_start_ns;
    int32_t pid, full, ended, calls_known;
} ws_arena_header;

typedef struct ws_record {
    uint32_t type, size;
} ws_record; /* size: with this header, a multiple of 8 */

/* path: a file to be made, or NULL for memory. false: errno tells. */
bool ws_arena_open(const char *path);
bool ws_arena_is_open(void);
ws_arena_header *ws_arena_head(void);

/* A new record, zeroed, or NULL where there is no more room (the disk is full, or 1 GB is used). Addresses stay. */
void *ws_arena_add(uint32_t type, size_t size);

/* The record of a text, as its place in the arena; 0: none. */
uint32_t ws_arena_text(const char *text, size_t size);
uint32_t ws_arena_place(const void *record);

/* In a child: what it does must not be seen. Also before memory is given back. */
void ws_arena_close(void);

#endif
