/* What the profiler needs from the operating system: clocks, memory, threads. Implemented by system_posix.c, and by
 * system_windows.c and calls_windows.c. Who calls: metrics.c, threads.c, whole.c, profiler.c, requires.c. */
#ifndef WARMSTART_PROFILER_SYSTEM_H
#define WARMSTART_PROFILER_SYSTEM_H

#include "calls.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef _WIN32
typedef void *ws_native_thread; /* a HANDLE */
#else
#include <pthread.h>
typedef pthread_t ws_native_thread;
#endif

void ws_system_init(void);

/* Nanoseconds: monotonic time, CPU time of this thread, CPU time of the process. */
int64_t ws_now(void);
int64_t ws_thread_cpu(void);
int64_t ws_process_cpu(void);

/* The resident memory in bytes on Linux and Windows. Elsewhere its peak, which during a boot is nearly the same. */
int64_t ws_resident_memory(void);

/* Identifies this native thread, so that other threads can ask for its CPU time while it runs. ws_native_thread_cpu
 * returns false if the system does not tell. */
ws_native_thread ws_native_thread_here(void);
bool ws_native_thread_cpu(ws_native_thread thread, int64_t *nanoseconds);
void ws_native_thread_forget(ws_native_thread thread);

/* One value that is local to each native thread. */
void *ws_native_local(void);
void ws_set_native_local(void *value);

/* May this process read the file? Finds out without opening it, as far as the system can tell. */
bool ws_may_read(const char *path);

/* Counts file system calls from now on, if counting can begin in a running process, as on Windows. It is called again
 * once another library is loaded whose calls count, too. */
void ws_count_calls(void);
/* Returns the function that returns a thread's counters, or NULL if nothing counts. */
ws_calls_function *ws_calls_counter(void);
/* Calls the function when the process leaves without running exit handlers. */
void ws_when_leaving(void (*function)(void));

#endif
