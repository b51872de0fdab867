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
    unsigned long long for_group;         /* signals that are still to be taken, and were for the group */
} forwarding = { .witness = -1 };

/* ---- what is for the group ---- */

static void
end_witness(pid_t process)
{
    if (process <= 0) return;
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}

/* A signal for the whole process group (from the terminal, from a shell for its job, from timeout(1)) is for the
 * command's children, too. In a terminal it reaches them and the command by itself, and must not come twice. Otherwise
 * they are in another group, and it is passed on to that. Nothing tells whether a signal that a process has sent was
 * for the group. So there is a witness: a process of the group that blocks all signals, and so has those pending that
 * were for the group. It keeps nothing open, because somebody may wait for all that hold a pipe. */
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

/* A set of signals, as /proc/PID/status has them. */
typedef unsigned long long signal_set;

#define SIGNAL(number) (1ULL << ((number)-1))
#define STOPS (SIGNAL(SIGTSTP) | SIGNAL(SIGTTIN) | SIGNAL(SIGTTOU))

static signal_set
signals_of(pid_t process, const char *first, const char *second)
{
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    ws_read_text(path, text, sizeof text);
    const char *one = strstr(text, first), *other = strstr(text, second);
    return one && other ? strtoull(one + strlen(first), NULL, 16) | strtoull(other + strlen(second), NULL, 16) : ~0ULL;
}

static signal_set
pending_of(pid_t process)
{
    return signals_of(process, "SigPnd:", "ShdPnd:");
}

/* setpgid changes nothing here. It waits for whoever is about to send a signal to a group: both take the kernel's
 * tasklist_lock, in kernel/sys.c and kernel/signal.c. */
static void
wait_for_senders(void)
{
    setpgid(0, getpgrp());
}

/* (The kernel sends others as well, for this process alone: SIGALRM, which alarm(2) has asked for before exec.) */
static bool
is_from_terminal(const siginfo_t *info)
{
    static const signal_set TERMINALS =
        STOPS | SIGNAL(SIGINT) | SIGNAL(SIGQUIT) | SIGNAL(SIGHUP) | SIGNAL(SIGCONT) | SIGNAL(SIGWINCH);
    return forwarding.in_session && info->si_code == SI_KERNEL && TERMINALS & SIGNAL(info->si_signo);
}

/* What is pending at a witness cannot be told from what comes next, so each signal for the group needs a new one. What
 * the one before knows of other signals, which the client has still to take, is kept. The same signal may have come
 * again before the new one was there. From the terminal that was for the group, too, and from the same process most
 * likely; from another one it is passed on. */
static void
renew_witness(int number, const siginfo_t *first)
{
    static const struct timespec NO_TIME;
    siginfo_t again = *first;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    do {
        bool other = again.si_code != first->si_code || again.si_pid != first->si_pid;
        if (other && !is_from_terminal(&again)) kill(forwarding.command, number);
        pid_t before = forwarding.witness;
        forwarding.witness = make_witness();
        wait_for_senders();
        if (before > 0) forwarding.for_group |= pending_of(before) & pending_of(getpid());
        end_witness(before);
        /* (The end of the witness before is no signal that somebody has sent.) */
    } while (sigtimedwait(&only, &again, &NO_TIME) == number && !(number == SIGCHLD && again.si_code > 0));
    forwarding.for_group &= ~SIGNAL(number);
}

/* A signal that stops removes a SIGCONT that is pending, and the other way round (prepare_signal in kernel/signal.c).
 * So the one that is asked for may be missing at the witness because the other came since, for the group. */
static bool
is_for_group(int number, const siginfo_t *info)
{
    if (!is_from_terminal(info)) {
        if (forwarding.witness <= 0) return false;
        wait_for_senders();
        signal_set at_witness = pending_of(forwarding.witness);
        wait_for_senders(); /* (what has come there meanwhile has come here, too) */
        signal_set own = pending_of(getpid());
        forwarding.for_group &= own | SIGNAL(number);
        signal_set for_group = at_witness | forwarding.for_group;
        signal_set removing = number == SIGCONT ? STOPS : STOPS & SIGNAL(number) ? SIGNAL(SIGCONT) : 0;
        if (!(for_group & SIGNAL(number))) return (for_group & own & removing) != 0;
    }
    renew_witness(number, info);
    return true;
}

/* ---- passing on ---- */

/* Without a terminal the command leads a group of its own. */
static void
pass_on(int number, bool for_group)
{
    if (for_group && forwarding.in_session) return;
    if (!for_group || kill(-forwarding.command, number) != 0) kill(forwarding.command, number);
}

/* Whether a signal is about this process itself: its children, its faults, or a pipe that nobody reads (for which the
 * kernel names this process as the sender). What somebody sends by these numbers is the command's. */
static bool
is_own(int number, const siginfo_t *info)
{
    static const int OWN[] = { SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE };
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (number == OWN[i]) return info->si_code > 0 || info->si_pid == getpid();
    return false;
}

static void
forward(int number, siginfo_t *info, void *context)
{
    int before = errno;
    if (is_own(number, info)) {
        if (number == SIGCHLD) return;
        signal(number, SIG_DFL);
        raise(number); /* (ends this process when the handler returns) */
        return;
    }
    forwarding.received[number] = 1;
    if (forwarding.command) pass_on(number, is_for_group(number, info));
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
    bool for_group = forwarding.command && is_for_group(number, info);
    bool both = for_group && forwarding.in_session;
    bool stops = both || !(signals_of(forwarding.command, "SigIgn:", "SigCgt:") & SIGNAL(number));
    struct sigaction standard = { .sa_handler = SIG_DFL }, own, goes_on;
    sigset_t only;
    if (forwarding.command) pass_on(stops ? SIGSTOP : number, for_group);
    if (stops) {
        sigaction(number, &standard, &own);
        sigemptyset(&only);
        sigaddset(&only, number);
        if (!(pending_of(getpid()) & SIGNAL(SIGCONT))) { /* (else raise would remove it) */
            raise(number);
            sigprocmask(SIG_UNBLOCK, &only, NULL); /* (stops here) */
            sigprocmask(SIG_BLOCK, &only, NULL);
        }
        sigaction(number, &own, NULL);
        bool ignored = sigaction(SIGCONT, NULL, &goes_on) == 0 && goes_on.sa_handler == SIG_IGN;
        if (forwarding.command && !both && ignored) pass_on(SIGCONT, for_group);
    }
    errno = before;
}

/* All that a program may have a handler for. (The C library lets nobody have the two real-time signals that are its
 * own, nor SIGKILL and SIGSTOP.) What the client ignores, the command ignores, too. One signal is dealt with at a time.
 */
static void
set_handlers(bool on)
{
    struct sigaction before;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &before) != 0) continue;
        struct sigaction action = { .sa_sigaction = STOPS & SIGNAL(number) ? stop : forward,
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
    forwarding.witness = make_witness();
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
