/* A standby that waits: takes requests, has a child made for each, and tells clients how their commands have ended. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IDLE_MINUTES = 30, MINUTE_SECONDS = 60, RECEIVE_MILLISECONDS = 100, ANSWER_TRIES = 50 };

/* ---- the request ---- */

void
ws_process_forget_request(void)
{
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++) close(ws_the_process.descriptors[i]);
    ws_the_process.request.descriptors = 0;
    free(ws_the_process.texts);
    ws_the_process.texts = NULL;
    if (ws_the_process.connection >= 0) close(ws_the_process.connection);
    ws_the_process.connection = -1;
}

static bool
receive(void *data, size_t size)
{
    return recv(ws_the_process.connection, data, size, MSG_WAITALL) == (ssize_t)size;
}

static bool
receive_header(void)
{
    union {
        char space[CMSG_SPACE(sizeof ws_the_process.descriptors)];
        struct cmsghdr alignment;
    } control = { { 0 } };
    struct iovec part = { &ws_the_process.request, sizeof ws_the_process.request };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space
    };
    ws_request *request = &ws_the_process.request;
    bool whole = recvmsg(ws_the_process.connection, &message, MSG_CMSG_CLOEXEC) == (ssize_t)sizeof *request;
    uint32_t wanted = whole ? request->descriptors : 0;
    request->descriptors = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t size = header->cmsg_len - CMSG_LEN(0);
        request->descriptors = (uint32_t)(size / sizeof *ws_the_process.descriptors);
        memcpy(ws_the_process.descriptors, CMSG_DATA(header), size);
    }
    return whole && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && request->magic == WS_STANDBY_MAGIC &&
           request->version == WS_STANDBY_VERSION && wanted == request->descriptors && request->environment > 0 &&
           request->environment <= WS_ENVIRONMENT_MAXIMUM;
}

static bool
is_clients_number(int fd)
{
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++)
        if (ws_the_process.numbers[i] == fd) return true;
    return fd <= STDERR_FILENO;
}

/* Moves a descriptor to a number that none of the client's has. */
static bool
move_away(int *fd)
{
    while (*fd >= 0 && is_clients_number(*fd)) {
        int other = fcntl(*fd, F_DUPFD_CLOEXEC, *fd + 1);
        if (other < 0) return false;
        close(*fd);
        *fd = other;
    }
    return true;
}

/* Each of the client's descriptors can have its number in a child, which is not used by the boot. Then nothing can fail
 * in the child, whose client has said that the command is to begin. */
static bool
make_way(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || !move_away(&ws_the_process.connection) ||
        !move_away(&ws_the_process.listener) || !move_away(&ws_the_process.leader))
        return false;
    for (int i = 0; i < (int)ws_the_process.command_count; i++) {
        ws_command *command = &ws_the_process.commands[i];
        if (!move_away(&command->connection) || !move_away(&command->ended)) return false;
    }
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++)
        if (!move_away(&ws_the_process.descriptors[i])) return false;
    for (uint32_t i = 0; i < ws_the_process.request.descriptors; i++) {
        int number = ws_the_process.numbers[i];
        bool used = number > STDERR_FILENO && fcntl(number, F_GETFD) >= 0;
        if (number < 0 || (rlim_t)number >= limit.rlim_cur || used) return false;
    }
    return true;
}

/* Whether the client is this user's, and all that it sent can be taken over. */
static bool
take_request(void)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct timeval patience = { .tv_usec = RECEIVE_MILLISECONDS * 1000 };
    if (getsockopt(ws_the_process.connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        return false;
    setsockopt(ws_the_process.connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!receive_header() ||
        !receive(ws_the_process.numbers, ws_the_process.request.descriptors * sizeof *ws_the_process.numbers))
        return false;
    ws_the_process.texts = malloc(ws_the_process.request.environment);
    if (!ws_the_process.texts || !receive(ws_the_process.texts, ws_the_process.request.environment) ||
        ws_the_process.texts[ws_the_process.request.environment - 1])
        return false;
    return make_way();
}

/* (An answer fits into an empty socket. Where memory is short for a moment, it is sent a little later.) */
bool
ws_process_answer(int to, pid_t pid, int status)
{
    ws_answer text = { WS_STANDBY_MAGIC, pid, status, 0 };
    for (size_t tries = 0, done = 0; tries < ANSWER_TRIES; tries++) {
        ssize_t sent = send(to, (const char *)&text + done, sizeof text - done, MSG_NOSIGNAL);
        if (sent > 0) done += (size_t)sent;
        if (done == sizeof text) return true;
        if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM && errno != ENOBUFS) return false;
        if (sent < 0) poll(NULL, 0, 1);
    }
    return false;
}

static void
end_command(int number)
{
    ws_command *command = &ws_the_process.commands[number];
    int status = 0;
    if (waitpid(command->child, &status, WNOHANG) != command->child) return;
    ws_process_answer(command->connection, 0, status);
    close(command->connection);
    close(command->ended);
    *command = ws_the_process.commands[--ws_the_process.command_count];
}

/* Whether less than a tenth of the machine's memory is available. */
static bool
is_memory_short(void)
{
    char text[512];
    ws_read_text("/proc/meminfo", text, sizeof text);
    const char *all = strstr(text, "MemTotal:"), *available = strstr(text, "MemAvailable:");
    return all && available && atoll(available + strlen("MemAvailable:")) < atoll(all + strlen("MemTotal:")) / 10;
}

/* A standby ends when it has been idle for long, when memory is short, when its folder is removed, or when nobody can
 * reach it any more. It waits for commands that run. */
static bool
is_wanted(int idle)
{
    struct statx trace;
    char folder[PATH_MAX];
    if (syscall(SYS_getcwd, folder, sizeof folder) < 0) return false;
    if (ws_the_process.listener < 0 || idle >= IDLE_MINUTES || (idle > 0 && is_memory_short())) return false;
    return ws_process_find(AT_FDCWD, ws_the_process.trace_path, &trace) && trace.stx_ino == ws_the_process.trace_inode;
}

void
ws_process_stop_listening(void)
{
    if (ws_the_process.listener >= 0) close(ws_the_process.listener);
    ws_the_process.listener = -1;
}

/* A client that cannot be served is let go; it runs the ordinary command. */
static bool
take_client(void)
{
    ws_the_process.connection = accept4(ws_the_process.listener, NULL, NULL, SOCK_CLOEXEC);
    if (ws_the_process.connection < 0) return false;
    if (ws_the_process.command_count < COMMANDS_MAXIMUM && take_request()) return true;
    bool ends = ws_the_process.request.magic == WS_STANDBY_MAGIC &&
                ws_the_process.request.version == 0; /* the client found a difference */
    ws_process_forget_request();
    if (ends) ws_process_stop_listening();
    return false;
}

static struct {
    struct sigaction handlers[NSIG];
    bool known[NSIG]; /* (the C library lets nobody have its own) */
    sigset_t mask;
} programs;

static volatile sig_atomic_t is_asked_to_end;

static void
ask_to_end(int number)
{
    is_asked_to_end = 1;
}

/* The program's handlers are for the command, and not for a process that waits. That ends as soon as it can when it is
 * asked to (SIGTERM, SIGHUP), and by its own faults. Most other signals would end it or stop it, and are ignored. */
static void
set_own_handler(int number)
{
    static const int STANDARD[] = { SIGCHLD, SIGCONT, SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                    SIGTRAP, SIGSYS,  SIGABRT, SIGXCPU, SIGURG, 0 };
    struct sigaction own = { .sa_handler = number == SIGTERM || number == SIGHUP ? ask_to_end : SIG_IGN };
    for (const int *other = STANDARD; *other; other++)
        if (*other == number) own.sa_handler = SIG_DFL;
    programs.known[number] = sigaction(number, NULL, &programs.handlers[number]) == 0;
    if (number == SIGHUP && programs.handlers[number].sa_handler == SIG_IGN) return; /* (nohup) */
    if (programs.known[number]) sigaction(number, &own, NULL);
}

static void
use_own_signals(void)
{
    for (int number = 1; number < NSIG; number++) set_own_handler(number);
}

void
ws_process_restore_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        if (programs.known[number]) sigaction(number, &programs.handlers[number], NULL);
}

/* A process that waits lets signals through only while it waits (ppoll), so that none comes between a look at what it
 * has said and the next wait. A signal that a child gets before it has the program's handlers waits until it has them.
 * (The kernel drops a signal that is ignored, but not while it is blocked: sig_ignored in kernel/signal.c.) */
static void
block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &programs.mask);
}

void
ws_process_unblock_signals(void)
{
    pthread_sigmask(SIG_SETMASK, &programs.mask, NULL);
}

/* The child of the last request was made, or could not be made. */
static void
begin_command(pid_t child)
{
    int ended = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (ended >= 0) {
        ws_process_answer(ws_the_process.connection, child, 0);
        ws_the_process.commands[ws_the_process.command_count++] =
            (ws_command){ ws_the_process.connection, ended, child };
        ws_the_process.connection = -1; /* stays open, for the status */
        ws_trace()->hits++;
    }
    else if (child > 0) kill(child, SIGKILL); /* (it has not begun) */
    ws_process_forget_request();
    ws_the_process.forks = false;
}

/* Where there are too many processes, Ruby tries again each second, for ever (handle_fork_error in process.c). The
 * client does not wait so long, and a standby that tries hears nobody. With another error Ruby gives up at once. */
void
ws_standby_not_forked(void)
{
    if (ws_the_process.forks && errno == EAGAIN) errno = EBUSY;
}

/* The client has gone (it was killed). Where the command leads a group of its own, the signal is for its children, too:
 * whoever kills the client's group means all of them. */
static void
hang_up(ws_command *command)
{
    kill(getpgid(command->child) == command->child ? -command->child : command->child, SIGHUP);
    close(command->connection);
    command->connection = -1;
}

/* Whoever reads what a terminal shows waits for all that hold it. Returns the terminal's descriptor, or -1. */
static int
find_terminal(void)
{
    int terminal = STDIN_FILENO;
    while (terminal <= STDERR_FILENO && !isatty(terminal)) terminal++;
    return terminal > STDERR_FILENO ? -1 : terminal;
}

/* A pseudo terminal does not hang up when its session's leader, a shell, ends (disassociate_ctty in the kernel), and
 * none of the standard descriptors need be a terminal. But no command of that session comes any more, so its end is
 * waited for. (Without a terminal the leader is the process that stays behind with this one.) */
static void
find_leader(void)
{
    if (ws_the_process.leader < 0) ws_the_process.leader = (int)syscall(SYS_pidfd_open, getsid(0), 0);
    if (ws_the_process.leader < 0 && errno == ESRCH) ws_process_stop_listening();
}

/* What a child does before it is the command is never done twice: the client says "go", and until then it may still
 * run the ordinary command. */
void
ws_process_wait(pid_t child)
{
    if (child) begin_command(child);
    else {
        block_signals();
        use_own_signals();
    }
    int terminal = find_terminal();
    find_leader();
    bool session_ended = false;
    for (int idle = 0;;) {
        enum { LISTENER, TERMINAL, LEADER, COMMANDS };
        struct pollfd polled[COMMANDS + 2 * COMMANDS_MAXIMUM] = { { ws_the_process.listener, POLLIN, 0 },
                                                                  { terminal, 0, 0 },
                                                                  { session_ended ? -1 : ws_the_process.leader, POLLIN,
                                                                    0 } };
        static const struct timespec A_MINUTE = { MINUTE_SECONDS, 0 };
        int known = ws_the_process.command_count;
        for (int i = 0; i < known; i++) {
            polled[COMMANDS + 2 * i] = (struct pollfd){ ws_the_process.commands[i].ended, POLLIN, 0 };
            polled[COMMANDS + 1 + 2 * i] = (struct pollfd){ ws_the_process.commands[i].connection, 0, 0 };
        }
        int found = ppoll(polled, (nfds_t)(COMMANDS + 2 * known), &A_MINUTE, &programs.mask);
        if (is_asked_to_end) ws_process_stop_listening();
        if (found < 0) { /* a signal has come, and nothing was looked at */
            for (int i = 0; i < COMMANDS + 2 * known; i++) polled[i].revents = 0;
        }
        if (found == 0) idle++;
        else if (polled[LISTENER].revents) idle = 0;
        if (polled[TERMINAL].revents & (POLLHUP | POLLERR | POLLNVAL) || polled[LEADER].revents) {
            session_ended = true;
            terminal = -1; /* poll tells of this again and again, while a command still runs */
            ws_process_stop_listening();
        }
        for (int i = known; i-- > 0;) {
            if (polled[COMMANDS + 1 + 2 * i].revents & (POLLHUP | POLLERR)) hang_up(&ws_the_process.commands[i]);
            if (polled[COMMANDS + 2 * i].revents) end_command(i);
        }
        if (ws_the_process.listener >= 0 && polled[LISTENER].revents & POLLIN && take_client()) break;
        if (!is_wanted(ws_the_process.command_count ? 0 : idle)) ws_process_stop_listening();
        if (ws_the_process.listener < 0 && ws_the_process.command_count == 0) _exit(0);
    }
    ws_the_process.forks = true;
}
