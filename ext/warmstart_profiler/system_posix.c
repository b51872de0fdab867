/* What the profiler needs from the operating system, on POSIX systems; see system.h. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t page_size;
static __thread void *local;

void
ws_system_init(void)
{
    page_size = sysconf(_SC_PAGESIZE);
}

int64_t
ws_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t
ws_thread_cpu(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t
ws_process_cpu(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
           ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

int64_t
ws_resident_memory(void)
{
#ifdef __linux__
    char text[64];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    long size = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    if (size <= 0) return 0;
    text[size] = 0;
    char *end;
    strtoull(text, &end, 10);
    return (int64_t)strtoull(end, NULL, 10) * page_size;
#else
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss : 0;
#endif
}

ws_native_thread
ws_native_thread_here(void)
{
    return pthread_self();
}

bool
ws_native_thread_cpu(ws_native_thread thread, int64_t *nanoseconds)
{
#if defined _POSIX_THREAD_CPUTIME && _POSIX_THREAD_CPUTIME >= 0 && !defined __APPLE__
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return false;
    *nanoseconds = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    return true;
#else
    return false;
#endif
}

void
ws_native_thread_forget(ws_native_thread thread)
{
}

void *
ws_native_local(void)
{
    return local;
}

void
ws_set_native_local(void *value)
{
    local = value;
}

bool
ws_may_read(const char *path)
{
    return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

/* Counting cannot begin later: the interposer was loaded with the program, or it was not. */
void
ws_count_calls(void)
{
}

ws_calls_function *
ws_calls_counter(void)
{
    ws_calls_function *function;
    *(void **)&function = dlsym(RTLD_DEFAULT, WS_CALLS_FUNCTION);
    return function;
}

void
ws_when_leaving(void (*function)(void))
{
    void **leaving = dlsym(RTLD_DEFAULT, WS_LEAVING_VARIABLE);
    if (leaving) *leaving = (void *)(uintptr_t)function;
}
#endif
