/* Windows, where threads have nothing to do with signals and nothing forks: thread.h documents the functions. */
#ifdef _WIN32
#include "core/system/thread.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <stdlib.h>

typedef struct beginning {
    void *(*function)(void *);
    void *argument;
} beginning;

static DWORD WINAPI
begin(LPVOID pointer)
{
    beginning begun = *(beginning *)pointer;

    free(pointer);
    begun.function(begun.argument);
    return 0;
}

bool
ws_thread_start(ws_thread *thread, void *(*function)(void *), void *argument, size_t stack_size)
{
    beginning *given = malloc(sizeof *given);

    if (!given) return false;
    *given = (beginning){ function, argument };
    HANDLE handle =
        CreateThread(NULL, stack_size, begin, given, stack_size > 0 ? STACK_SIZE_PARAM_IS_A_RESERVATION : 0, NULL);
    if (!handle) {
        free(given);
        return false;
    }
    if (thread) *thread = handle;
    else CloseHandle(handle);
    return true;
}

void
ws_thread_join(ws_thread thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

bool
ws_thread_own_descriptors(void)
{
    return false;
}

/* Sleep would crash here. An extension is linked to Ruby's library before the system's, and that library exports its
 * own Sleep, which waits as Ruby's threads do and crashes in any other thread. */
void
ws_thread_sleep(uint32_t milliseconds)
{
    SleepEx(milliseconds, FALSE);
}

_Static_assert(sizeof(ws_mutex) == sizeof(SRWLOCK) && sizeof(ws_condition) == sizeof(CONDITION_VARIABLE),
               "thread.h says how large they are");

void
ws_mutex_init(ws_mutex *mutex)
{
    InitializeSRWLock((SRWLOCK *)mutex);
}

void
ws_mutex_lock(ws_mutex *mutex)
{
    AcquireSRWLockExclusive((SRWLOCK *)mutex);
}

void
ws_mutex_unlock(ws_mutex *mutex)
{
    ReleaseSRWLockExclusive((SRWLOCK *)mutex);
}

void
ws_condition_init(ws_condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
}

void
ws_condition_wait(ws_condition *condition, ws_mutex *mutex, uint32_t milliseconds)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex,
                              milliseconds == UINT32_MAX ? INFINITE : milliseconds, 0);
}

void
ws_condition_broadcast(ws_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

void
ws_thread_after_fork(void (*function)(void))
{
    (void)function;
}

void
ws_thread_before_fork(void (*function)(void))
{
    (void)function;
}

uint64_t
ws_children_waited_for(void)
{
    return 0;
}

/* Windows has no such signals: a process that is told to end is gone at once. */
void
ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds)
{
    wait(milliseconds);
}
#endif
