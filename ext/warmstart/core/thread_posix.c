/* Native threads on POSIX systems; see thread.h. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "thread.h"

#include <signal.h>

bool ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size)
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

void ws_thread_join(ws_thread thread)
{
    pthread_join(thread, NULL);
}

void ws_thread_after_fork(void (*function)(void))
{
    pthread_atfork(NULL, NULL, function);
}
#endif
