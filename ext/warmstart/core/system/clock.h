/* Clocks, in nanoseconds. */
#ifndef WARMSTART_CORE_CLOCK_H
#define WARMSTART_CORE_CLOCK_H

#include <stdint.h>

/* A clock that only runs forwards. */
int64_t ws_clock_now(void);
/* The same clock, at most a few milliseconds behind. It never makes a system call on systems that have such a clock. */
int64_t ws_clock_coarse(void);
/* The time since the epoch, as in the timestamps of files. Somebody may set this clock. */
int64_t ws_clock_wall(void);

/* A file's time rounded down to a whole second, before 1970 too. Two times have the same answer only if they lie in the
 * same second. */
int64_t ws_whole_second(int64_t nanoseconds);

#endif
