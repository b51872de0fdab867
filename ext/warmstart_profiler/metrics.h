/* The metrics; docs/profiling.md explains each. Who calls: frames.c. */
#ifndef WARMSTART_PROFILER_METRICS_H
#define WARMSTART_PROFILER_METRICS_H

#include "calls.h"
#include "system.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ws_metric {
    WS_WALL,
    WS_CPU,
    WS_GC_NS,
    WS_GC_COUNT,
    WS_OBJECTS,
    WS_MALLOC_BYTES,
    WS_RESIDENT,
    WS_REPEATED_REQUIRES,
    WS_EVALS,
    WS_EVAL_BYTES,
    WS_EVAL_NS,
    WS_FIRST_CALL,
    WS_METRIC_COUNT = WS_FIRST_CALL + WS_CALL_COUNT
} ws_metric;

#define WS_METRIC_NAMES                                                                                           \
    {                                                                                                             \
        "wall_ns", "cpu_ns", "gc_ns", "gc_count", "objects", "malloc_bytes", "memory_bytes", "repeated_requires", \
            "evals", "eval_bytes", "eval_compile_ns"                                                              \
    }

/* What one thread has used up to a moment. */
typedef struct ws_moment {
    int64_t wall, cpu;
    uint64_t calls[WS_CALL_COUNT];
} ws_moment;

/* What the whole process has used. */
typedef struct ws_commons {
    int64_t gc_ns, gc_count, objects, malloc_bytes, memory;
    int64_t gc_read_at, memory_read_at; /* times of ws_now */
} ws_commons;

void ws_metrics_init(void);
void ws_metrics_begin(void); /* begins a recording: finds out who counts calls; needs the GVL */

/* This thread's counters of file system calls; NULL if nothing counts them. */
const uint64_t *ws_calls(void);

void ws_read_moment(ws_moment *moment);

/* Needs the GVL; other threads may run meanwhile. Values that are expensive to read are copied from `last` until it is
 * time to read them again. `*memory_read` says whether memory was read. */
void ws_read_commons(ws_commons *commons, const ws_commons *last, int64_t now, bool *memory_read);

#endif
