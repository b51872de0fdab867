/* Counting file system calls on Windows; see calls_windows.c. Who calls: system_windows.c. */
#ifndef WARMSTART_PROFILER_CALLS_WINDOWS_H
#define WARMSTART_PROFILER_CALLS_WINDOWS_H

#include "calls.h"

/* The function that tells this thread's counters, or NULL while nobody counts. */
ws_calls_function *ws_windows_calls_counter(void);
/* From here on the calls of Ruby's library are counted, and those of the accelerator's where it is loaded. */
void ws_windows_count_calls(void);

#endif
