/* Makes a standby: boots the command in the background, and stays behind as its parent. */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "standby.h"

enum {
    START_AFTER_SECONDS = 10, /* a standby boots when the ordinary command has ended, or after this */
    BOOT_TICK_MILLISECONDS = 50,
    BOOT_SECONDS = 60 /* a boot that takes longer is ended */
};

/* The dynamic linker takes LD_PRELOAD apart at spaces and colons, and replaces what begins with "$". It would skip a
 * library that it does not find, and the boot would be the command once more. Returns NULL if there is none to preload.
 */
static const char *
interposer(void)
{
    static char path[PATH_MAX + 16];
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = 0;
    char *name = strrchr(path, '/');
    if (!name) return NULL;
    strcpy(name + 1, "interposer.so");
    return !strpbrk(path, " :$") && access(path, R_OK) == 0 ? path : NULL;
}

/* A boot whose guard is gone would hold no lock, so another one could begin beside it: it ends with its guard. When it
 * waits, it may outlive it. guard: the process that has forked this one; it may have ended before prctl */
__attribute__((noreturn)) static void
boot(char **command, const char *library, pid_t guard)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard) _exit(0);
    char preload[PATH_MAX * 2];
    const char *before = getenv("LD_PRELOAD");
    snprintf(preload, sizeof preload, "%s%s%s", library, before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", preload, 1);
    unsetenv("WARMSTART_LOG"); /* (what it prints would be an effect; no part of the key) */
    setenv(WS_STANDBY_VARIABLE, ws_store_path(ws_the_client.key, "trace"), 1);
    execvp(*command, command);
    _exit(127);
}

/* ---- the program itself: who runs it, the kernel and this client have found out, unseen by the trace ---- */

static ws_trace_header *recorded;

/* A program, or the interpreter of one: it may be found through links, which may lead elsewhere later. */
static void
record_program(const char *path)
{
    char real[PATH_MAX], whole[PATH_MAX];
    if (!ws_path_whole(AT_FDCWD, path, whole) || !realpath(whole, real)) return;
    ws_asked_append(recorded, (ws_asked){ .what = WS_ASKED_REALPATH }, whole, real, strlen(real));
}

/* What this process stays behind with. process: its descriptor (a pidfd) */
static struct {
    const ws_trace_header *trace;
    int process;
} behind;

/* Whoever asks this process to end means the standby, which may still have commands that run, and what that leaves has
 * to be removed. A boot ends with this process. */
static void
pass_on(int number)
{
    if (!behind.trace || behind.trace->state != WS_TRACE_WAITING) _exit(0);
    syscall(SYS_pidfd_send_signal, behind.process, number, NULL, 0);
}

static void
pass_on_signals(void)
{
    static const int SIGNALS[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, 0 };
    struct sigaction before;
    for (const int *number = SIGNALS; *number; number++)
        if (sigaction(*number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) signal(*number, pass_on);
}

/* One boot of a standby. Returns its trace, or NULL if it has none. session: tells when the session of its terminal is
 * over, or -1 */
static ws_trace_header *
try_boot(char **command, const char *library, const char *point, int session, pid_t *child)
{
    ws_trace_header *header = ws_store_make(command, point);
    if (!header) return NULL;
    recorded = header;
    ws_program_is_seen(*command, record_program);
    pid_t guard = getpid();
    *child = fork();
    if (*child == 0) boot(command, library, guard);
    int ended = *child > 0 ? (int)syscall(SYS_pidfd_open, *child, 0) : -1;
    behind.process = ended;
    behind.trace = header;
    struct pollfd polled[] = { { ended, POLLIN, 0 }, { session, POLLIN, 0 } };
    int left = BOOT_SECONDS * 1000 / BOOT_TICK_MILLISECONDS;
    while (ended >= 0 && header->state == WS_TRACE_BOOTING && left > 0 && poll(polled, 2, BOOT_TICK_MILLISECONDS) == 0)
        left--;
    if (header->state == WS_TRACE_BOOTING) {
        if (*child > 0) kill(*child, SIGKILL);
        const char *why = polled[0].revents ? "it ended" : left ? "its terminal's session ended" : "a minute passed";
        snprintf(header->why, sizeof header->why, "%s before its boot was complete", why);
        header->state = WS_TRACE_UNFIT;
    }
    return header;
}

/* Whether the trace in the folder is still that of this standby. (There may be another one, or somebody has ended
 * all.) */
static bool
is_current(const ws_trace_header *header)
{
    ws_trace_header *current = ws_store_map(ws_the_client.key);
    bool same = current && current->inode == header->inode;
    if (current) munmap(current, WS_TRACE_ROOM);
    return same;
}

/* Only what is a terminal stays connected, because a program may ask whether it is one, and the descriptor that is
 * kept. Returns false if this process would keep the others: whoever reads from a pipe waits for all that hold it. */
static bool
let_go(int kept)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (!isatty(fd) && (nothing < 0 || dup2(nothing, fd) < 0)) return false;
    if (kept > STDERR_FILENO + 1) syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
    syscall(SYS_close_range, kept + 1, ~0U, 0);
    return true;
}

/* The process that stays behind with a standby: its parent, which removes its files when it has ended. It begins when
 * the ordinary command has ended, so that it takes nothing from that. The lock is held while the standby boots: one at
 * a time. */
__attribute__((noreturn)) static void
guard(char **command, int ordinary, bool terminal)
{
    const char *library = interposer();
    struct timespec began;
    clock_gettime(CLOCK_REALTIME, &began);
    struct pollfd polled = { ordinary, POLLIN, 0 };
    poll(&polled, 1, START_AFTER_SECONDS * 1000);
    close(ordinary);
    if (terminal && !ws_terminal_session()) _exit(0); /* (no command of that session comes any more) */
    if (terminal) setpgid(0, 0);
    else setsid();
    pass_on_signals();
    /* (Whoever reads what a terminal shows waits for all that hold it: find_terminal in waiting.c.) */
    int session = terminal ? (int)syscall(SYS_pidfd_open, getsid(0), 0) : -1;
    int lock = open(ws_store_path(ws_the_client.key, "lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) _exit(0);
    /* (Whoever held it before may have removed it since it was opened here, and then it keeps nobody out. One that was
     * left behind long ago must not be removed as old.) */
    struct stat data;
    if (fstat(lock, &data) != 0 || data.st_nlink == 0 || futimens(lock, NULL) != 0) _exit(0);
    ws_store_make_room(1);
    ws_trace_header *other = ws_store_map(ws_the_client.key);
    if (other && other->state == WS_TRACE_WAITING && ws_store_is_running(other)) _exit(0); /* made meanwhile */
    if (ws_store_is_stopped_since(began)) _exit(0);
    pid_t child = -1;
    ws_trace_header *header = try_boot(command, library, "", session, &child);
    if (header && header->state == WS_TRACE_UNFIT && *header->passed && is_current(header)) {
        char point[sizeof header->passed];
        snprintf(point, sizeof point, "%s", header->passed);
        waitpid(child, NULL, 0);
        close(behind.process);
        header = try_boot(command, library, point, session, &child);
    }
    unlink(ws_store_path(ws_the_client.key, "lock"));
    close(lock);
    if (header && is_current(header) && ws_store_is_stopped_since(began)) ws_store_end(ws_the_client.key);
    ws_store_make_room(0);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    /* (What was noted stays for half an hour: a client may just be about to have another standby made.) */
    if (header && header->state == WS_TRACE_WAITING && is_current(header)) {
        unlink(ws_store_path(ws_the_client.key, "socket"));
        unlink(ws_store_path(ws_the_client.key, "trace"));
    }
    _exit(0);
}

const char *
ws_standby_hindrance(char **command)
{
    if (!ws_program_is_seen(*command, NULL))
        return "this program cannot be a standby (it is neither Ruby nor a script, or has more rights than its user)";
    if (!interposer()) return "its library cannot be preloaded (is a space, a colon or a dollar sign in its path?)";
    if (!ws_store_may_have(WS_TRACE_ROOM)) return "a file may not be as large as its trace (ulimit -f)";
    return NULL;
}

bool
ws_standby_have_made(char **command)
{
    const char *hindrance = ws_standby_hindrance(command);
    if (hindrance) {
        ws_the_client.reason = hindrance;
        return false;
    }
    int ordinary = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (ordinary < 0) return false;
    bool terminal = ws_terminal_session() != 0;
    pid_t child = fork();
    if (child == 0) {
        /* (Before the command begins: from then on it may be alone with its descriptors.) */
        if (let_go(ordinary) && fork() == 0) guard(command, ordinary, terminal);
        _exit(0);
    }
    close(ordinary);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return true;
}
