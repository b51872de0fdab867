/* A wait at the very end of a process, when Ruby is gone. */
#ifndef WARMSTART_CORE_UNTIL_SIGNAL_H
#define WARMSTART_CORE_UNTIL_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Calls wait() until it returns true, a signal arrives, or so many milliseconds are over. */
void ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds);

#endif
