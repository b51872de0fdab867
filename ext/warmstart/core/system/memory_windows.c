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

static uint64_t
smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t
difference(uint64_t one, uint64_t other)
{
    return one > other ? one - other : 0;
}

/* What the limits of the process's job leave: of each process, and of all of them together. Of these the system tells
 * the peak only, so less may seem to be left than is. (Wine tells that there are limits, and 0 as their size.) */
static uint64_t
left_by_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job;
    uint64_t left = UINT64_MAX;
    ws_memory own;

    if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL)) return left;
    DWORD limits = job.BasicLimitInformation.LimitFlags;
    if (limits & JOB_OBJECT_LIMIT_PROCESS_MEMORY && job.ProcessMemoryLimit > 0 && ws_memory_now(&own))
        left = difference(job.ProcessMemoryLimit, own.size);
    if (limits & JOB_OBJECT_LIMIT_JOB_MEMORY && job.JobMemoryLimit > 0)
        left = smaller(left, difference(job.JobMemoryLimit, job.PeakJobMemoryUsed));
    return left;
}

/* The smallest of the free memory and what the commit limits of machine, process and job leave. (0 would mean that the
 * system does not tell.) */
uint64_t
ws_memory_available(void)
{
    MEMORYSTATUSEX status = { .dwLength = sizeof status };

    if (!GlobalMemoryStatusEx(&status)) return 0;
    uint64_t left = smaller(smaller(status.ullAvailPageFile, status.ullAvailPhys), left_by_job());
    return left > 0 ? left : 1;
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
