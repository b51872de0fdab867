/* Native threads of ours. thread_posix.c or thread_windows.c. Who calls: recording.c, the governor, whoever has something to forget in
 * a fork's child. */
#ifndef WARMSTART_CORE_THREAD_H
#define WARMSTART_CORE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
typedef void *ws_thread;         /* a HANDLE */
#else
typedef pthread_t ws_thread;
#endif

/* Starts a thread in which no signal is delivered: they stay with Ruby's threads. stack_size: bytes, 0 for the system's own;
 * thread NULL: nobody will join it. */
bool ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size);
void ws_thread_join(ws_thread thread);

/* Called in the child of each fork from here on. (Windows has none.) */
void ws_thread_after_fork(void (*function)(void));

#endif
