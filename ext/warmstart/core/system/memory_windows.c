/* Windows: memory.h documents the functions. */
#ifdef _WIN32
#include "core/system/memory.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <psapi.h>

#include <io.h>
#include <stdio.h>

bool
ws_memory_now(ws_memory *memory)
{
    PROCESS_MEMORY_COUNTERS_EX counters = { .cb = sizeof counters };

    if (!GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *)&counters, sizeof counters)) return false;
    memory->size = counters.PrivateUsage > 0 ? counters.PrivateUsage : counters.WorkingSetSize;
    memory->lowest_free_file = _dup(2);
    if (memory->lowest_free_file >= 0) _close(memory->lowest_free_file);
    else memory->lowest_free_file = 0; /* the program has no stderr */
    return true;
}

size_t
ws_memory_peak(void)
{
    PROCESS_MEMORY_COUNTERS counters = { .cb = sizeof counters };

    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.PeakWorkingSetSize : 0;
}

/* The smallest of the free memory and what the commit limits of machine and process leave. */
uint64_t
ws_memory_available(void)
{
    MEMORYSTATUSEX status = { .dwLength = sizeof status };

    if (!GlobalMemoryStatusEx(&status)) return 0;
    return status.ullAvailPageFile < status.ullAvailPhys ? status.ullAvailPageFile : status.ullAvailPhys;
}

/* Windows has no such files. */
long
ws_memory_read(const char *path, char *text, size_t size)
{
    (void)path, (void)text, (void)size;
    return -1;
}

/* The limit of the C runtime's own table, which Ruby's files go through. */
size_t
ws_memory_file_limit(void)
{
    return 2048;
}

static int64_t
nanoseconds(FILETIME time)
{
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) * 100;
}

int64_t
ws_cpu_now(void)
{
    FILETIME created, exited, kernel, user;

    return GetProcessTimes(GetCurrentProcess(), &created, &exited, &kernel, &user)
               ? nanoseconds(kernel) + nanoseconds(user)
               : 0;
}
#endif
