/* A wait at the very end of a process, when there is no Ruby any more. */
#ifndef WARMSTART_CORE_UNTIL_SIGNAL_H
#define WARMSTART_CORE_UNTIL_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Calls wait() until it says true, a signal comes, or so much time is over. */
void ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds);

#endif
