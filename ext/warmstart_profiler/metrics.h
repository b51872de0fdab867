/* What is measured: see docs/inside_the_profiler.md for each. Who calls: tree.c. */
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

/* What belongs to one thread, at a moment. */
typedef struct ws_moment {
    int64_t wall, cpu;
    uint64_t calls[WS_CALL_COUNT];
} ws_moment;

/* What the process has in common. */
typedef struct ws_commons {
    int64_t gc_ns, gc_count, objects, malloc_bytes, memory;
    int64_t gc_read_at, memory_read_at; /* wall */
} ws_commons;

void ws_metrics_init(void);
void ws_metrics_begin(void); /* of a recording: who counts calls; with the GVL */

/* The interposer's counters of this thread; NULL where it is not loaded. */
const uint64_t *ws_calls(void);

void ws_read_moment(ws_moment *moment);

/* Needs the GVL; other threads may run meanwhile. What changes slowly is read again when it is due; `*memory_read` says
 * so. */
void ws_read_commons(ws_commons *commons, const ws_commons *last, int64_t now, bool *memory_read);

#endif
