/* The folder in which the traces, sockets and locks of all standbys of this user lie. */
#include "client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"

/* Of one user; the one that was not used for longest ends. */
enum { STANDBYS_MAXIMUM = 3 };

/* ---- the folder ---- */

bool
ws_store_find(bool make)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    struct stat data;
    if (runtime && *runtime == '/')
        snprintf(ws_the_client.folder, sizeof ws_the_client.folder, "%s/warmstart-standby", runtime);
    else snprintf(ws_the_client.folder, sizeof ws_the_client.folder, "/tmp/warmstart-standby-%u", (unsigned)geteuid());
    ws_the_client.is_first = make && mkdir(ws_the_client.folder, 0700) == 0;
    if (make && !ws_the_client.is_first && errno != EEXIST) return false;
    return lstat(ws_the_client.folder, &data) == 0 && S_ISDIR(data.st_mode) && data.st_uid == geteuid() &&
           (data.st_mode & 077) == 0;
}

const char *
ws_store_path(const char *name, const char *suffix)
{
    static char path[PATH_MAX + NAME_MAX + 16];
    snprintf(path, sizeof path, "%s/%s.%s", ws_the_client.folder, name, suffix);
    return path;
}

bool
ws_store_may_have(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size <= limit.rlim_cur;
}

/* ---- traces ---- */

/* Closes the file. Returns NULL if it cannot be mapped. */
static ws_trace_header *
map(int fd, bool whole)
{
    void *place = whole ? mmap(NULL, WS_TRACE_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    close(fd);
    return place == MAP_FAILED ? NULL : place;
}

ws_trace_header *
ws_store_map(const char *name)
{
    struct stat data;
    int fd = open(ws_store_path(name, "trace"), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return NULL;
    bool whole = fstat(fd, &data) == 0 && (size_t)data.st_size == WS_TRACE_ROOM && data.st_uid == geteuid();
    ws_trace_header *header = map(fd, whole);
    if (!header) return NULL;
    if (header->magic != WS_TRACE_MAGIC || header->version != WS_TRACE_VERSION || header->used > WS_TRACE_ROOM) {
        munmap(header, WS_TRACE_ROOM);
        return NULL;
    }
    header->why[sizeof header->why - 1] = header->command[sizeof header->command - 1] = 0;
    header->point[sizeof header->point - 1] = header->passed[sizeof header->passed - 1] = 0;
    return header;
}

bool
ws_store_next(ws_store_walk *walk)
{
    if (walk->header) munmap(walk->header, WS_TRACE_ROOM);
    if (!walk->list) walk->list = opendir(ws_the_client.folder);
    for (struct dirent *entry; walk->list && (entry = readdir(walk->list));) {
        char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".trace") != 0) continue;
        snprintf(walk->name, sizeof walk->name, "%.*s", (int)(end - entry->d_name), entry->d_name);
        walk->header = ws_store_map(walk->name);
        if (walk->header) return true;
    }
    if (walk->list) closedir(walk->list);
    return false;
}

ws_trace_header *
ws_store_make(char **command, const char *point)
{
    char beside[PATH_MAX + NAME_MAX + 32];
    struct stat data;
    snprintf(beside, sizeof beside, "%s.%d", ws_store_path(ws_the_client.key, "new"), (int)getpid());
    int fd = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    bool known = fstat(fd, &data) == 0;
    /* (Whoever touches a mapped page that a full disk has no room for is killed by SIGBUS.) */
    ws_trace_header *header =
        map(fd, known && ftruncate(fd, WS_TRACE_ROOM) == 0 && posix_fallocate(fd, 0, sizeof *header) == 0);
    if (header) {
        header->magic = WS_TRACE_MAGIC;
        header->version = WS_TRACE_VERSION;
        header->inode = data.st_ino;
        snprintf(header->point, sizeof header->point, "%s", point);
        header->used = sizeof *header;
        for (char **argument = command; *argument; argument++) {
            size_t size = strlen(header->command);
            snprintf(header->command + size, sizeof header->command - size, "%s%s", size ? " " : "", *argument);
        }
        if (rename(beside, ws_store_path(ws_the_client.key, "trace")) == 0) return header;
    }
    unlink(beside);
    return NULL;
}

bool
ws_store_is_whole(const char *name, const ws_trace_header *header)
{
    int fd = open(ws_store_path(name, "trace"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    off_t hole = fd >= 0 ? lseek(fd, 0, SEEK_HOLE) : 0;
    bool whole = hole < 0 ? errno == EINVAL : (uint64_t)hole >= header->used;
    if (fd >= 0) close(fd);
    return whole;
}

bool
ws_store_is_tried(const char *name)
{
    int lock = open(ws_store_path(name, "lock"), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool tried = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
    if (lock >= 0) close(lock);
    return tried;
}

/* ---- a connection ---- */

int
ws_store_connect(const char *name, uint32_t pid)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int at = open(ws_the_client.folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = { .tv_usec = WS_STANDBY_SLICE_MILLISECONDS * 1000 };
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.32s.socket", at, name);
    bool connected = at >= 0 && fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
                     setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
                     connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    struct ucred peer;
    socklen_t size = sizeof peer;
    connected = connected && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() &&
                (pid == 0 || peer.pid == (pid_t)pid);
    int error = errno;
    if (at >= 0) close(at);
    if (connected) return fd;
    if (fd >= 0) close(fd);
    errno = error;
    return -1;
}

/* (One that has ended and that nobody has waited for is a zombie.) */
bool
ws_store_is_running(const ws_trace_header *header)
{
    struct pollfd ended = { ws_trace_process(header), POLLIN, 0 };
    bool running = ended.fd >= 0 && poll(&ended, 1, 0) == 0;
    if (ended.fd >= 0) close(ended.fd);
    return running;
}

void
ws_store_kill(const ws_trace_header *header, bool only_stopped)
{
    int process = ws_trace_process(header);
    if (process < 0) return;
    if (!only_stopped || ws_process_look(header->pid).state == 'T')
        syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
    close(process);
}

void
ws_store_end(const char *name)
{
    ws_request request = { .magic = WS_STANDBY_MAGIC };
    ws_trace_header *header = ws_store_map(name);
    /* (A process that is stopped takes nothing from its socket, and so keeps open what a client has sent.) */
    if (header && header->state == WS_TRACE_WAITING) ws_store_kill(header, true);
    if (header) munmap(header, WS_TRACE_ROOM);
    int fd = ws_store_connect(name, 0);
    bool asked = fd >= 0 && send(fd, &request, sizeof request, MSG_NOSIGNAL) >= 0;
    int error = errno;
    if (fd >= 0) close(fd);
    if (!asked && (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS)) return;
    if (fd >= 0 && !asked) ws_the_client.reason = "the standby does not answer";
    unlink(ws_store_path(name, "socket"));
    unlink(ws_store_path(name, "trace"));
}

/* ---- all of them end ---- */

#define STOP_MARK "all", "stopped"

void
ws_store_mark_stop(void)
{
    struct timespec now[2];
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK; /* (it may be a FIFO) */
    int mark = open(ws_store_path(STOP_MARK), flags, 0600);
    if (mark < 0) return;
    clock_gettime(CLOCK_REALTIME, &now[0]); /* (the kernel's own would be up to 10 ms old) */
    now[1] = now[0];
    futimens(mark, now);
    close(mark);
}

bool
ws_store_is_stopped_since(struct timespec began)
{
    struct stat data;
    if (stat(ws_store_path(STOP_MARK), &data) != 0) return false;
    return data.st_mtim.tv_sec != began.tv_sec ? data.st_mtim.tv_sec > began.tv_sec
                                               : data.st_mtim.tv_nsec >= began.tv_nsec;
}

/* ---- notes: how commands fared ---- */

enum { NOTES_SIZE = 16 << 10, REASONS_MAXIMUM = 16 };
static const char FROM_STANDBY[] = "+";

void
ws_store_note(const char *reason)
{
    char line[1024];
    struct stat data = { 0 };
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK; /* (it may be a FIFO) */
    int fd = open(ws_store_path(ws_the_client.key, "notes"), flags, 0600);
    if (fd < 0) return;
    snprintf(line, sizeof line - 1, "%s", reason ? reason : FROM_STANDBY);
    size_t size = strlen(line);
    for (char *at = line; *at; at++)
        if (*at == '\n') *at = ' ';
    line[size++] = '\n';
    bool full = fstat(fd, &data) == 0 && data.st_size > NOTES_SIZE;
    if ((!full || ftruncate(fd, 0) == 0) && ws_store_may_have(full ? size : (size_t)data.st_size + size))
        if (write(fd, line, size) < 0) size = 0; /* (the disk is full) */
    close(fd);
}

int
ws_store_notes(const char *name, void (*tell)(const char *reason, int count))
{
    char *text = malloc(2 * NOTES_SIZE), *reasons[REASONS_MAXIMUM], *rest = NULL;
    int counts[REASONS_MAXIMUM], known = 0, hits = 0;
    int fd = open(ws_store_path(name, "notes"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = text && fd >= 0 ? read(fd, text, 2 * NOTES_SIZE - 1) : 0;
    if (fd >= 0) close(fd);
    if (text) text[size > 0 ? size : 0] = 0;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        int i = 0;
        if (strcmp(line, FROM_STANDBY) == 0) hits++;
        else {
            while (i < known && strcmp(reasons[i], line) != 0) i++;
            if (i == REASONS_MAXIMUM) continue;
            if (i == known) counts[known++] = 0;
            reasons[i] = line;
            counts[i]++;
        }
    }
    for (int i = 0; tell && i < known; i++) tell(reasons[i], counts[i]);
    free(text);
    return hits;
}

/* ---- what is left behind ---- */

/* A standby ends when it was not used for so long. */
enum { OLD_SECONDS = 1800 };

static bool
is_old(const char *path)
{
    struct stat data;
    return lstat(path, &data) != 0 || data.st_mtim.tv_sec <= time(NULL) - OLD_SECONDS;
}

/* (A trace is touched whenever its standby is used.) */
static void
remove_old(void)
{
    DIR *list = opendir(ws_the_client.folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[sizeof ws_the_client.folder + NAME_MAX + 2], name[NAME_MAX + 1];
        if (*entry->d_name == '.') continue;
        snprintf(path, sizeof path, "%s/%s", ws_the_client.folder, entry->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(entry->d_name, "."), entry->d_name);
        if (is_old(path) && is_old(ws_store_path(name, "trace"))) unlink(path);
    }
    if (list) closedir(list);
}

/* ---- how many there may be ---- */

/* Returns the number of standbys that wait, and the name of the one that was not used for longest. */
static int
count_waiting(char oldest[NAME_MAX + 1])
{
    int count = 0;
    time_t last = 0;
    ws_store_walk walk = { 0 };
    while (ws_store_next(&walk)) {
        struct stat data;
        if (walk.header->state != WS_TRACE_WAITING || !ws_store_is_running(walk.header) ||
            stat(ws_store_path(walk.name, "trace"), &data) != 0)
            continue;
        if (count++ > 0 && data.st_mtim.tv_sec >= last) continue;
        last = data.st_mtim.tv_sec;
        snprintf(oldest, NAME_MAX + 1, "%s", walk.name);
    }
    return count;
}

void
ws_store_make_room(int more)
{
    char oldest[NAME_MAX + 1] = "";
    for (int left = count_waiting(oldest) + more - STANDBYS_MAXIMUM; left > 0; left--) {
        ws_store_end(oldest);
        count_waiting(oldest);
    }
    remove_old();
}
