/* Clocks. On Windows the performance counter serves as the monotonic clock, because winpthreads' clock would need a
 * thread's state. */
#include "core/system/clock.h"

#include <time.h>

#ifdef _WIN32
#include <windows.h>
#endif

static int64_t
read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#ifdef _WIN32
int64_t
ws_clock_now(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (int64_t)((double)count.QuadPart * 1e9 / (double)frequency.QuadPart);
}
#else
int64_t
ws_clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}
#endif

int64_t
ws_clock_coarse(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
    return read_clock(CLOCK_MONOTONIC_COARSE);
#else
    return ws_clock_now();
#endif
}

int64_t
ws_clock_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

/* Calculates unsigned, because the smallest possible time would overflow. */
int64_t
ws_whole_second(int64_t nanoseconds)
{
    int64_t part = nanoseconds % 1000000000;
    return (int64_t)((uint64_t)nanoseconds - (uint64_t)(part < 0 ? part + 1000000000 : part));
}
