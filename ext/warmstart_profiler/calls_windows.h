/* Counting file system calls on Windows; see calls_windows.c. Who calls: system_windows.c. */
#ifndef WARMSTART_PROFILER_CALLS_WINDOWS_H
#define WARMSTART_PROFILER_CALLS_WINDOWS_H

#include "calls.h"

/* Returns the function that returns the calling thread's counters, or NULL while nothing is counted. */
ws_calls_function *ws_windows_calls_counter(void);
/* Counts the calls of Ruby's library from now on, and those of the accelerator's library if it is loaded. */
void ws_windows_count_calls(void);

#endif
