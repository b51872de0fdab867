/* Clocks, in nanoseconds. */
#ifndef WARMSTART_CORE_CLOCK_H
#define WARMSTART_CORE_CLOCK_H

#include <stdint.h>

/* Only runs forwards. */
int64_t ws_clock_now(void);
/* The same, a few milliseconds late at most, and never a system call where the system has such a clock. */
int64_t ws_clock_coarse(void);
/* Since the epoch, as files are stamped; somebody may set it. */
int64_t ws_clock_wall(void);

#endif
