/* Native threads on Windows, where signals are no matter of threads and nothing forks; see thread.h. The system's own: a thread
 * of winpthreads that ends while the process does has been seen to take it down with it. */
#ifdef _WIN32
#include "thread.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <stdlib.h>

typedef struct beginning { void *(*function)(void *); void *argument; } beginning;

static DWORD WINAPI begin(LPVOID pointer)
{
    beginning begun = *(beginning *)pointer;

    free(pointer);
    begun.function(begun.argument);
    return 0;
}

bool ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size)
{
    beginning *given = malloc(sizeof *given);

    if (!given) return false;
    *given = (beginning){ function, argument };
    HANDLE handle = CreateThread(NULL, stack_size, begin, given, stack_size > 0 ? STACK_SIZE_PARAM_IS_A_RESERVATION : 0, NULL);
    if (!handle) {
        free(given);
        return false;
    }
    if (thread) *thread = handle;
    else CloseHandle(handle);
    return true;
}

void ws_thread_join(ws_thread thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

void ws_thread_after_fork(void (*function)(void))
{
    (void)function;
}
#endif
