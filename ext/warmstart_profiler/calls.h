/* The counters of file system calls; each thread has its own set. interposer.c or calls_windows.c counts, metrics.c
 * reads. A recording holds the counters' names, so their order may change. */
#ifndef WARMSTART_PROFILER_CALLS_H
#define WARMSTART_PROFILER_CALLS_H

#include <stdint.h>

typedef enum ws_call {
    WS_CALL_OPEN,
    WS_CALL_OPEN_FAILED,
    WS_CALL_STAT,
    WS_CALL_STAT_FAILED,
    WS_CALL_READLINK,
    WS_CALL_READLINK_FAILED,
    WS_CALL_REALPATH,
    WS_CALL_LIST, /* folders opened for listing */
    WS_CALL_READ,
    WS_CALL_READ_BYTES,
    WS_CALL_READS_TO_16,
    WS_CALL_READS_TO_512,
    WS_CALL_READS_TO_4096,
    WS_CALL_READS_OVER_4096,
    WS_CALL_MMAP, /* of files */
    WS_CALL_OTHER,
    WS_CALL_COUNT
} ws_call;

#define WS_CALL_NAMES                                                                                              \
    {                                                                                                              \
        "open", "open_failed", "stat", "stat_failed", "readlink", "readlink_failed", "realpath", "list", "read",   \
            "read_bytes", "reads_to_16", "reads_to_512", "reads_to_4096", "reads_over_4096", "mmap", "other_calls" \
    }

/* The interposer exports a function that returns the calling thread's counters, and a variable for the function that it
 * calls before the process leaves by _exit. */
typedef uint64_t *ws_calls_function(void);
#define WS_CALLS_FUNCTION "warmstart_calls"
#define WS_LEAVING_VARIABLE "warmstart_leaving"

#endif
