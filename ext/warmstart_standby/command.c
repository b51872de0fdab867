/* Runs a command from its standby: hands over what the client has, and ends as the command ends. */
#include "client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

extern char **environ;

/* All descriptors that a program would inherit. */
static int numbers[WS_DESCRIPTORS_MAXIMUM], number_count;

/* Returns false if there are too many. */
static bool
find_descriptors(void)
{
    DIR *list = opendir("/proc/self/fd");
    bool fit = list;
    for (struct dirent *entry; fit && (entry = readdir(list));) {
        int fd = atoi(entry->d_name);
        if (*entry->d_name == '.' || fd == dirfd(list) || fcntl(fd, F_GETFD) & FD_CLOEXEC) continue;
        fit = number_count < WS_DESCRIPTORS_MAXIMUM;
        if (fit) numbers[number_count++] = fd;
    }
    if (list) closedir(list);
    return fit;
}

static bool
send_all(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(fd, (const char *)data + done, size - done, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        done += (size_t)sent;
    }
    return true;
}

static bool
send_request(int fd, bool terminal)
{
    size_t size = 0;
    for (char **entry = environ; *entry; entry++) size += strlen(*entry) + 1;
    if (!find_descriptors() || size == 0 || size > WS_ENVIRONMENT_MAXIMUM) return false;
    size_t numbers_size = (size_t)number_count * sizeof *numbers;
    ws_request request = { .magic = WS_STANDBY_MAGIC,
                           .version = WS_STANDBY_VERSION,
                           .pid = getpid(),
                           .group = getpgrp(),
                           .same_session = terminal,
                           .descriptors = (uint32_t)number_count,
                           .environment = (uint32_t)size };
    union {
        char space[CMSG_SPACE(sizeof numbers)];
        struct cmsghdr header;
    } control = { .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(numbers_size) } };
    memcpy(CMSG_DATA(&control.header), numbers, numbers_size);
    struct iovec part = { &request, sizeof request };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(numbers_size)
    };
    if (sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof request) return false;
    if (!send_all(fd, numbers, numbers_size)) return false;
    for (char **entry = environ; *entry; entry++)
        if (!send_all(fd, *entry, strlen(*entry) + 1)) return false;
    return true;
}

static bool
receive_answer(int fd, ws_answer *answer)
{
    for (size_t done = 0; done < sizeof *answer;) {
        ssize_t got = recv(fd, (char *)answer + done, sizeof *answer - done, MSG_WAITALL);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += (size_t)got;
    }
    return answer->magic == WS_STANDBY_MAGIC;
}

/* Waits for an answer as long as the process that is to give it works, for this client or for others that came before.
 * Both in milliseconds, slice: for so long it may be idle; patience: the longest time in all. errno: 0 if the
 * connection is closed */
static bool
await_answer(int fd, uint32_t process, int slice, int patience, ws_answer *answer)
{
    struct pollfd polled = { fd, POLLIN, 0 };
    ws_process_times before = ws_process_look(process);
    for (int waited = 0; waited < patience; waited += slice) {
        int found = poll(&polled, 1, slice);
        if (found > 0) return errno = 0, receive_answer(fd, answer);
        if (found < 0) continue; /* (a signal) */
        ws_process_times now = ws_process_look(process);
        if (now.state != 'R' && now.state != 'D' && now.used == before.used) break;
        before = now;
    }
    errno = ETIMEDOUT;
    return false;
}

/* Returns whether the child is the command. It is as soon as it has sent its answer. After the shutdown nothing can be
 * sent to this process any more, and a child whose answer cannot be sent ends: so it either is the command, and its
 * answer is here, or it never is (unix_stream_sendmsg in net/unix/af_unix.c). */
static bool
say_go(int fd, pid_t child, ws_answer *answer)
{
    if (!send_all(fd, "g", 1)) return false;
    if (!await_answer(fd, (uint32_t)child, WS_STANDBY_SLICE_MILLISECONDS, WS_STANDBY_PATIENCE_MILLISECONDS, answer) &&
        (shutdown(fd, SHUT_RD) != 0 || !receive_answer(fd, answer)))
        return false;
    return answer->pid > 0;
}

__attribute__((noreturn)) static void
end_as(int status)
{
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    struct rlimit none = { 0, 0 };
    sigset_t all;
    setrlimit(RLIMIT_CORE, &none); /* the command itself has left one */
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&all);
    sigaddset(&all, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

/* The command has its own, and whoever reads from a pipe waits for all that hold it. Only a stderr that is a terminal
 * or a file stays. data: gets what stderr is */
static void
let_go(struct stat *data)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool stays = fstat(STDERR_FILENO, data) == 0 && !S_ISFIFO(data->st_mode) && !S_ISSOCK(data->st_mode);
    for (int i = 0; i < number_count; i++) {
        if (numbers[i] == STDERR_FILENO && stays) continue;
        if (numbers[i] > STDERR_FILENO || dup2(nothing, numbers[i]) < 0) close(numbers[i]);
    }
}

/* Waits until the standby tells how the command has ended. If it has ended, and the standby says nothing for a while in
 * which it does not work either, it is stopped (SIGSTOP). ended: tells when the command has ended. Returns false if the
 * status is lost; errno: 0 if the connection is closed */
static bool
await_status(int fd, int ended, ws_answer *answer)
{
    struct pollfd polled[] = { { fd, POLLIN, 0 }, { ended, POLLIN, 0 } };
    while (poll(polled, 2, -1) < 0 && errno == EINTR) continue;
    return await_answer(fd, ws_the_client.standby, WS_STANDBY_PATIENCE_MILLISECONDS, INT_MAX, answer);
}

/* Says on stderr, or on the command's, if that is the same one still, that the status is lost. */
static void
complain(pid_t command, const struct stat *data, const char *why)
{
    char path[64];
    struct stat found;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)command, STDERR_FILENO);
    int fd = S_ISFIFO(data->st_mode) ? open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY) : STDERR_FILENO;
    signal(SIGPIPE, SIG_IGN);
    if (fstat(fd, &found) == 0 && found.st_dev == data->st_dev && found.st_ino == data->st_ino)
        dprintf(fd, "warmstart: the standby %s; the command's exit status is lost\n", why);
}

/* Who sends a signal to all processes whose command line has some text (pkill -f) means one process. The command has
 * that line. If this one and its witness had it, too, the command would get the signal once more from here. */
static void
hide_line(void)
{
    if (ws_the_client.line_size == 0) return;
    memset(ws_the_client.line, 0, ws_the_client.line_size);
    snprintf(ws_the_client.line, ws_the_client.line_size, "standby");
}

bool
ws_command_run(bool terminal)
{
    int fd = ws_store_connect(ws_the_client.key, ws_the_client.standby);
    ws_answer answer;
    struct timeval forever = { 0 };
    ws_the_client.reason = "the standby cannot be reached";
    if (fd < 0) return false;
    ws_the_client.reason = "the standby could not be told what to run";
    bool sent = send_request(fd, terminal);
    if (sent) ws_the_client.reason = "the standby does not answer";
    if (!sent ||
        !await_answer(fd, ws_the_client.standby, WS_STANDBY_SLICE_MILLISECONDS, WS_STANDBY_PATIENCE_MILLISECONDS,
                      &answer) ||
        answer.pid <= 0) {
        bool refused = sent && !errno;
        if (refused)
            ws_the_client.reason = "the standby refuses (its boot uses the number of a descriptor, or it is busy)";
        close(fd);
        return refused;
    }
    int ended = (int)syscall(SYS_pidfd_open, answer.pid, 0);
    hide_line();
    ws_signals_forward(answer.pid, terminal);
    if (ws_the_client.logs) fprintf(stderr, "warmstart: from the standby %u\n", ws_the_client.standby);
    /* A child that has not heard "go" in time has ended, and the standby tells its end. */
    if (ended < 0 || !say_go(fd, answer.pid, &answer)) {
        ws_signals_take_back();
        close(fd);
        return false;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
    struct stat output = { 0 };
    let_go(&output);
    ws_store_note(NULL);
    pid_t command = answer.pid;
    bool told = await_status(fd, ended, &answer);
    bool silent = errno == ETIMEDOUT;
    ws_signals_end();
    if (told) end_as(answer.status);
    complain(command, &output, silent ? "does not answer" : "was killed");
    struct pollfd polled = { ended, POLLIN, 0 };
    while (poll(&polled, 1, -1) < 0 && errno == EINTR) continue;
    _exit(1);
}
