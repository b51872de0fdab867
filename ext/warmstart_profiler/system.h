/* What the profiler asks the system for: clocks, memory, threads. system_posix.c or system_windows.c. Who calls:
 * metrics.c, threads.c, whole.c, profiler.c, requires.c. */
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

/* Nanoseconds: monotonic time; CPU time of this thread, of the process. */
int64_t ws_now(void);
int64_t ws_thread_cpu(void);
int64_t ws_process_cpu(void);

/* Bytes. Linux and Windows tell at once; elsewhere the peak stands for it, which in a boot is nearly the same. */
int64_t ws_resident_memory(void);

/* This native thread, to be asked for its CPU time by others while it runs; the answer is false where the system does
 * not tell. */
ws_native_thread ws_native_thread_here(void);
bool ws_native_thread_cpu(ws_native_thread thread, int64_t *nanoseconds);
void ws_native_thread_forget(ws_native_thread thread);

/* What this native thread remembers. */
void *ws_native_local(void);
void ws_set_native_local(void *value);

/* The one lock, for what threads of other Ractors may do at the same time. */
void ws_lock(void);
void ws_unlock(void);

/* Called in the child of each fork from here on. (Windows has none.) */
void ws_after_fork(void (*function)(void));

/* May this process read the file, as far as the system says without opening it? */
bool ws_may_read(const char *path);

/* Counts file system calls from here on, where that can be begun in a running process: on Windows. Again when a library
 * is there that counts, too. */
void ws_count_calls(void);
/* Whoever counts them in this process, or NULL; whom to tell that it leaves without exit handlers. */
ws_calls_function *ws_calls_counter(void);
void ws_when_leaving(void (*function)(void));

#endif
