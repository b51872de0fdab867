/* The standby's process; see standby.h. This is part of the interposer, so it is plain C and runs without Ruby. */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

bool ws_standby_booting, ws_standby_leaving;
ws_process ws_the_process = { .listener = -1, .leader = -1, .connection = -1 };

/* ---- places to wait at ---- */

static bool
pass(const char *point)
{
    ws_trace_header *header = ws_trace();
    if (!ws_standby_booting) return false;
    if (*header->point) return strcmp(header->point, point) == 0;
    bool complete = strcmp(point, "config/environment") == 0; /* of a Rails application nothing is left to load */
    snprintf(header->passed, sizeof header->passed, "%s", complete ? "" : point);
    return complete;
}

/* ---- the end of the boot ---- */

static struct {
    char why[PATH_MAX + 128];
    int descriptor; /* that it is about */
} obstacle = { .descriptor = -1 };

/* Whether two descriptors are copies (dup), which have one position: opened again, each would have its own. (Where the
 * kernel does not tell, two that are open on one file are taken for copies.) */
static bool
are_copies(int one, int other)
{
    enum { OPEN_FILE = 0 }; /* KCMP_FILE in linux/kcmp.h */
    struct statx first, second;
    long order = syscall(SYS_kcmp, getpid(), getpid(), OPEN_FILE, one, other);
    if (order >= 0) return order == 0;
    return ws_process_find_open(one, &first) && ws_process_find_open(other, &second) &&
           first.stx_dev_major == second.stx_dev_major && first.stx_dev_minor == second.stx_dev_minor &&
           first.stx_ino == second.stx_ino;
}

/* Notes a descriptor that a child opens again. Returns false if it cannot do so. */
static bool
note_read(int fd)
{
    if (fd >= FD_SETSIZE) return false;
    for (int other = 0; other < FD_SETSIZE; other++)
        if (FD_ISSET(other, &ws_the_process.read) && are_copies(fd, other)) return false;
    FD_SET(fd, &ws_the_process.read);
    return true;
}

/* Looks for descriptors that processes cannot share: sockets, files that can be written anywhere or have a position at
 * which they are read, timers and watchers (Ruby has two of that kind, and makes them anew). Ruby's IO objects do not
 * show all of them. Files that are only read a child opens again; what is appended has no position of its own. */
static const char *
find_descriptor(void)
{
    DIR *list = opendir("/proc/self/fd");
    if (!list) return "/proc is not readable";
    const char *found = NULL;
    for (struct dirent *entry; !found && (entry = readdir(list));) {
        int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFL);
        struct statx data;
        if (fd <= STDERR_FILENO || fd == dirfd(list) || !ws_process_find_open(fd, &data)) continue;
        char path[PATH_MAX];
        ssize_t size =
            syscall(SYS_readlinkat, dirfd(list), entry->d_name, path, sizeof path - 1); /* (not the boot's) */
        path[size > 0 ? size : 0] = 0;
        bool file = S_ISREG(data.stx_mode) || S_ISDIR(data.stx_mode), reads = (flags & O_ACCMODE) == O_RDONLY;
        bool appends = flags & O_APPEND && (flags & O_ACCMODE) == O_WRONLY;
        bool rubys_own = strcmp(path, "anon_inode:[eventfd]") == 0 || strcmp(path, "anon_inode:[eventpoll]") == 0;
        if (file ? !appends && !(reads && note_read(fd))
                 : S_ISSOCK(data.stx_mode) || ((data.stx_mode & S_IFMT) == 0 && !rubys_own)) {
            snprintf(obstacle.why, sizeof obstacle.why, "its boot leaves %s open", path);
            found = obstacle.why;
            obstacle.descriptor = fd;
        }
    }
    closedir(list);
    return found;
}

/* The socket's name has few bytes (sun_path), so it is reached through its folder's descriptor. */
static const char *
listen_for_clients(void)
{
    char folder[PATH_MAX];
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(folder, sizeof folder, "%s", ws_the_process.trace_path);
    char *name = strrchr(folder, '/');
    if (!name) return "its runtime folder has no name";
    *name++ = 0;
    name[strcspn(name, ".")] = 0;
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.32s.socket", at, name);
    ws_the_process.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (at < 0 || ws_the_process.listener < 0) return "it cannot make a socket";
    unlink(address.sun_path);
    mode_t before = umask(077);
    int failed = bind(ws_the_process.listener, (struct sockaddr *)&address, sizeof address) ||
                 listen(ws_the_process.listener, 64);
    umask(before);
    close(at);
    return failed ? "it cannot listen in its runtime folder" : NULL;
}

/* A boot leaves behind many small pieces of free memory, each on another page. If children used them, nearly every call
 * of malloc would write to a page that they share with the standby, and the kernel would have to copy it. So the pieces
 * are used up here, and children get new memory, which lies together. (malloc takes from the top of the heap only when
 * no free piece fits: _int_malloc.) Another malloc than the C library's has nothing below the top, so this ends at
 * once. */
static void
use_up_pieces(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    enum { SMALL = 1024, STEP = 16 };
    char *top = (char *)sbrk(0) - mallinfo2().keepcost;
    for (size_t size = 64 * SMALL; size >= STEP; size -= size > SMALL ? size / 2 : STEP)
        for (;;) {
            char *volatile piece = malloc(size);
            if (piece && piece < top) continue;
            free(piece);
            break;
        }
#endif
}

/* Returns why this process cannot wait, or NULL. */
static const char *
prepare(const char *cache)
{
    struct statx trace_file;
    const char *trouble = find_descriptor();
    if (trouble) return trouble;
    ws_process_note_appended();
    if (!ws_trace_end(cache)) return "its boot asks too much";
    use_up_pieces();
    /* (What this boot has asked stands in its own trace alone; clients would compare the other one.) */
    ws_the_process.trace_inode = ws_trace()->inode;
    if (!ws_process_find(AT_FDCWD, ws_the_process.trace_path, &trace_file) ||
        trace_file.stx_ino != ws_the_process.trace_inode)
        return "its trace is gone";
    return listen_for_clients();
}

static void
seal(const char *cache)
{
    ws_trace_header *header = ws_trace();
    ws_standby_booting = false;
    const char *trouble = prepare(cache);
    if (trouble) {
        ws_the_process.interface.place = NULL;
        ws_process_give_up(trouble, obstacle.descriptor);
    }
    syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0); /* (see boot in making.c) */
    header->waiting_since = time(NULL);
    __atomic_store_n(&header->state, WS_TRACE_WAITING, __ATOMIC_RELEASE);
}

/* ---- the beginning ---- */

static void
leave(void)
{
    ws_standby_leaving = true;
}

__attribute__((visibility("default"))) ws_standby *warmstart_standby(void);
__attribute__((visibility("default"))) ws_standby *
warmstart_standby(void)
{
    return ws_standby_booting ? &ws_the_process.interface : NULL;
}

__attribute__((constructor)) static void
begin(void)
{
    ws_the_process.trace_path = ws_trace_begin();
    if (!ws_the_process.trace_path) return;
    ws_the_process.main_thread = pthread_self();
    ws_the_process.first_environment = ws_process_copy_environment();
    ws_the_process.interface = (ws_standby){ .version = WS_STANDBY_INTERFACE,
                                             .give_up = ws_process_give_up,
                                             .pass = pass,
                                             .seal = seal,
                                             .wait = ws_process_wait,
                                             .become = ws_process_unblock_signals,
                                             .leave = leave };
    pthread_atfork(NULL, NULL, ws_process_take_over);
    ws_standby_booting = true;
}
