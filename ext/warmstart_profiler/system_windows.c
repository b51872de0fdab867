/* What the profiler needs from the operating system, on Windows; see system.h. */
#ifdef _WIN32
#include "system.h"

#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <psapi.h>

/* For how long the processor's counter is compared with the clock. This is long enough for four digits of its rate. */
#define COMPARING_NS 2000000

static struct {
    DWORD local; /* the slot of ws_native_local */
    int64_t clock_rate;
    double ns_a_cycle; /* 0: cycles of threads are not used */
} machine = { .local = TLS_OUT_OF_INDEXES };

/* Windows counts the times of threads in steps of 16 ms, but their cycles exactly. As far as is known, the cycles are
 * those of the processor's time stamp counter. This function tests that, and retries because a thread that is
 * interrupted during the test uses fewer cycles. Wine does not count cycles. */
static double
measure_cycles(void)
{
#ifdef __x86_64__
    ULONG64 before, after;
    for (int tries = 0; tries < 3; tries++) {
        if (!QueryThreadCycleTime(GetCurrentThread(), &before) || before == 0) return 0;
        int64_t start = ws_now(), now;
        uint64_t stamp = __builtin_ia32_rdtsc();
        while ((now = ws_now()) - start < COMPARING_NS) continue;
        double passed = (double)(__builtin_ia32_rdtsc() - stamp);
        if (!QueryThreadCycleTime(GetCurrentThread(), &after)) return 0;
        double share = (double)(after - before) / passed;
        if (share > 0.8 && share < 1.2) return (double)(now - start) / passed;
    }
#endif
    return 0;
}

void
ws_system_init(void)
{
    LARGE_INTEGER rate;
    QueryPerformanceFrequency(&rate);
    machine.clock_rate = rate.QuadPart;
    machine.local = TlsAlloc();
    machine.ns_a_cycle = measure_cycles();
}

/* The same clock as Ruby's CLOCK_MONOTONIC. */
int64_t
ws_now(void)
{
    LARGE_INTEGER count;
    QueryPerformanceCounter(&count);
    return count.QuadPart / machine.clock_rate * 1000000000 +
           count.QuadPart % machine.clock_rate * 1000000000 / machine.clock_rate;
}

static int64_t
nanoseconds_of(FILETIME time)
{
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) * 100;
}

bool
ws_native_thread_cpu(ws_native_thread thread, int64_t *nanoseconds)
{
    FILETIME created, exited, kernel, user;
    ULONG64 cycles;
    if (machine.ns_a_cycle > 0 && QueryThreadCycleTime(thread, &cycles))
        *nanoseconds = (int64_t)((double)cycles * machine.ns_a_cycle);
    else if (GetThreadTimes(thread, &created, &exited, &kernel, &user))
        *nanoseconds = nanoseconds_of(kernel) + nanoseconds_of(user);
    else return false;
    return true;
}

int64_t
ws_thread_cpu(void)
{
    int64_t nanoseconds;
    return ws_native_thread_cpu(GetCurrentThread(), &nanoseconds) ? nanoseconds : 0;
}

int64_t
ws_process_cpu(void)
{
    FILETIME created, exited, kernel, user;
    ULONG64 cycles;
    if (machine.ns_a_cycle > 0 && QueryProcessCycleTime(GetCurrentProcess(), &cycles))
        return (int64_t)((double)cycles * machine.ns_a_cycle);
    if (!GetProcessTimes(GetCurrentProcess(), &created, &exited, &kernel, &user)) return 0;
    return nanoseconds_of(kernel) + nanoseconds_of(user);
}

int64_t
ws_resident_memory(void)
{
    PROCESS_MEMORY_COUNTERS counters = { .cb = sizeof counters };
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? (int64_t)counters.WorkingSetSize : 0;
}

ws_native_thread
ws_native_thread_here(void)
{
    HANDLE handle = NULL;
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &handle, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    return handle;
}

void
ws_native_thread_forget(ws_native_thread thread)
{
    if (thread) CloseHandle(thread);
}

/* TlsGetValue clears the last error, which Ruby reads after calls of its own. */
void *
ws_native_local(void)
{
    DWORD error = GetLastError();
    void *value = TlsGetValue(machine.local);
    SetLastError(error);
    return value;
}

void
ws_set_native_local(void *value)
{
    TlsSetValue(machine.local, value);
}

/* path is in UTF-8, like Ruby's. */
bool
ws_may_read(const char *path)
{
    WCHAR wide[MAX_PATH];
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) > 0 &&
           GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

/* Nothing to do: a library's exit handlers run however the process ends itself. */
void
ws_when_leaving(void (*function)(void))
{
    (void)function;
}
#endif
