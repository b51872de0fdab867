/* Signals that come to the client go on to the command. */
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    volatile pid_t command;               /* the one that runs, or 0 */
    bool in_session;                      /* the command is in the client's process group */
    volatile sig_atomic_t received[NSIG]; /* which signals have come */
    volatile pid_t witness;               /* see make_witness; -1: there is none */
} forwarding = { .witness = -1 };

/* ---- what reaches both ---- */

static void
end_witness(pid_t process)
{
    if (process <= 0) return;
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}

/* A signal for the whole process group, from the terminal or from a shell for its job, reaches the command by itself,
 * and must not come twice. Nothing tells whether a signal that a process has sent was for the group. So there is a
 * witness: a process of the group that blocks all signals, and so has those pending that were for the group. It keeps
 * nothing open, because somebody may wait for all that hold a pipe. */
static pid_t
make_witness(void)
{
    sigset_t all, before;
    pid_t client = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t process = fork();
    if (process == 0) {
        syscall(SYS_close_range, 0, ~0U, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == client) pause();
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return process;
}

/* Sets of signals in /proc/PID/status. */
static unsigned long long
signals_of(pid_t process, const char *first, const char *second)
{
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    ws_read_text(path, text, sizeof text);
    const char *one = strstr(text, first), *other = strstr(text, second);
    return one && other ? strtoull(one + strlen(first), NULL, 16) | strtoull(other + strlen(second), NULL, 16) : ~0ULL;
}

static bool
has(unsigned long long signals, int number)
{
    return signals >> (number - 1) & 1;
}

/* (setpgid changes nothing here. It waits for whoever is about to send a signal to a group: both take the kernel's
 * tasklist_lock, in kernel/sys.c and kernel/signal.c.) */
static bool
reaches_both(int number, const siginfo_t *info)
{
    if (!forwarding.in_session || info->si_code == SI_KERNEL) return forwarding.in_session;
    if (forwarding.witness <= 0) return false;
    setpgid(0, getpgrp());
    if (!has(signals_of(forwarding.witness, "SigPnd:", "ShdPnd:"), number)) return false;
    pid_t before = forwarding.witness; /* (what is pending there cannot be told from what comes next) */
    forwarding.witness = make_witness();
    end_witness(before);
    return true;
}

/* ---- passing on ---- */

static void
forward(int number, siginfo_t *info, void *context)
{
    int before = errno;
    forwarding.received[number] = 1;
    if (forwarding.command && !reaches_both(number, info)) kill(forwarding.command, number);
    errno = before;
}

/* The client stops where the command would (which neither handles nor ignores the signal), and whenever the group is to
 * stop. Without a terminal the command has a session of its own, in which the kernel lets nothing be stopped by these
 * signals (an orphaned process group: get_signal in kernel/signal.c), so it gets SIGSTOP. Whether the client itself may
 * be stopped, the kernel decides. What lets it go on is passed on, if it does not ignore that. */
static void
stop(int number, siginfo_t *info, void *context)
{
    int before = errno;
    bool both = forwarding.command && reaches_both(number, info);
    bool stops = both || !has(signals_of(forwarding.command, "SigIgn:", "SigCgt:"), number);
    struct sigaction standard = { .sa_handler = SIG_DFL }, own, goes_on;
    sigset_t only;
    if (forwarding.command && !both) kill(forwarding.command, stops ? SIGSTOP : number);
    if (stops) {
        sigaction(number, &standard, &own);
        sigemptyset(&only);
        sigaddset(&only, number);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &only, NULL); /* (stops here) */
        sigprocmask(SIG_BLOCK, &only, NULL);
        sigaction(number, &own, NULL);
        bool ignored = sigaction(SIGCONT, NULL, &goes_on) == 0 && goes_on.sa_handler == SIG_IGN;
        if (forwarding.command && !both && ignored) kill(forwarding.command, SIGCONT);
    }
    errno = before;
}

static bool
is_stop(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* All that a program may have a handler for, but those that are about the client itself: its children and its faults.
 */
static bool
is_forwarded(int number)
{
    static const int OWN[] = { SIGCHLD, SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE,
                               SIGILL,  SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE };
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (number == OWN[i]) return false;
    return number < SIGRTMIN || number > SIGRTMAX;
}

/* What the client ignores, the command ignores, too. One signal is dealt with at a time. */
static void
set_handlers(bool on)
{
    struct sigaction before;
    for (int number = 1; number < NSIG; number++) {
        if (!is_forwarded(number) || sigaction(number, NULL, &before) != 0) continue;
        struct sigaction action = { .sa_sigaction = is_stop(number) ? stop : forward,
                                    .sa_flags = SA_SIGINFO | SA_RESTART };
        sigfillset(&action.sa_mask);
        if (on && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
        if (!on && before.sa_flags & SA_SIGINFO) signal(number, SIG_DFL);
    }
}

void
ws_signals_forward(pid_t command, bool session)
{
    forwarding.in_session = session;
    if (session) forwarding.witness = make_witness();
    forwarding.command = command;
    set_handlers(true);
}

void
ws_signals_end(void)
{
    forwarding.command = 0;
    end_witness(forwarding.witness);
    forwarding.witness = -1;
}

void
ws_signals_take_back(void)
{
    ws_signals_end();
    set_handlers(false);
    for (int number = 1; number < NSIG; number++)
        if (forwarding.received[number]) raise(number);
}
