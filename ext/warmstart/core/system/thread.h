/* Native threads of our own. The code is in thread_posix.c and thread_windows.c. Used by recording.c, the governor, and
 * everything that has to forget state in a fork's child. */
#ifndef WARMSTART_CORE_THREAD_H
#define WARMSTART_CORE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On Windows these are the system's own threads. A thread of winpthreads that ends while the process ends would crash
 * the process. */
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

/* Starts a thread that receives no signals; they are left to Ruby's threads. stack_size is in bytes; 0 means the
 * system's default. With thread NULL nobody can join the thread. */
bool ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size);
void ws_thread_join(ws_thread thread);
/* Gives the calling thread a table of descriptors of its own, with none of the program's in it. What it opens then
 * takes no number from the program, and nothing that the program closes or duplicates onto a number can be the
 * thread's. Returns false where the system has no such thing (it takes Linux 5.9); then nothing has changed. */
bool ws_thread_own_descriptors(void);
#ifdef __linux__
enum { WS_THREADS_OWN_DESCRIPTORS = 1 };
#else
enum { WS_THREADS_OWN_DESCRIPTORS = 0 }; /* it always returns false */
#endif
void ws_thread_sleep(uint32_t milliseconds);

/* Mutexes and conditions own nothing, so nobody destroys them: a fork's child may find them in any state. */
void ws_mutex_init(ws_mutex *mutex);
void ws_mutex_lock(ws_mutex *mutex);
void ws_mutex_unlock(ws_mutex *mutex);

void ws_condition_init(ws_condition *condition);
/* Must be called with the mutex held. Waits for at most so many milliseconds; UINT32_MAX means without a limit. */
void ws_condition_wait(ws_condition *condition, ws_mutex *mutex, uint32_t milliseconds);
void ws_condition_broadcast(ws_condition *condition);

/* From now on, calls the function in the child of each fork. Does nothing on Windows, which has no fork. */
void ws_thread_after_fork(void (*function)(void));
/* The same before each fork, in the parent. */
void ws_thread_before_fork(void (*function)(void));

/* A number that grows whenever a child has been waited for, by whatever thread of the process. It costs a system call.
 * 0 on Windows, which does not count it. */
uint64_t ws_children_waited_for(void);

/* A wait at the very end of a process, when Ruby is gone: calls wait() until it returns true, a signal arrives, or so
 * many milliseconds are over. */
void ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds);

#endif
