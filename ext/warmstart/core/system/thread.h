/* Native threads of ours. thread_posix.c or thread_windows.c. Who calls: recording.c, the governor, whoever has
 * something to forget in a fork's child. */
#ifndef WARMSTART_CORE_THREAD_H
#define WARMSTART_CORE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On Windows the system's own, not winpthreads': a thread of those that ends while the process does takes it down with
 * it. */
#ifdef _WIN32
typedef void *ws_thread; /* a HANDLE */
typedef struct ws_mutex {
    void *lock;
} ws_mutex;
typedef struct ws_condition {
    void *variable;
} ws_condition;
#define WS_MUTEX_INITIALIZER \
    {                        \
        0                    \
    }
#else
#include <pthread.h>
typedef pthread_t ws_thread;
typedef pthread_mutex_t ws_mutex;
typedef pthread_cond_t ws_condition;
#define WS_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#endif

/* Starts a thread in which no signal is delivered: they stay with Ruby's threads. stack_size: bytes, 0 for the system's
 * own; thread NULL: nobody will join it. */
bool ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size);
void ws_thread_join(ws_thread thread);
void ws_thread_sleep(uint32_t milliseconds);

void ws_mutex_init(ws_mutex *mutex);
void ws_mutex_lock(ws_mutex *mutex);
void ws_mutex_unlock(ws_mutex *mutex);
void ws_mutex_destroy(ws_mutex *mutex);

void ws_condition_init(ws_condition *condition);
/* With the mutex held. milliseconds: at most so long; UINT32_MAX: however long it takes. */
void ws_condition_wait(ws_condition *condition, ws_mutex *mutex, uint32_t milliseconds);
void ws_condition_signal(ws_condition *condition);
void ws_condition_broadcast(ws_condition *condition);
void ws_condition_destroy(ws_condition *condition);

/* Called in the child of each fork from here on. (Windows has none.) */
void ws_thread_after_fork(void (*function)(void));

#endif
