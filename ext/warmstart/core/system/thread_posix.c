/* POSIX systems: thread.h documents the functions. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "core/system/thread.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

bool
ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t detached;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
    if (!thread) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool started = pthread_create(thread ? thread : &detached, &attributes, function, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void
ws_thread_join(ws_thread thread)
{
    pthread_join(thread, NULL);
}

/* In the new table "/" has the numbers 0 to 2, and nobody can write to it: what the C library prints to stderr when it
 * aborts would go into a file of ours that had the number. */
bool
ws_thread_own_descriptors(void)
{
#if defined(__linux__) && defined(SYS_close_range)
    /* (CLOSE_RANGE_UNSHARE: the new table has no descriptor of the range, so none is even held for a moment, as a copy
     * of a pipe's end would be.) */
    if (syscall(SYS_close_range, 0u, UINT_MAX, 2u) != 0) return false;
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) < 0) break;
    return true;
#else
    return false;
#endif
}

void
ws_thread_sleep(uint32_t milliseconds)
{
    nanosleep(&(struct timespec){ milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L }, NULL);
}

void
ws_mutex_init(ws_mutex *mutex)
{
    pthread_mutex_init(mutex, NULL);
}

void
ws_mutex_lock(ws_mutex *mutex)
{
    pthread_mutex_lock(mutex);
}

void
ws_mutex_unlock(ws_mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}

void
ws_condition_init(ws_condition *condition)
{
    pthread_cond_init(condition, NULL);
}

void
ws_condition_wait(ws_condition *condition, ws_mutex *mutex, uint32_t milliseconds)
{
    struct timespec until;

    if (milliseconds == UINT32_MAX) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until); /* the only clock that macOS' condition variables know */
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(condition, mutex, &until);
}

void
ws_condition_broadcast(ws_condition *condition)
{
    pthread_cond_broadcast(condition);
}

void
ws_thread_after_fork(void (*function)(void))
{
    pthread_atfork(NULL, NULL, function);
}

void
ws_thread_before_fork(void (*function)(void))
{
    pthread_atfork(function, NULL, NULL);
}

/* What the children have used is added up when they are waited for. Each has had to read its own memory once, so there
 * is at least one page that the kernel had to bring. */
uint64_t
ws_children_waited_for(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0) return 0;
    return (uint64_t)used.ru_minflt + (uint64_t)used.ru_majflt + (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw;
}

static volatile sig_atomic_t signalled;

static void
note_signal(int number)
{
    signalled = number;
}

/* Ruby is gone, and the handlers that it has left behind would do nothing before the wait is over. So a signal that
 * would have ended the program ends the wait instead, and the process ends as it would have without us. */
void
ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    enum { COUNT = sizeof numbers / sizeof *numbers, TURN = 50 };
    struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART }, before[COUNT];
    signalled = 0;
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN && before[i].sa_handler != SIG_DFL) sigaction(numbers[i], &action, NULL);
    }
    for (uint32_t waited = 0; waited < milliseconds && !signalled; waited += TURN)
        if (wait(TURN)) break;
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], &before[i], NULL);
}
#endif
