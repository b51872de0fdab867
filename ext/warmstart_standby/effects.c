/* What a boot may not do while it is a standby's: before its first effect on the outside the process ends. */
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "program.h"

enum { DESCRIPTORS_MAXIMUM = 1024 }; /* that are looked at */

/* What the boot appends to grows with each command, also where the boot is of no use: its trace holds all the same.
 * (No memory is asked for, because this may be a child that shares it: vfork.) */
void
ws_process_note_appended(void)
{
    struct statx data;
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS_MAXIMUM; fd++) {
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0 && flags & O_APPEND && ws_process_find_open(fd, &data) && S_ISREG(data.stx_mode))
            ws_trace_appended((uint64_t)data.stx_dev_major << 32 | data.stx_dev_minor, data.stx_ino);
    }
}

/* ---- which line it was ---- */

/* Only of the main thread: Ruby's frames are those of the thread that asks. */
static const char *
place_now(void)
{
    bool known = ws_the_process.interface.place && pthread_equal(pthread_self(), ws_the_process.main_thread);
    return known ? ws_the_process.interface.place() : NULL;
}

/* Where descriptors were made; the last ones. */
enum { PLACES_MAXIMUM = 64, PLACE_SIZE = 512 };
static struct {
    struct {
        int fd;
        char place[PLACE_SIZE];
    } all[PLACES_MAXIMUM];
    unsigned used;
} places;

void
ws_standby_made(int fd)
{
    const char *place = fd > STDERR_FILENO ? place_now() : NULL;
    if (!place) return;
    unsigned at = places.used++ % PLACES_MAXIMUM;
    places.all[at].fd = fd;
    snprintf(places.all[at].place, PLACE_SIZE, "%s", place);
}

/* (A number is used again when its descriptor is closed, so the last one counts.) */
static const char *
place_of(int fd)
{
    for (unsigned i = places.used; fd >= 0 && i-- > 0 && places.used - i <= PLACES_MAXIMUM;)
        if (places.all[i % PLACES_MAXIMUM].fd == fd) return places.all[i % PLACES_MAXIMUM].place;
    return NULL;
}

__attribute__((noreturn)) void
ws_process_give_up(const char *why, int fd)
{
    ws_trace_header *header = ws_trace();
    const char *place = fd < 0 ? place_now() : place_of(fd);
    ws_standby_booting = false;
    snprintf(header->why, sizeof header->why, "%s%s%s", why, place ? " at " : "", place ? place : "");
    ws_process_note_appended();
    ws_trace_end("");
    __atomic_store_n(&header->state, WS_TRACE_UNFIT, __ATOMIC_RELEASE);
    kill((pid_t)header->pid, SIGKILL); /* (this may be a child that shares its memory: vfork) */
    _exit(0);
}

/* ---- effects ---- */

void
ws_standby_effect(const char *function)
{
    char why[256];
    snprintf(why, sizeof why, "its boot calls %s", function);
    ws_process_give_up(why, -1);
}

/* (A library below Ruby is named: Ruby's own line says little of it.) */
void
ws_standby_refuse(const char *function, const void *caller)
{
    char why[PATH_MAX + 64];
    Dl_info info;
    if (ws_is_warmstart(caller) || ws_standby_is_own(caller)) return;
    bool below = !ws_standby_is_rubys(caller) && dladdr(caller, &info) && info.dli_fname;
    snprintf(why, sizeof why, "its boot calls %s%s%s", function, below ? " from " : "", below ? info.dli_fname : "");
    ws_process_give_up(why, -1);
}

static void
effect_on(const char *function, const char *path)
{
    char why[PATH_MAX + 64];
    snprintf(why, sizeof why, "its boot calls %s for %s", function, path);
    ws_process_give_up(why, -1);
}

bool
ws_process_find_open(int fd, struct statx *data)
{
    return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, data) == 0;
}

/* Whether two descriptors are copies (dup), which have one position: opened again, each would have its own. (Where the
 * kernel does not tell, two that are open on one file are taken for copies.) */
bool
ws_process_are_copies(int one, int other)
{
    enum { OPEN_FILE = 0 }; /* KCMP_FILE in linux/kcmp.h */
    struct statx first, second;
    long order = syscall(SYS_kcmp, getpid(), getpid(), OPEN_FILE, one, other);
    if (order >= 0) return order == 0;
    return ws_process_find_open(one, &first) && ws_process_find_open(other, &second) &&
           first.stx_dev_major == second.stx_dev_major && first.stx_dev_minor == second.stx_dev_minor &&
           first.stx_ino == second.stx_ino;
}

bool
ws_process_find(int folder, const char *path, struct statx *data)
{
    int before = errno;
    bool found = path && syscall(SYS_statx, folder, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, data) == 0;
    errno = before;
    return found;
}

void
ws_standby_effect_if_there(const char *function, int folder, const char *path)
{
    struct statx data;
    if (ws_process_find(folder, path, &data)) effect_on(function, path);
}

void
ws_standby_effect_unless_there(const char *function, int folder, const char *path)
{
    struct statx data;
    if (path && !ws_process_find(folder, path, &data)) effect_on(function, path);
}

/* These lead to the client's descriptors and terminal. */
static bool
is_clients(const char *path)
{
    static const char *const NAMES[] = { "/dev/std", "/dev/fd/", "/dev/tty", NULL };
    for (const char *const *name = NAMES; *name; name++)
        if (strncmp(path, *name, strlen(*name)) == 0) return true;
    return strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/");
}

/* What the boot appends to logs, in order. The boot may close them again, so each has a descriptor of ours. */
typedef struct ws_kept {
    struct ws_kept *next;
    int fd;
    uint64_t device, inode;
    size_t size;
    char data[];
} ws_kept;

/* Descriptors of ours are above the numbers that programs have. */
enum { FIRST_DESCRIPTOR = 512 };

static struct {
    ws_kept *first, **end;
    pthread_mutex_t lock;
} kept = { .end = &kept.first, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
is_kept(const struct statx *file)
{
    bool found = false;
    uint64_t device = (uint64_t)file->stx_dev_major << 32 | file->stx_dev_minor;
    pthread_mutex_lock(&kept.lock);
    for (ws_kept *entry = kept.first; entry && !found; entry = entry->next)
        found = entry->device == device && entry->inode == file->stx_ino;
    pthread_mutex_unlock(&kept.lock);
    return found;
}

/* To open a file that exists changes nothing, unless it is emptied. What is written to it comes later. A link that
 * leads nowhere makes what it leads to. */
void
ws_standby_open(int folder, const char *path, int flags)
{
    struct statx data;
    int before = errno;
    if (!path) return;
    if (is_clients(path) || (flags & O_TMPFILE) == O_TMPFILE) effect_on("open", path);
    bool there = syscall(SYS_statx, folder, path, 0, STATX_BASIC_STATS, &data) == 0;
    bool device = there && S_ISCHR(data.stx_mode),
         terminal = device && data.stx_rdev_major != 1; /* (1: /dev/null ...) */
    if (there ? (flags & O_TRUNC && S_ISREG(data.stx_mode)) : flags & O_CREAT) effect_on("open", path);
    /* (A disk has no time of its last change.) */
    if (there && (S_ISFIFO(data.stx_mode) || S_ISBLK(data.stx_mode) || terminal)) effect_on("open", path);
    if (device && (flags & O_ACCMODE) != O_RDONLY && strcmp(path, "/dev/null") != 0) effect_on("open", path);
    /* (It does not hold yet what the boot has appended.) */
    if (there && (flags & O_ACCMODE) != O_WRONLY && is_kept(&data)) effect_on("open", path);
    errno = before;
}

/* Whether a file could be read by a descriptor that is open now. */
static bool
is_read(const struct statx *file)
{
    struct statx data;
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS_MAXIMUM; fd++) {
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && ws_process_find_open(fd, &data) &&
            data.stx_dev_major == file->stx_dev_major && data.stx_dev_minor == file->stx_dev_minor &&
            data.stx_ino == file->stx_ino)
            return true;
    }
    return false;
}

/* What is written moves the position of the handle that it is written through. So it is kept with a copy of that one;
 * the copy of one that the boot has closed is free for another one on the same file. Returns whether ours is, or
 * becomes, a copy of fd. */
static bool
takes_place(int ours, int fd)
{
    if (ws_process_are_copies(ours, fd)) return true;
    for (int other = STDERR_FILENO + 1; other < FIRST_DESCRIPTOR; other++)
        if (syscall(SYS_fcntl, other, F_GETFD) >= 0 && ws_process_are_copies(ours, other)) return false;
    return syscall(SYS_dup3, fd, ours, O_CLOEXEC) == ours;
}

static bool
keep(int fd, const struct statx *file, const void *data, size_t size)
{
    ws_kept *entry = malloc(sizeof *entry + size);
    if (!entry) return false;
    *entry = (ws_kept){ .fd = -1,
                        .device = (uint64_t)file->stx_dev_major << 32 | file->stx_dev_minor,
                        .inode = file->stx_ino,
                        .size = size };
    memcpy(entry->data, data, size);
    pthread_mutex_lock(&kept.lock);
    for (ws_kept *other = kept.first; other && entry->fd < 0; other = other->next)
        if (other->device == entry->device && other->inode == entry->inode && takes_place(other->fd, fd))
            entry->fd = other->fd;
    if (entry->fd < 0) entry->fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    *kept.end = entry;
    kept.end = &entry->next;
    pthread_mutex_unlock(&kept.lock);
    return entry->fd >= 0;
}

/* The boot has been told that it is written, so there has to be room: the kernel is asked for it, beyond the file's
 * end. (That changes nothing that could be read. File systems that cannot do so tell how much they have left.) */
static bool
has_room(const ws_kept *first, size_t size)
{
    struct statx data;
    struct rlimit limit;
    struct statfs system;
    if (!ws_process_find_open(first->fd, &data) || getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    if (limit.rlim_cur != RLIM_INFINITY && data.stx_size + size > limit.rlim_cur) return false;
    if (syscall(SYS_fallocate, first->fd, FALLOC_FL_KEEP_SIZE, (off_t)data.stx_size, (off_t)size) == 0) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    return syscall(SYS_fstatfs, first->fd, &system) == 0 && (uint64_t)system.f_bavail * system.f_bsize >= size;
}

bool
ws_process_can_write_kept(void)
{
    for (ws_kept *entry = kept.first; entry; entry = entry->next) {
        size_t size = 0;
        ws_kept *first = NULL;
        for (ws_kept *other = kept.first; other; other = other->next) {
            if (other->device != entry->device || other->inode != entry->inode) continue;
            if (!first) first = other;
            size += other->size;
        }
        if (first == entry && !has_room(entry, size)) return false;
    }
    return true;
}

void
ws_process_write_kept(void)
{
    for (ws_kept *entry = kept.first; entry; entry = entry->next)
        for (size_t done = 0; done < entry->size;) {
            ssize_t written = write(entry->fd, entry->data + done, entry->size - done);
            if (written <= 0) break; /* (there was room; the program cannot know) */
            done += (size_t)written;
        }
    for (ws_kept *entry = kept.first; entry; entry = entry->next) close(entry->fd); /* (some are closed twice) */
}

/* Ruby wakes its own threads through pipes and eventfds. What is appended to a file, each command appends. All else
 * that is written is seen by somebody. */
bool
ws_standby_keeps(const char *function, int fd, const void *data, size_t size)
{
    struct statx kind;
    int before = errno;
    if (!ws_process_find_open(fd, &kind)) return false; /* it fails */
    bool outside = fd <= STDERR_FILENO, to_itself = S_ISFIFO(kind.stx_mode) || (kind.stx_mode & S_IFMT) == 0;
    bool appends = S_ISREG(kind.stx_mode) && fcntl(fd, F_GETFL) & O_APPEND && (is_kept(&kind) || !is_read(&kind));
    errno = before;
    bool nowhere = S_ISCHR(kind.stx_mode) && kind.stx_rdev_major == 1 && kind.stx_rdev_minor == 3; /* /dev/null */
    if (!outside && (to_itself || nowhere)) return false;
    if (outside || !appends || !keep(fd, &kind, data, size)) ws_standby_effect(function);
    return true;
}

void
ws_standby_print(const char *function, int fd)
{
    if (fd >= 0) ws_standby_effect(function);
}

/* These ask nothing and change nothing. Ruby and the libraries below it use them. */
static bool
is_harmless(long number)
{
    static const long HARMLESS[] = { SYS_futex,  SYS_gettid,       SYS_getrandom, SYS_membarrier, SYS_sched_getaffinity,
                                     SYS_getcpu, SYS_get_mempolicy };
    for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++)
        if (number == HARMLESS[i]) return true;
    return false;
}

bool
ws_standby_is_own(const void *caller)
{
    Dl_info info, ours;
    return dladdr(caller, &info) && dladdr((const void *)(uintptr_t)is_harmless, &ours) &&
           info.dli_fbase == ours.dli_fbase;
}

void
ws_standby_call(long number, const void *caller)
{
    char why[64];
    if (ws_standby_is_own(caller) || is_harmless(number) || ws_is_warmstart(caller))
        return; /* (Warmstart lists folders, which it has opened) */
    snprintf(why, sizeof why, "syscall(%ld)", number);
    ws_standby_effect(why);
}

void
ws_standby_read(const char *function, int fd)
{
    if (fd == STDIN_FILENO) ws_standby_effect(function);
}

void
ws_standby_replace(const char *function, int fd)
{
    if (fd <= STDERR_FILENO && fd >= 0) ws_standby_effect(function);
}

/* (Warmstart's own locks are held for a moment only.) */
void
ws_standby_lock(int operation, const void *caller)
{
    if (!(operation & LOCK_UN) && !ws_is_warmstart(caller)) ws_standby_effect("flock");
}

/* Memory of no file would be shared by all commands. A file that may be written may become writable later (mprotect).
 */
void
ws_standby_map(int protection, int flags, int fd)
{
    if (!(flags & MAP_SHARED)) return;
    int before = errno, open = flags & MAP_ANONYMOUS ? -1 : fcntl(fd, F_GETFL);
    errno = before;
    if (open < 0 || (open & O_ACCMODE) == O_RDWR || protection & PROT_WRITE) ws_standby_effect("mmap");
}

void
ws_standby_ask(const char *function, int fd)
{
    if (fd <= STDERR_FILENO && fd >= 0 && ws_the_process.interface.place) ws_standby_effect(function);
}

/* Ruby itself asks this of the standard descriptors right before it becomes another program, which gets the client's
 * (process.c: stdfd_clear_nonblock, called by rb_execarg_run_options). */
void
ws_standby_ask_mode(int fd)
{
    bool standard = fd >= 0 && fd <= STDERR_FILENO;
    if (standard && ws_the_process.interface.execs && ws_the_process.interface.execs()) return;
    ws_standby_ask("fcntl", fd);
}

void
ws_standby_miss(const char *function, int fd, const void *caller)
{
    int before = errno;
    bool known = ws_the_process.interface.place && pthread_equal(pthread_self(), ws_the_process.main_thread);
    bool standbys = known && !place_now(); /* it looks for what the boot has left (lib/warmstart/boot/standby.rb) */
    if (fd > STDERR_FILENO && ws_the_process.interface.place && !standbys && !ws_standby_is_own(caller) &&
        !ws_is_warmstart(caller))
        ws_standby_effect(function);
    errno = before;
}

void
ws_standby_seek(int fd)
{
    struct statx file;
    int before = errno;
    ws_standby_ask("lseek", fd);
    if (kept.first && ws_process_find_open(fd, &file) && is_kept(&file)) ws_standby_effect("lseek");
    errno = before;
}

bool
ws_standby_is_rubys(const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname) return false;
    const char *name = strrchr(info.dli_fname, '/');
    name = name ? name + 1 : info.dli_fname;
    return strncmp(name, "libruby", strlen("libruby")) == 0 || strncmp(name, "ruby", strlen("ruby")) == 0;
}

void
ws_standby_thread(const void *caller)
{
    Dl_info info;
    if (ws_is_warmstart(caller) || ws_standby_is_rubys(caller)) return;
    if (dladdr(caller, &info) && info.dli_fname) effect_on("pthread_create", info.dli_fname);
    ws_standby_effect("pthread_create");
}

/* What a program sets before it becomes another one would be taken for the client's. */
static bool
is_first_environment(char *const *environment)
{
    char **first = ws_the_process.first_environment;
    size_t count = 0, same = 0;
    while (environment[count]) count++;
    for (; first[same]; same++) {
        size_t at = 0;
        while (at < count && strcmp(environment[at], first[same]) != 0) at++;
        if (at == count) return false;
    }
    return count == same;
}

/* A child may not become another program. The process itself may, if it is still seen there. */
char **
ws_standby_exec(const char *name, char *const *environment)
{
    if (getpid() != (pid_t)ws_trace()->pid || !ws_program_is_seen(name, NULL)) effect_on("exec", name);
    if (!is_first_environment(environment)) ws_standby_effect("exec with another environment");
    if (kept.first) ws_standby_effect("exec after it has appended to a file"); /* (which is in this memory only) */
    return ws_trace_environment(environment);
}
