/* Native threads on Windows, where signals are no matter of threads and nothing forks; see thread.h. (The threads are
 * winpthreads', which every compiler that builds Ruby for this platform brings.) */
#ifdef _WIN32
#include "thread.h"

bool ws_thread_start(pthread_t *thread, void *(*function)(void *), void *argument, size_t stack_size)
{
    pthread_attr_t attributes;
    pthread_t detached;

    pthread_attr_init(&attributes);
    if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
    if (!thread) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(thread ? thread : &detached, &attributes, function, argument) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

void ws_thread_after_fork(void (*function)(void))
{
    (void)function;
}
#endif
