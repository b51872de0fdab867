/* A wait that signals can end. The recorder uses it at the end of a program. */
#include "core/system/until_signal.h"

#ifdef _WIN32
/* Windows has no such signals: a process that is told to end is gone at once. */
void
ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds)
{
    wait(milliseconds);
}
#else
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t signalled;

static void
note_signal(int number)
{
    signalled = number;
}

/* Ruby is gone, and the handlers that it has left behind would do nothing before the wait is over. So a signal that
 * would have ended the program ends the wait instead, and the process ends as it would have without us. */
void
ws_until_signal(bool (*wait)(uint32_t milliseconds), uint32_t milliseconds)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    enum { COUNT = sizeof numbers / sizeof *numbers, TURN = 50 };
    struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART }, before[COUNT];
    signalled = 0;
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN && before[i].sa_handler != SIG_DFL) sigaction(numbers[i], &action, NULL);
    }
    for (uint32_t waited = 0; waited < milliseconds && !signalled; waited += TURN)
        if (wait(TURN)) break;
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], &before[i], NULL);
}
#endif
