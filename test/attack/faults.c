/* Preloaded (LD_PRELOAD) into a Ruby program by test/attack/interposer.rb: the calls that warmstart.so makes are
 * counted, and one of them fails, is cut short, comes late, or never returns because the process is killed. Ruby's own
 * calls pass by untouched: what counts is where a call returns to.
 *
 * ATTACK_FAULTS names a file that is shared with whoever started the program, and by all processes that inherit the
 * variables (ATTACK_INHERIT=1; else they are taken out of the environment at once, so that the program does not see
 * them). */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A function's number is its place here; test/attack/interposer.rb reads this list. */
/* clang-format off */
#define FUNCTIONS(X) \
    X(open) X(openat) X(opendir) X(fdopendir) X(readdir) X(getdents) X(read) X(pread) X(write) X(writev) X(pwrite) X(fstat) X(stat) X(lstat) \
    X(fstatat) X(statx) X(fstatfs) X(access) X(faccessat) X(getxattr) X(lgetxattr) X(fgetxattr) X(mmap) X(munmap) X(madvise) X(ftruncate) \
    X(fallocate) X(rename) X(renameat) X(unlink) X(unlinkat) X(link) X(linkat) X(mkdir) X(mkdirat) X(flock) X(fchmod) X(fchown) X(fcntl) X(close) \
    X(fsync) X(utimensat) X(readlink) X(readlinkat) X(realpath) X(getcwd) X(getrandom) X(pipe) X(poll) X(pthread_create) X(sysconf) X(wait4) X(malloc) X(calloc) \
    X(realloc) X(posix_memalign) X(strdup) X(inotify) X(ioctl)
/* clang-format on */

enum {
#define X(name) FUNCTION_##name,
    FUNCTIONS(X)
#undef X
        FUNCTION_COUNT
};

enum { NOTHING, FAIL, SHORT, DELAY, KILL, KILL_HALF, KILL_AFTER };

enum { LOG_SIZE = 1 << 16 };

/* As interposer.rb packs it. */
typedef struct faults {
    _Atomic uint64_t count;    /* calls so far */
    uint64_t at;               /* the call that is met, from 1; 0: none */
    uint64_t counted, lasting; /* bits of functions: which are counted; which fail from then on */
    uint32_t action, error_number;
    _Atomic uint32_t hits; /* how often something was done */
    uint32_t function;     /* to which function, and where the first one would have returned to */
    uint64_t offset;
    uint8_t log[LOG_SIZE]; /* each call's function */
} faults;

static faults *shared;
static uintptr_t loaded_at, from, to; /* warmstart.so: its base, its code */

__attribute__((constructor)) static void
start(void)
{
    const char *path = getenv("ATTACK_FAULTS");
    if (path == NULL) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) abort();
    void *memory = (void *)syscall(SYS_mmap, NULL, sizeof(faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) abort();
    syscall(SYS_close, file);
    shared = memory;
    if (getenv("ATTACK_INHERIT") != NULL) return;
    unsetenv("ATTACK_FAULTS");
    unsetenv("LD_PRELOAD");
}

static void *
next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

#define NEXT(name)                                                             \
    ({                                                                         \
        static __typeof__(&name) next_##name;                                  \
        if (next_##name == NULL) next_##name = (__typeof__(&name))next(#name); \
        next_##name;                                                           \
    })

static int
look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size, (void)data;
    const char *name = strrchr(object->dlpi_name, '/');
    if (name == NULL || strcmp(name, "/warmstart.so") != 0) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_flags & PF_X) {
            loaded_at = object->dlpi_addr;
            from = loaded_at + object->dlpi_phdr[i].p_vaddr;
            to = from + object->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

void *
dlopen(const char *path, int flags)
{
    void *library = NEXT(dlopen)(path, flags);
    if (library != NULL && path != NULL && strstr(path, "/warmstart.so") != NULL) dl_iterate_phdr(look, NULL);
    return library;
}

static void
take_note(unsigned function, const void *caller)
{
    if (atomic_fetch_add(&shared->hits, 1) > 0) return;
    shared->function = function;
    shared->offset = (uintptr_t)caller - loaded_at;
}

static void
pause_briefly(void)
{
    struct timespec time = { 0, 30000000 };
    syscall(SYS_nanosleep, &time, NULL);
}

static void
die(void)
{
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

/* What is to become of this call? errno is set for FAIL. */
static unsigned
meet(unsigned function, const void *caller)
{
    if (shared == NULL || (uintptr_t)caller < from || (uintptr_t)caller >= to) return NOTHING;
    if (!(shared->counted >> function & 1)) return NOTHING;
    uint64_t number = atomic_fetch_add(&shared->count, 1) + 1;
    if (number <= LOG_SIZE) shared->log[number - 1] = (uint8_t)function;
    if (shared->at == 0 || number < shared->at) return NOTHING;
    if (number > shared->at && !(shared->lasting >> function & 1)) return NOTHING;
    take_note(function, caller);
    if (shared->action == DELAY) {
        pause_briefly();
        return NOTHING;
    }
    if (shared->action == KILL) die();
    if (shared->action == FAIL) errno = (int)shared->error_number;
    return shared->action;
}

#define MEET(function) meet(FUNCTION_##function, __builtin_return_address(0))

/* int f(...), -1 and errno. */
#define PLAIN(function, name, parameters, arguments) \
    int name parameters                              \
    {                                                \
        unsigned action = MEET(function);            \
        if (action == FAIL) return -1;               \
        int result = NEXT(name) arguments;           \
        if (action == KILL_AFTER) die();             \
        return result;                               \
    }
#define POINTER(function, type, name, parameters, arguments)         \
    type name parameters                                             \
    {                                                                \
        return MEET(function) == FAIL ? NULL : NEXT(name) arguments; \
    }

#define OPEN(function, name, leading_parameters, leading) \
    int name leading_parameters                           \
    {                                                     \
        mode_t mode = 0;                                  \
        if (flags & (O_CREAT | __O_TMPFILE)) {            \
            va_list list;                                 \
            va_start(list, flags);                        \
            mode = va_arg(list, mode_t);                  \
            va_end(list);                                 \
        }                                                 \
        unsigned action = MEET(function);                 \
        if (action == FAIL) return -1;                    \
        int result = NEXT(name) leading;                  \
        if (action == KILL_AFTER) die();                  \
        return result;                                    \
    }

OPEN(open, open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open, open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat, openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
int __open_2(const char *, int), __open64_2(const char *, int), __openat_2(int, const char *, int),
    __openat64_2(int, const char *, int);
PLAIN(open, __open_2, (const char *path, int flags), (path, flags))
PLAIN(open, __open64_2, (const char *path, int flags), (path, flags))
PLAIN(openat, __openat_2, (int folder, const char *path, int flags), (folder, path, flags))
PLAIN(openat, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags))

POINTER(opendir, DIR *, opendir, (const char *path), (path))
POINTER(fdopendir, DIR *, fdopendir, (int descriptor), (descriptor))
POINTER(readdir, struct dirent *, readdir, (DIR * folder), (folder))
POINTER(readdir, struct dirent64 *, readdir64, (DIR * folder), (folder))

static size_t
half(size_t size)
{
    return size > 1 ? size / 2 : size;
}

ssize_t
read(int file, void *bytes, size_t size)
{
    unsigned action = MEET(read);
    if (action == FAIL) return -1;
    return NEXT(read)(file, bytes, action == SHORT ? half(size) : size);
}

#define PREAD(name, offset_type)                                                     \
    ssize_t name(int file, void *bytes, size_t size, offset_type offset)             \
    {                                                                                \
        unsigned action = MEET(pread);                                               \
        if (action == FAIL) return -1;                                               \
        return NEXT(name)(file, bytes, action == SHORT ? half(size) : size, offset); \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

static ssize_t
write_half(unsigned action, int file, const void *bytes, size_t size)
{
    ssize_t written = NEXT(write)(file, bytes, action == SHORT || action == KILL_HALF ? half(size) : size);
    if (action == KILL_HALF || action == KILL_AFTER) die();
    return written;
}

ssize_t
write(int file, const void *bytes, size_t size)
{
    unsigned action = MEET(write);
    return action == FAIL ? -1 : write_half(action, file, bytes, size);
}

ssize_t
writev(int file, const struct iovec *parts, int count)
{
    unsigned action = MEET(writev);
    if (action == FAIL) return -1;
    if (action == SHORT || action == KILL_HALF) return write_half(action, file, parts[0].iov_base, parts[0].iov_len);
    ssize_t written = NEXT(writev)(file, parts, count);
    if (action == KILL_AFTER) die();
    return written;
}

#define PWRITE(name, offset_type)                                                                                      \
    ssize_t name(int file, const void *bytes, size_t size, offset_type offset)                                         \
    {                                                                                                                  \
        unsigned action = MEET(pwrite);                                                                                \
        if (action == FAIL) return -1;                                                                                 \
        ssize_t written = NEXT(name)(file, bytes, action == SHORT || action == KILL_HALF ? half(size) : size, offset); \
        if (action == KILL_HALF || action == KILL_AFTER) die();                                                        \
        return written;                                                                                                \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

PLAIN(fstat, fstat, (int file, struct stat *into), (file, into))
PLAIN(fstat, fstat64, (int file, struct stat64 *into), (file, into))
PLAIN(stat, stat, (const char *path, struct stat *into), (path, into))
PLAIN(stat, stat64, (const char *path, struct stat64 *into), (path, into))
PLAIN(lstat, lstat, (const char *path, struct stat *into), (path, into))
PLAIN(lstat, lstat64, (const char *path, struct stat64 *into), (path, into))
PLAIN(fstatat, fstatat, (int folder, const char *path, struct stat *into, int flags), (folder, path, into, flags))
PLAIN(fstatat, fstatat64, (int folder, const char *path, struct stat64 *into, int flags), (folder, path, into, flags))
PLAIN(statx, statx, (int folder, const char *path, int flags, unsigned mask, struct statx *into),
      (folder, path, flags, mask, into))
PLAIN(fstatfs, fstatfs, (int file, struct statfs *into), (file, into))
PLAIN(fstatfs, fstatfs64, (int file, struct statfs64 *into), (file, into))
PLAIN(fstatfs, statfs, (const char *path, struct statfs *into), (path, into))
PLAIN(fstatfs, statfs64, (const char *path, struct statfs64 *into), (path, into))
PLAIN(inotify, inotify_init1, (int flags), (flags))
PLAIN(inotify, inotify_add_watch, (int queue, const char *path, uint32_t events), (queue, path, events))
PLAIN(access, access, (const char *path, int mode), (path, mode))
PLAIN(faccessat, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))

ssize_t getxattr(const char *, const char *, void *, size_t), lgetxattr(const char *, const char *, void *, size_t),
    fgetxattr(int, const char *, void *, size_t);
ssize_t
getxattr(const char *path, const char *name, void *value, size_t size)
{
    return MEET(getxattr) == FAIL ? -1 : NEXT(getxattr)(path, name, value, size);
}
ssize_t
lgetxattr(const char *path, const char *name, void *value, size_t size)
{
    return MEET(lgetxattr) == FAIL ? -1 : NEXT(lgetxattr)(path, name, value, size);
}
ssize_t
fgetxattr(int file, const char *name, void *value, size_t size)
{
    return MEET(fgetxattr) == FAIL ? -1 : NEXT(fgetxattr)(file, name, value, size);
}

void *
mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return MEET(mmap) == FAIL ? MAP_FAILED : (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
void *
mmap64(void *address, size_t size, int protection, int flags, int file, off64_t offset)
{
    return MEET(mmap) == FAIL ? MAP_FAILED : (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
PLAIN(munmap, munmap, (void *address, size_t size), (address, size))
PLAIN(madvise, madvise, (void *address, size_t size, int advice), (address, size, advice))
PLAIN(ftruncate, ftruncate, (int file, off_t size), (file, size))
PLAIN(ftruncate, ftruncate64, (int file, off64_t size), (file, size))
PLAIN(fallocate, fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
PLAIN(fallocate, fallocate64, (int file, int mode, off64_t offset, off64_t size), (file, mode, offset, size))
PLAIN(rename, rename, (const char *one, const char *other), (one, other))
PLAIN(renameat, renameat, (int folder, const char *one, int second, const char *other), (folder, one, second, other))
PLAIN(renameat, renameat2, (int folder, const char *one, int second, const char *other, unsigned flags),
      (folder, one, second, other, flags))
PLAIN(unlink, unlink, (const char *path), (path))
PLAIN(unlinkat, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
PLAIN(link, link, (const char *one, const char *other), (one, other))
PLAIN(linkat, linkat, (int folder, const char *one, int second, const char *other, int flags),
      (folder, one, second, other, flags))
PLAIN(mkdir, mkdir, (const char *path, mode_t mode), (path, mode))
PLAIN(mkdirat, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
int flock(int, int);
PLAIN(flock, flock, (int file, int operation), (file, operation))
PLAIN(fchmod, fchmod, (int file, mode_t mode), (file, mode))
PLAIN(fchown, fchown, (int file, uid_t user, gid_t group), (file, user, group))
PLAIN(fchmod, fchmodat, (int folder, const char *path, mode_t mode, int flags), (folder, path, mode, flags))
PLAIN(fchmod, chmod, (const char *path, mode_t mode), (path, mode))
PLAIN(fchown, fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags),
      (folder, path, user, group, flags))
PLAIN(fchown, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
PLAIN(fchown, lchown, (const char *path, uid_t user, gid_t group), (path, user, group))
PLAIN(fsync, fsync, (int file), (file))
PLAIN(fsync, fdatasync, (int file), (file))
PLAIN(utimensat, utimensat, (int folder, const char *path, const struct timespec times[2], int flags),
      (folder, path, times, flags))
PLAIN(utimensat, futimens, (int file, const struct timespec times[2]), (file, times))
PLAIN(link, symlink, (const char *target, const char *path), (target, path))
PLAIN(linkat, symlinkat, (const char *target, int folder, const char *path), (target, folder, path))
PLAIN(fcntl, dup, (int file), (file))
PLAIN(fcntl, dup2, (int file, int other), (file, other))
PLAIN(pipe, pipe, (int ends[2]), (ends))
PLAIN(pipe, pipe2, (int ends[2], int flags), (ends, flags))

#define FCNTL(name)                                                            \
    int name(int file, int command, ...)                                       \
    {                                                                          \
        va_list list;                                                          \
        va_start(list, command);                                               \
        void *argument = va_arg(list, void *);                                 \
        va_end(list);                                                          \
        return MEET(fcntl) == FAIL ? -1 : NEXT(name)(file, command, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int
ioctl(int file, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return MEET(ioctl) == FAIL ? -1 : NEXT(ioctl)(file, request, argument);
}

/* The system closes the file whatever it says. */
int
close(int file)
{
    unsigned action = MEET(close);
    int number = errno, result = NEXT(close)(file);
    if (action == KILL_AFTER) die();
    if (action != FAIL) return result;
    errno = number;
    return -1;
}

ssize_t
readlink(const char *path, char *buffer, size_t size)
{
    return MEET(readlink) == FAIL ? -1 : NEXT(readlink)(path, buffer, size);
}
ssize_t
readlinkat(int folder, const char *path, char *buffer, size_t size)
{
    return MEET(readlinkat) == FAIL ? -1 : NEXT(readlinkat)(folder, path, buffer, size);
}
POINTER(realpath, char *, realpath, (const char *path, char *resolved), (path, resolved))
POINTER(getcwd, char *, getcwd, (char *buffer, size_t size), (buffer, size))
ssize_t getrandom(void *, size_t, unsigned);
ssize_t
getrandom(void *bytes, size_t size, unsigned flags)
{
    return MEET(getrandom) == FAIL ? -1 : syscall(SYS_getrandom, bytes, size, flags);
}
int
getentropy(void *bytes, size_t size)
{
    return MEET(getrandom) == FAIL ? -1 : NEXT(getentropy)(bytes, size);
}
struct pollfd;
int poll(struct pollfd *, unsigned long, int);
PLAIN(poll, poll, (struct pollfd * list, unsigned long count, int timeout), (list, count, timeout))

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *data)
{
    return MEET(pthread_create) == FAIL ? (int)shared->error_number
                                        : NEXT(pthread_create)(thread, attributes, body, data);
}

long
sysconf(int name)
{
    return MEET(sysconf) == FAIL ? -1 : NEXT(sysconf)(name);
}
struct rusage;
pid_t wait4(pid_t, int *, int, struct rusage *);
pid_t
wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    return MEET(wait4) == FAIL ? -1 : NEXT(wait4)(child, status, options, usage);
}

/* What Warmstart asks by number. */
long
syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getdents64 && MEET(getdents) == FAIL) return -1;
    return NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *
malloc(size_t size)
{
    return MEET(malloc) == FAIL ? NULL : __libc_malloc(size);
}
void *
calloc(size_t count, size_t size)
{
    return MEET(calloc) == FAIL ? NULL : __libc_calloc(count, size);
}
void *
realloc(void *memory, size_t size)
{
    return MEET(realloc) == FAIL ? NULL : __libc_realloc(memory, size);
}
int
posix_memalign(void **memory, size_t alignment, size_t size)
{
    return MEET(posix_memalign) == FAIL ? (int)shared->error_number : NEXT(posix_memalign)(memory, alignment, size);
}
POINTER(strdup, char *, strdup, (const char *text), (text))
