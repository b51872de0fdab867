/* POSIX systems: memory.h documents the functions. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "core/system/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/mach.h>

bool
ws_memory_now(ws_memory *memory)
{
    struct mach_task_basic_info info;
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;

    if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count) != KERN_SUCCESS) return false;
    memory->size = (size_t)info.resident_size;
    memory->lowest_free_file = dup(STDERR_FILENO);
    if (memory->lowest_free_file >= 0) close(memory->lowest_free_file);
    return memory->lowest_free_file >= 0;
}
#else
bool
ws_memory_now(ws_memory *memory)
{
    char text[128];
    unsigned long all, resident, shared;

    memory->lowest_free_file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (memory->lowest_free_file < 0) return false;
    ssize_t size = read(memory->lowest_free_file, text, sizeof text - 1);
    close(memory->lowest_free_file);
    text[size > 0 ? size : 0] = 0;
    if (sscanf(text, "%lu %lu %lu", &all, &resident, &shared) != 3 || shared > resident) return false;
    memory->size = (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
    return true;
}
#endif

size_t
ws_memory_peak(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_maxrss <= 0) return 0;
#ifdef __APPLE__
    return (size_t)usage.ru_maxrss;
#else
    return (size_t)usage.ru_maxrss << 10;
#endif
}

long
ws_memory_read(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    size_t got = 0;
    ssize_t part = 1;
    while (got < size && part > 0) {
        part = read(file, text + got, size - got);
        if (part > 0) got += (size_t)part;
        else if (part < 0 && errno == EINTR) part = 1;
    }
    close(file);
    return part < 0 ? -1 : (long)got;
}

/* POSIX systems tell this in files, which lib/warmstart/boot/memory_limits.rb reads. */
uint64_t
ws_memory_available(void)
{
    return 0;
}

size_t
ws_memory_file_limit(void)
{
    struct rlimit files;

    return getrlimit(RLIMIT_NOFILE, &files) == 0 ? (size_t)files.rlim_cur : 0;
}

int64_t
ws_cpu_now(void)
{
    struct timespec time;

    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec : 0;
}
#endif
