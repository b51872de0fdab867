/* This library is preloaded into a program. Its functions replace those of the C library, and call the real ones. It
 * has two users. The profiler counts a program's file system calls. A standby (ext/warmstart_standby) records what its
 * boot asks of the outside, and ends before it has an effect on it.
 *
 * It is plain C, without Ruby, locks or allocations. Each thread has its own counters, so a call costs only a few
 * nanoseconds more, and counting is safe in signal handlers and after fork. errno stays what the real function set.
 *
 * Calls that the C library makes inside itself, such as those of the dynamic linker and the reads of FILE, do not pass
 * through here. For some functions their known inner calls are added: opendir opens and stats (fstat), fdopendir and
 * eaccess stat, realpath reads a link for each component. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* The functions must be defined under the library's plain names. 64-bit offsets and fortification would rename them. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include "calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>
#include <utime.h>

#define EXPORTED __attribute__((visibility("default")))

#ifdef __APPLE__
#define THREAD_LOCAL static __thread
#else
/* The library is loaded with the program, so "initial-exec" is possible: finding a thread's counters then needs neither
 * a call nor memory. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
#endif

THREAD_LOCAL uint64_t counts[WS_CALL_COUNT];

EXPORTED uint64_t *
warmstart_calls(void)
{
    return counts;
}

/* Called before the process leaves by _exit, which runs no exit handlers. */
EXPORTED void (*warmstart_leaving)(void);

static inline void
count(ws_call call, bool failed)
{
    counts[call]++;
    if (failed) counts[call + 1]++;
}

static inline void
count_open(int flags, bool failed)
{
#ifdef O_DIRECTORY
    if ((flags & O_DIRECTORY) == O_DIRECTORY && !failed) {
        counts[WS_CALL_LIST]++;
        return;
    }
#endif
    count(WS_CALL_OPEN, failed);
}

static inline void
count_read(size_t wanted, ssize_t got)
{
    counts[WS_CALL_READ]++;
    if (got > 0) counts[WS_CALL_READ_BYTES] += (uint64_t)got;
    counts[wanted <= 16     ? WS_CALL_READS_TO_16
           : wanted <= 512  ? WS_CALL_READS_TO_512
           : wanted <= 4096 ? WS_CALL_READS_TO_4096
                            : WS_CALL_READS_OVER_4096]++;
}

/* Finds the next definition of a name: the C library's, or that of another preloaded library. */
#define REAL(type, name, parameters) \
    static type(*real) parameters;   \
    if (__builtin_expect(!real, 0)) *(void **)&real = dlsym(RTLD_NEXT, #name);

#ifdef __linux__

#include "../warmstart_standby/trace.h"
#include "../warmstart_standby/standby.h"

#define RECORD(call) \
    if (__builtin_expect(ws_tracing, 0)) call
#define EFFECT(call) \
    if (__builtin_expect(ws_standby_booting, 0)) call
#define CALLER __builtin_return_address(0)

/* The client may have a descriptor of that number, though it is not open here. */
#define MISSED(name, fd) \
    if (((long)result) < 0 && errno == EBADF) EFFECT(ws_standby_miss(#name, fd, CALLER))

/* before and then are statements; then can use the result. */
#define DEFINE_CALL(type, name, parameters, arguments, before, then) \
    EXPORTED type name parameters;                                   \
    EXPORTED type name parameters                                    \
    {                                                                \
        REAL(type, name, parameters)                                 \
        before;                                                      \
        type result = real arguments;                                \
        then;                                                        \
        return result;                                               \
    }

/* ---- open ---- */

#define MODE_OF(flags)                     \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list;                      \
        va_start(list, flags);             \
        mode = va_arg(list, mode_t);       \
        va_end(list);                      \
    }

#define OPENS(folder, path, flags) EFFECT(ws_standby_open(folder, path, flags))
#define MADE(fd) EFFECT(ws_standby_made(fd))
#define OPENED(folder, path, flags, fd)                     \
    count_open(flags, (fd) < 0);                            \
    RECORD(ws_trace_open(folder, path, flags, fd, CALLER)); \
    if (((flags)&O_ACCMODE) != O_RDONLY) MADE(fd)

#define DEFINE_OPEN(name)                               \
    EXPORTED int name(const char *path, int flags, ...) \
    {                                                   \
        REAL(int, name, (const char *, int, ...))       \
        MODE_OF(flags)                                  \
        OPENS(AT_FDCWD, path, flags);                   \
        int fd = real(path, flags, mode);               \
        OPENED(AT_FDCWD, path, flags, fd);              \
        return fd;                                      \
    }
#define DEFINE_OPENAT(name)                                         \
    EXPORTED int name(int folder, const char *path, int flags, ...) \
    {                                                               \
        REAL(int, name, (int, const char *, int, ...))              \
        MODE_OF(flags)                                              \
        OPENS(folder, path, flags);                                 \
        int fd = real(folder, path, flags, mode);                   \
        OPENED(folder, path, flags, fd);                            \
        return fd;                                                  \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
DEFINE_CALL(int, __open_2, (const char *path, int flags), (path, flags), OPENS(AT_FDCWD, path, flags),
            OPENED(AT_FDCWD, path, flags, result))
DEFINE_CALL(int, __open64_2, (const char *path, int flags), (path, flags), OPENS(AT_FDCWD, path, flags),
            OPENED(AT_FDCWD, path, flags, result))
DEFINE_CALL(int, __openat_2, (int folder, const char *path, int flags), (folder, path, flags),
            OPENS(folder, path, flags), OPENED(folder, path, flags, result))
DEFINE_CALL(int, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags),
            OPENS(folder, path, flags), OPENED(folder, path, flags, result))
DEFINE_CALL(int, creat, (const char *path, mode_t mode), (path, mode), EFFECT(ws_standby_effect("creat")),
            count_open(0, result < 0))
DEFINE_CALL(int, creat64, (const char *path, mode_t mode), (path, mode), EFFECT(ws_standby_effect("creat")),
            count_open(0, result < 0))

static inline int
flags_of(const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    return flags | (*mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0);
}

#define FILE_OPENED OPENED(AT_FDCWD, path, flags_of(mode), result ? fileno(result) : -1)
DEFINE_CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPENS(AT_FDCWD, path, flags_of(mode)),
            FILE_OPENED)
DEFINE_CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), OPENS(AT_FDCWD, path, flags_of(mode)),
            FILE_OPENED)

/* ---- folders ---- */

static inline void
count_folder(bool failed)
{
    if (failed) {
        count(WS_CALL_OPEN, true);
        return;
    }
    counts[WS_CALL_LIST]++;
    counts[WS_CALL_STAT]++;
}

DEFINE_CALL(DIR *, opendir, (const char *path), (path), , count_folder(!result);
            RECORD(ws_trace_list(path, result ? dirfd(result) : -1, result ? 0 : errno, CALLER)))
DEFINE_CALL(DIR *, fdopendir, (int fd), (fd), , count(WS_CALL_STAT, !result);
            RECORD(ws_trace_list(NULL, fd, result ? 0 : errno, CALLER)))

/* ---- stat ---- */

#define COUNT_STAT count(WS_CALL_STAT, result != 0)
#define ASKED_STAT(what, folder, path) \
    COUNT_STAT;                        \
    RECORD(ws_trace_path(what, folder, path, result ? errno : 0, CALLER))
/* (Without a path it is a fstat: so Ruby 4.0 asks for a file's metadata that is open (fstatx_without_gvl). The
 * descriptor came from a call that was recorded, and of a socket or pipe there is no path that could be asked again.)
 */
#define OF_DESCRIPTOR (folder >= 0 && flags & AT_EMPTY_PATH && !*path)
#define ASKED_STATAT                                                                                              \
    COUNT_STAT;                                                                                                   \
    RECORD(if (!OF_DESCRIPTOR) ws_trace_path(flags &AT_SYMLINK_NOFOLLOW ? WS_ASKED_LSTAT : WS_ASKED_STAT, folder, \
                                             path, result ? errno : 0, CALLER));                                  \
    MISSED(fstat, folder)
#define ASKS(fd) EFFECT(ws_standby_ask("fstat", fd))
#define ASKS_AT ASKS(OF_DESCRIPTOR ? folder : -1)
#define DEFINE_STAT(suffix)                                                                                          \
    DEFINE_CALL(int, stat##suffix, (const char *restrict path, struct stat##suffix *restrict data), (path, data), ,  \
                ASKED_STAT(WS_ASKED_STAT, AT_FDCWD, path))                                                           \
    DEFINE_CALL(int, lstat##suffix, (const char *restrict path, struct stat##suffix *restrict data), (path, data), , \
                ASKED_STAT(WS_ASKED_LSTAT, AT_FDCWD, path))                                                          \
    DEFINE_CALL(int, fstat##suffix, (int fd, struct stat##suffix *data), (fd, data), ASKS(fd), COUNT_STAT;           \
                MISSED(fstat, fd))                                                                                   \
    DEFINE_CALL(int, fstatat##suffix,                                                                                \
                (int folder, const char *restrict path, struct stat##suffix *restrict data, int flags),              \
                (folder, path, data, flags), ASKS_AT, ASKED_STATAT)                                                  \
    /* programs that were built with a C library before 2.33 call these */                                           \
    DEFINE_CALL(int, __xstat##suffix, (int version, const char *path, struct stat##suffix *data),                    \
                (version, path, data), , ASKED_STAT(WS_ASKED_STAT, AT_FDCWD, path))                                  \
    DEFINE_CALL(int, __lxstat##suffix, (int version, const char *path, struct stat##suffix *data),                   \
                (version, path, data), , ASKED_STAT(WS_ASKED_LSTAT, AT_FDCWD, path))                                 \
    DEFINE_CALL(int, __fxstat##suffix, (int version, int fd, struct stat##suffix *data), (version, fd, data),        \
                ASKS(fd), COUNT_STAT;                                                                                \
                MISSED(fstat, fd))                                                                                   \
    DEFINE_CALL(int, __fxstatat##suffix,                                                                             \
                (int version, int folder, const char *path, struct stat##suffix *data, int flags),                   \
                (version, folder, path, data, flags), ASKS_AT, ASKED_STATAT)
DEFINE_STAT()
DEFINE_STAT(64)
#ifdef STATX_TYPE
DEFINE_CALL(int, statx, (int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict data),
            (folder, path, flags, mask, data), ASKS_AT, ASKED_STATAT)
#endif

/* ---- links ---- */

/* realpath(3) makes its calls inside the library and reads a link for each component. If the result is the path itself,
 * none of the components was a link, so each of these calls failed (EINVAL). Otherwise the calls are found by walking
 * the path again, with system calls that are not counted themselves. */
static unsigned
components(const char *path)
{
    unsigned number = 0;
    for (const char *at = path; *at;) {
        while (*at == '/') at++;
        if (!*at) break;
        number++;
        at += strcspn(at, "/");
    }
    return number;
}

/* The limit of the kernel and of glibc. */
#define LINKS_MAXIMUM 40

static void
walk(const char *path)
{
    char done[PATH_MAX], rest[PATH_MAX], target[PATH_MAX];
    size_t size = 0;
    unsigned links = 0;
    if (strlen(path) >= sizeof rest) return;
    strcpy(rest, path);
    if (*path != '/') {
        if (syscall(SYS_getcwd, done, sizeof done) < 0) return;
        size = strlen(done);
        counts[WS_CALL_OTHER]++;
    }
    for (char *at = rest; links < LINKS_MAXIMUM;) {
        while (*at == '/') at++;
        size_t part = strcspn(at, "/");
        if (part == 0) return;
        if (part == 2 && at[0] == '.' && at[1] == '.')
            while (size > 0 && done[--size] != '/') continue;
        else if (part != 1 || at[0] != '.') {
            if (size + part + 2 > sizeof done) return;
            done[size] = '/';
            memcpy(done + size + 1, at, part);
            done[size + 1 + part] = 0;
            long link = syscall(SYS_readlinkat, AT_FDCWD, done, target, sizeof target - 1);
            count(WS_CALL_READLINK, link < 0);
            if (link < 0 && errno != EINVAL) return;
            if (link < 0) size += 1 + part;
            else {
                size_t left = strlen(at + part);
                if ((size_t)link + left >= sizeof rest) return;
                memmove(rest + link, at + part, left + 1);
                memcpy(rest, target, (size_t)link);
                if (*rest == '/') size = 0;
                at = rest;
                links++;
                continue;
            }
        }
        at += part;
    }
}

static void
count_realpath(const char *path, const char *result)
{
    int error = errno;
    counts[WS_CALL_REALPATH]++;
    if (path && result && strcmp(path, result) == 0) {
        unsigned number = components(path);
        counts[WS_CALL_READLINK] += number;
        counts[WS_CALL_READLINK_FAILED] += number;
    }
    else if (path && *path) walk(path);
    errno = error;
}

#define ASKED_LINK(folder)                                                                           \
    count(WS_CALL_READLINK, result < 0);                                                             \
    RECORD(ws_trace_answer(WS_ASKED_READLINK, folder, path, buffer, result < 0 ? 0 : (size_t)result, \
                           result < 0 ? errno : 0))
#define ASKED_REALPATH            \
    count_realpath(path, result); \
    RECORD(ws_trace_answer(WS_ASKED_REALPATH, AT_FDCWD, path, result, result ? strlen(result) : 0, result ? 0 : errno))
DEFINE_CALL(ssize_t, readlink, (const char *restrict path, char *restrict buffer, size_t size), (path, buffer, size), ,
            ASKED_LINK(AT_FDCWD))
DEFINE_CALL(ssize_t, readlinkat, (int folder, const char *restrict path, char *restrict buffer, size_t size),
            (folder, path, buffer, size), , ASKED_LINK(folder))
DEFINE_CALL(ssize_t, __readlink_chk, (const char *restrict path, char *restrict buffer, size_t size, size_t room),
            (path, buffer, size, room), , ASKED_LINK(AT_FDCWD))
DEFINE_CALL(ssize_t, __readlinkat_chk,
            (int folder, const char *restrict path, char *restrict buffer, size_t size, size_t room),
            (folder, path, buffer, size, room), , ASKED_LINK(folder))
DEFINE_CALL(char *, realpath, (const char *restrict path, char *restrict buffer), (path, buffer), , ASKED_REALPATH)
DEFINE_CALL(char *, __realpath_chk, (const char *restrict path, char *restrict buffer, size_t room),
            (path, buffer, room), , ASKED_REALPATH)
DEFINE_CALL(char *, canonicalize_file_name, (const char *path), (path), , ASKED_REALPATH)

/* ---- read, mmap ---- */

#define READS(fd) EFFECT(ws_standby_read("read", fd))
DEFINE_CALL(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), READS(fd), count_read(size, result);
            MISSED(read, fd))
DEFINE_CALL(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at), READS(fd),
            count_read(size, result);
            MISSED(read, fd))
DEFINE_CALL(ssize_t, pread64, (int fd, void *buffer, size_t size, off64_t at), (fd, buffer, size, at), READS(fd),
            count_read(size, result);
            MISSED(read, fd))
DEFINE_CALL(ssize_t, __read_chk, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room), READS(fd),
            count_read(size, result);
            MISSED(read, fd))
DEFINE_CALL(ssize_t, __pread_chk, (int fd, void *buffer, size_t size, off_t at, size_t room),
            (fd, buffer, size, at, room), READS(fd), count_read(size, result);
            MISSED(read, fd))
DEFINE_CALL(ssize_t, __pread64_chk, (int fd, void *buffer, size_t size, off64_t at, size_t room),
            (fd, buffer, size, at, room), READS(fd), count_read(size, result);
            MISSED(read, fd))
#define MAPS EFFECT(ws_standby_map(protection, flags, fd))
DEFINE_CALL(void *, mmap, (void *address, size_t size, int protection, int flags, int fd, off_t at),
            (address, size, protection, flags, fd, at), MAPS, counts[WS_CALL_MMAP] += fd >= 0)
DEFINE_CALL(void *, mmap64, (void *address, size_t size, int protection, int flags, int fd, off64_t at),
            (address, size, protection, flags, fd, at), MAPS, counts[WS_CALL_MMAP] += fd >= 0)

DEFINE_CALL(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), EFFECT(ws_standby_seek(fd)), MISSED(lseek, fd))
DEFINE_CALL(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from), EFFECT(ws_standby_seek(fd)),
            MISSED(lseek, fd))

/* ---- others ---- */

#define COUNT_OTHER counts[WS_CALL_OTHER]++
#define ASKED_ACCESS \
    COUNT_OTHER;     \
    RECORD(ws_trace_access(AT_FDCWD, path, mode, result ? errno : 0))
DEFINE_CALL(int, access, (const char *path, int mode), (path, mode), , ASKED_ACCESS)
/* These two stat the file first. */
#define ASKED_EACCESS                                    \
    count(WS_CALL_STAT, result != 0 && errno != EACCES); \
    ASKED_ACCESS
DEFINE_CALL(int, eaccess, (const char *path, int mode), (path, mode), , ASKED_EACCESS)
DEFINE_CALL(int, euidaccess, (const char *path, int mode), (path, mode), , ASKED_EACCESS)
DEFINE_CALL(int, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags), ASKS_AT,
            COUNT_OTHER;
            RECORD(if (!OF_DESCRIPTOR) ws_trace_access(folder, path, mode, result ? errno : 0)))
DEFINE_CALL(int, chdir, (const char *path), (path), RECORD(ws_trace_path(WS_ASKED_STAT, AT_FDCWD, path, 0, NULL)),
            COUNT_OTHER)
#define CHANGED_NAME \
    COUNT_OTHER;     \
    RECORD(ws_trace_path(WS_ASKED_LSTAT, AT_FDCWD, path, 0, NULL))
DEFINE_CALL(int, mkdir, (const char *path, mode_t mode), (path, mode),
            EFFECT(ws_standby_effect_unless_there("mkdir", AT_FDCWD, path)), CHANGED_NAME)
DEFINE_CALL(int, rmdir, (const char *path), (path), EFFECT(ws_standby_effect_if_there("rmdir", AT_FDCWD, path)),
            CHANGED_NAME)
DEFINE_CALL(int, unlink, (const char *path), (path), EFFECT(ws_standby_effect_if_there("unlink", AT_FDCWD, path)),
            CHANGED_NAME)

/* What each of these would do, an ordinary command does once. So a standby ends instead. */
#define DEFINE_EFFECT(type, name, parameters, arguments) \
    DEFINE_CALL(type, name, parameters, arguments, EFFECT(ws_standby_effect(#name)), )
#define DEFINE_COUNTED_EFFECT(name, parameters, arguments) \
    DEFINE_CALL(int, name, parameters, arguments, EFFECT(ws_standby_effect(#name)), COUNT_OTHER)
DEFINE_COUNTED_EFFECT(rename, (const char *from, const char *to), (from, to))
DEFINE_COUNTED_EFFECT(symlink, (const char *target, const char *path), (target, path))
DEFINE_COUNTED_EFFECT(link, (const char *from, const char *to), (from, to))
DEFINE_COUNTED_EFFECT(chmod, (const char *path, mode_t mode), (path, mode))
DEFINE_EFFECT(int, renameat, (int from, const char *path, int to, const char *name), (from, path, to, name))
DEFINE_EFFECT(int, renameat2, (int from, const char *path, int to, const char *name, unsigned flags),
              (from, path, to, name, flags))
DEFINE_EFFECT(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
DEFINE_EFFECT(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
DEFINE_EFFECT(int, symlinkat, (const char *target, int folder, const char *path), (target, folder, path))
DEFINE_EFFECT(int, linkat, (int from, const char *path, int to, const char *name, int flags),
              (from, path, to, name, flags))
DEFINE_EFFECT(int, fchmod, (int fd, mode_t mode), (fd, mode))
DEFINE_EFFECT(int, fchmodat, (int folder, const char *path, mode_t mode, int flags), (folder, path, mode, flags))
DEFINE_EFFECT(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
DEFINE_EFFECT(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group))
DEFINE_EFFECT(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
DEFINE_EFFECT(int, fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags),
              (folder, path, user, group, flags))
DEFINE_EFFECT(int, truncate, (const char *path, off_t size), (path, size))
DEFINE_EFFECT(int, truncate64, (const char *path, off64_t size), (path, size))
DEFINE_EFFECT(int, ftruncate, (int fd, off_t size), (fd, size))
DEFINE_EFFECT(int, ftruncate64, (int fd, off64_t size), (fd, size))
DEFINE_EFFECT(int, utimensat, (int folder, const char *path, const struct timespec times[2], int flags),
              (folder, path, times, flags))
DEFINE_EFFECT(int, futimens, (int fd, const struct timespec times[2]), (fd, times))
DEFINE_EFFECT(int, mkfifo, (const char *path, mode_t mode), (path, mode))
DEFINE_EFFECT(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
DEFINE_EFFECT(int, mkstemp, (char *name), (name))
DEFINE_EFFECT(char *, mkdtemp, (char *name), (name))
DEFINE_EFFECT(int, connect, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size))
DEFINE_EFFECT(int, bind, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size))
DEFINE_EFFECT(int, getaddrinfo,
              (const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
               struct addrinfo **restrict result_list),
              (name, service, hints, result_list))
DEFINE_EFFECT(int, getifaddrs, (struct ifaddrs * *list), (list))
DEFINE_EFFECT(pid_t, getppid, (void), ())
DEFINE_EFFECT(pid_t, getpgrp, (void), ())
DEFINE_EFFECT(pid_t, getpgid, (pid_t pid), (pid))
DEFINE_EFFECT(pid_t, getsid, (pid_t pid), (pid))
DEFINE_EFFECT(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size))
DEFINE_EFFECT(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size))
DEFINE_EFFECT(ssize_t, copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
              (from, at, to, to_at, size, flags))
DEFINE_EFFECT(ssize_t, splice, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
              (from, at, to, to_at, size, flags))
DEFINE_EFFECT(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags))
DEFINE_EFFECT(ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t number, unsigned flags),
              (fd, parts, number, flags))
DEFINE_EFFECT(ssize_t, pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at))
DEFINE_EFFECT(ssize_t, pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at))
DEFINE_EFFECT(ssize_t, pwritev2, (int fd, const struct iovec *parts, int number, off_t at, int flags),
              (fd, parts, number, at, flags))
DEFINE_EFFECT(ssize_t, pwritev64v2, (int fd, const struct iovec *parts, int number, off64_t at, int flags),
              (fd, parts, number, at, flags))
DEFINE_EFFECT(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned number, int flags),
              (fd, messages, number, flags))
DEFINE_EFFECT(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
DEFINE_EFFECT(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
DEFINE_EFFECT(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size))
DEFINE_EFFECT(int, posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size))
DEFINE_EFFECT(int, setxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
              (path, name, value, size, flags))
DEFINE_EFFECT(int, lsetxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
              (path, name, value, size, flags))
DEFINE_EFFECT(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int flags),
              (fd, name, value, size, flags))
DEFINE_EFFECT(int, removexattr, (const char *path, const char *name), (path, name))
DEFINE_EFFECT(int, remove, (const char *path), (path))
DEFINE_EFFECT(int, mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode))
DEFINE_EFFECT(int, mknodat, (int folder, const char *path, mode_t mode, dev_t device), (folder, path, mode, device))
DEFINE_EFFECT(int, mkstemp64, (char *name), (name))
DEFINE_EFFECT(int, mkostemp, (char *name, int flags), (name, flags))
DEFINE_EFFECT(int, mkostemp64, (char *name, int flags), (name, flags))
DEFINE_EFFECT(int, mkstemps, (char *name, int size), (name, size))
DEFINE_EFFECT(int, mkostemps, (char *name, int size, int flags), (name, size, flags))
DEFINE_EFFECT(FILE *, tmpfile, (void), ())
DEFINE_EFFECT(FILE *, tmpfile64, (void), ())
DEFINE_EFFECT(int, utime, (const char *path, const struct utimbuf *times), (path, times))
DEFINE_EFFECT(int, utimes, (const char *path, const struct timeval times[2]), (path, times))
DEFINE_EFFECT(int, lutimes, (const char *path, const struct timeval times[2]), (path, times))
DEFINE_EFFECT(int, futimes, (int fd, const struct timeval times[2]), (fd, times))
DEFINE_EFFECT(int, kill, (pid_t pid, int signal), (pid, signal))
DEFINE_EFFECT(int, killpg, (pid_t group, int signal), (group, signal))
DEFINE_CALL(pid_t, fork, (void), (), EFFECT(ws_standby_effect("fork")), if (result < 0) ws_standby_not_forked())
DEFINE_EFFECT(int, posix_spawn,
              (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
               const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
               char *const environment[restrict]),
              (pid, path, actions, attributes, arguments, environment))
DEFINE_EFFECT(int, posix_spawnp,
              (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
               const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
               char *const environment[restrict]),
              (pid, path, actions, attributes, arguments, environment))
DEFINE_EFFECT(int, system, (const char *command), (command))
DEFINE_EFFECT(FILE *, popen, (const char *command, const char *mode), (command, mode))
DEFINE_EFFECT(pid_t, setsid, (void), ())
DEFINE_EFFECT(int, setpgid, (pid_t pid, pid_t group), (pid, group))
DEFINE_EFFECT(int, setitimer,
              (__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old),
              (which, value, old))
DEFINE_EFFECT(unsigned, alarm, (unsigned seconds), (seconds))
DEFINE_EFFECT(int, tcsetattr, (int fd, int action, const struct termios *data), (fd, action, data))
DEFINE_EFFECT(int, shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
DEFINE_EFFECT(struct hostent *, gethostbyname, (const char *name), (name))
DEFINE_EFFECT(struct hostent *, gethostbyname2, (const char *name, int family), (name, family))
DEFINE_EFFECT(struct hostent *, gethostbyaddr, (const void *address, socklen_t size, int family),
              (address, size, family))
DEFINE_EFFECT(int, tcgetattr, (int fd, struct termios *data), (fd, data))
DEFINE_EFFECT(int, shmget, (key_t key, size_t size, int flags), (key, size, flags))

/* A terminal may have another size when the command runs. What other requests ask or do depends on the device, but for
 * those that belong to the descriptor. */
static inline void
request_of(int fd, unsigned long request)
{
    if (request == FIONREAD || request == FIONBIO) ws_standby_ask("ioctl", fd);
    else if (request != FIOCLEX && request != FIONCLEX) ws_standby_effect("ioctl");
}
EXPORTED int
ioctl(int fd, unsigned long request, ...)
{
    REAL(int, ioctl, (int, unsigned long, ...))
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    EFFECT(request_of(fd, request));
    int result = real(fd, request, argument);
    MISSED(ioctl, fd);
    return result;
}

/* What is set on a standard descriptor is set for everybody who shares it; a child gets the client's, so a copy of the
 * standby's is of no use, and how it is open (F_GETFL) differs. On others the commands are harmless that belong to the
 * descriptor itself (the rest is locks, leases, signals, seals, sizes of pipes, hints). */
static inline void
control(int fd, int command)
{
    bool asks = command == F_GETFD || command == F_GETFL;
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC, sets = command == F_SETFD || command == F_SETFL;
    if (copies) ws_standby_replace("fcntl", fd);
    else if (!asks && !sets) ws_standby_effect("fcntl");
    else if (command == F_GETFL) ws_standby_ask_mode(fd);
    else if (sets) ws_standby_ask("fcntl", fd);
}
#define DEFINE_FCNTL(name)                                                              \
    EXPORTED int name(int fd, int command, ...)                                         \
    {                                                                                   \
        REAL(int, name, (int, int, ...))                                                \
        va_list list;                                                                   \
        va_start(list, command);                                                        \
        void *argument = va_arg(list, void *);                                          \
        va_end(list);                                                                   \
        EFFECT(control(fd, command));                                                   \
        int result = real(fd, command, argument);                                       \
        if (result < 0 && errno == EBADF) EFFECT(ws_standby_miss("fcntl", fd, CALLER)); \
        return result;                                                                  \
    }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

/* Whether a standard descriptor can be read now. */
#define ASKS_POLLED                              \
    if (__builtin_expect(ws_standby_booting, 0)) \
        for (nfds_t i = 0; i < number; i++) ws_standby_ask("poll", polled[i].fd)
#define MISSED_POLLED                                          \
    if (__builtin_expect(ws_standby_booting, 0) && result > 0) \
        for (nfds_t i = 0; i < number; i++)                    \
            if (polled[i].revents & POLLNVAL) ws_standby_miss("poll", polled[i].fd, CALLER)
DEFINE_CALL(int, poll, (struct pollfd * polled, nfds_t number, int timeout), (polled, number, timeout), ASKS_POLLED,
            MISSED_POLLED)
DEFINE_CALL(int, ppoll,
            (struct pollfd * polled, nfds_t number, const struct timespec *timeout, const sigset_t *signals),
            (polled, number, timeout, signals), ASKS_POLLED, MISSED_POLLED)
#define ASKS_SELECTED                                  \
    if (__builtin_expect(ws_standby_booting, 0))       \
        for (int fd = 0; fd < number && fd <= 2; fd++) \
            if ((reads && FD_ISSET(fd, reads)) || (writes && FD_ISSET(fd, writes))) ws_standby_ask("select", fd)
DEFINE_CALL(int, select, (int number, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout),
            (number, reads, writes, excepts, timeout), ASKS_SELECTED, MISSED(select, number - 1))
DEFINE_CALL(int, pselect,
            (int number, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *timeout,
             const sigset_t *signals),
            (number, reads, writes, excepts, timeout, signals), ASKS_SELECTED, MISSED(pselect, number - 1))

#undef fwrite_unlocked
#undef fputs_unlocked
#undef putc
#undef putchar

/* ---- streams: their own calls of write do not pass through here ---- */

#define PRINTS(name, file) EFFECT(ws_standby_print(#name, fileno(file)))
DEFINE_CALL(size_t, fwrite, (const void *restrict data, size_t size, size_t number, FILE *restrict file),
            (data, size, number, file), PRINTS(fwrite, file), )
DEFINE_CALL(size_t, fwrite_unlocked, (const void *restrict data, size_t size, size_t number, FILE *restrict file),
            (data, size, number, file), PRINTS(fwrite, file), )
DEFINE_CALL(int, fputs, (const char *restrict text, FILE *restrict file), (text, file), PRINTS(fputs, file), )
DEFINE_CALL(int, fputs_unlocked, (const char *restrict text, FILE *restrict file), (text, file), PRINTS(fputs, file), )
DEFINE_CALL(int, fputc, (int byte, FILE *file), (byte, file), PRINTS(fputc, file), )
DEFINE_CALL(int, putc, (int byte, FILE *file), (byte, file), PRINTS(putc, file), )
DEFINE_CALL(int, putchar, (int byte), (byte), PRINTS(putchar, stdout), )
DEFINE_CALL(int, puts, (const char *text), (text), PRINTS(puts, stdout), )
DEFINE_CALL(int, vfprintf, (FILE *restrict file, const char *restrict format, va_list list), (file, format, list),
            PRINTS(vfprintf, file), )
DEFINE_CALL(int, vprintf, (const char *restrict format, va_list list), (format, list), PRINTS(vprintf, stdout), )
DEFINE_CALL(int, vdprintf, (int fd, const char *restrict format, va_list list), (fd, format, list),
            EFFECT(ws_standby_print("vdprintf", fd)), )
DEFINE_CALL(int, __vfprintf_chk, (FILE * file, int flag, const char *format, va_list list), (file, flag, format, list),
            PRINTS(vfprintf, file), )
EXPORTED void
perror(const char *text)
{
    REAL(void, perror, (const char *))
    EFFECT(ws_standby_effect("perror"));
    real(text);
}
#define DEFINE_PRINT(name, parameters, file, last, real_name, real_parameters, real_arguments) \
    EXPORTED int name parameters;                                                              \
    EXPORTED int name parameters                                                               \
    {                                                                                          \
        REAL(int, real_name, real_parameters)                                                  \
        EFFECT(ws_standby_print(#name, file));                                                 \
        va_list list;                                                                          \
        va_start(list, last);                                                                  \
        int result = real real_arguments;                                                      \
        va_end(list);                                                                          \
        return result;                                                                         \
    }
DEFINE_PRINT(fprintf, (FILE *restrict file, const char *restrict format, ...), fileno(file), format, vfprintf,
             (FILE *, const char *, va_list), (file, format, list))
DEFINE_PRINT(printf, (const char *restrict format, ...), STDOUT_FILENO, format, vprintf, (const char *, va_list),
             (format, list))
DEFINE_PRINT(dprintf, (int fd, const char *restrict format, ...), fd, format, vdprintf, (int, const char *, va_list),
             (fd, format, list))
DEFINE_PRINT(__fprintf_chk, (FILE * file, int flag, const char *format, ...), fileno(file), format, __vfprintf_chk,
             (FILE *, int, const char *, va_list), (file, flag, format, list))
DEFINE_PRINT(__printf_chk, (int flag, const char *format, ...), STDOUT_FILENO, format, __vprintf_chk,
             (int, const char *, va_list), (flag, format, list))

/* ---- the dynamic linker: its own calls do not pass through here ---- */

DEFINE_CALL(void *, dlopen, (const char *name, int mode), (name, mode), RECORD(ws_trace_wanted_library(name)),
            RECORD(ws_trace_libraries()))

/* ---- variables that the library reads by itself ---- */

#define IS_ZONE(entry) (strncmp(entry, "TZ", 2) == 0) /* TZ, TZDIR */
DEFINE_CALL(int, setenv, (const char *name, const char *value, int replace), (name, value, replace), ,
            RECORD(if (IS_ZONE(name)) ws_trace_zone()))
DEFINE_CALL(int, unsetenv, (const char *name), (name), , RECORD(if (IS_ZONE(name)) ws_trace_zone()))
DEFINE_CALL(int, putenv, (char *entry), (entry), , RECORD(if (IS_ZONE(entry)) ws_trace_zone()))
DEFINE_CALL(int, clearenv, (void), (), , RECORD(ws_trace_zone()))

/* ---- system calls without a function of the library's ---- */

EXPORTED long
syscall(long number, ...)
{
    REAL(long, syscall, (long, ...))
    va_list list;
    long arguments[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
    va_end(list);
    EFFECT(ws_standby_call(number, CALLER));
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* A standby may keep what it appends to a log. */
EXPORTED ssize_t
write(int fd, const void *data, size_t size)
{
    REAL(ssize_t, write, (int, const void *, size_t))
    if (__builtin_expect(ws_standby_booting, 0) && ws_standby_keeps("write", fd, data, size)) return (ssize_t)size;
    ssize_t result = real(fd, data, size);
    MISSED(write, fd);
    return result;
}
EXPORTED ssize_t
writev(int fd, const struct iovec *parts, int number)
{
    REAL(ssize_t, writev, (int, const struct iovec *, int))
    ssize_t kept = 0;
    if (__builtin_expect(ws_standby_booting, 0))
        for (int i = 0; i < number; i++)
            if (ws_standby_keeps("writev", fd, parts[i].iov_base, parts[i].iov_len)) kept += (ssize_t)parts[i].iov_len;
    ssize_t result = kept ? kept : real(fd, parts, number);
    MISSED(writev, fd);
    return result;
}
DEFINE_EFFECT(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
DEFINE_EFFECT(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
DEFINE_EFFECT(ssize_t, send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
DEFINE_EFFECT(ssize_t, sendto,
              (int fd, const void *data, size_t size, int flags, const struct sockaddr *address,
               socklen_t address_size),
              (fd, data, size, flags, address, address_size))
DEFINE_EFFECT(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))

/* What a process cannot share with others. (Ruby itself has pipes, and makes them anew after a fork.) */
static inline void
made_two(int result, const int fds[2])
{
    for (int i = 0; result == 0 && i < 2; i++) MADE(fds[i]);
}
DEFINE_CALL(int, socket, (int family, int type, int protocol), (family, type, protocol), , MADE(result))
DEFINE_CALL(int, socketpair, (int family, int type, int protocol, int fds[2]), (family, type, protocol, fds), ,
            made_two(result, fds))
#define MAKES_PIPE(name) \
    if (__builtin_expect(ws_standby_booting, 0) && !ws_standby_is_rubys(CALLER)) ws_standby_refuse(#name, CALLER)
DEFINE_CALL(int, pipe, (int fds[2]), (fds), MAKES_PIPE(pipe), made_two(result, fds))
DEFINE_CALL(int, pipe2, (int fds[2], int flags), (fds, flags), MAKES_PIPE(pipe2), made_two(result, fds))

#define REPLACES(name, fd) EFFECT(ws_standby_replace(#name, fd))
DEFINE_CALL(int, close, (int fd), (fd), REPLACES(close, fd), )
DEFINE_CALL(int, dup2, (int from, int to), (from, to), REPLACES(dup2, to); REPLACES(dup2, from), MISSED(dup2, from))
DEFINE_CALL(int, dup3, (int from, int to, int flags), (from, to, flags), REPLACES(dup3, to);
            REPLACES(dup3, from), MISSED(dup3, from))
DEFINE_CALL(int, fclose, (FILE * file), (file), REPLACES(fclose, fileno(file)), )
DEFINE_CALL(int, fcloseall, (void), (), EFFECT(ws_standby_effect("fcloseall")), )
DEFINE_EFFECT(FILE *, freopen, (const char *path, const char *mode, FILE *file), (path, mode, file))
DEFINE_EFFECT(FILE *, freopen64, (const char *path, const char *mode, FILE *file), (path, mode, file))
DEFINE_CALL(int, flock, (int fd, int operation), (fd, operation), EFFECT(ws_standby_lock(operation, CALLER)),
            MISSED(flock, fd))

DEFINE_CALL(int, pthread_create,
            (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
             void *restrict argument),
            (thread, attributes, run, argument), EFFECT(ws_standby_thread(CALLER)), )

/* ---- programs ---- */

/* A standby that becomes another program (env, a shell) goes on with its trace there. */
extern char **environ;

static int
become(const char *name, char *const arguments[], char *const environment[], bool search)
{
    REAL(int, execvpe, (const char *, char *const[], char *const[]))
    static int (*real_execve)(const char *, char *const[], char *const[]);
    if (!real_execve) *(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
    if (__builtin_expect(ws_standby_booting, 0)) environment = ws_standby_exec(name, environment);
    return search ? real(name, arguments, environment) : real_execve(name, arguments, environment);
}

EXPORTED int
execve(const char *path, char *const arguments[], char *const environment[])
{
    return become(path, arguments, environment, false);
}
EXPORTED int
execvpe(const char *path, char *const arguments[], char *const environment[])
{
    return become(path, arguments, environment, true);
}
EXPORTED int
execv(const char *path, char *const arguments[])
{
    return become(path, arguments, environ, false);
}
EXPORTED int
execvp(const char *path, char *const arguments[])
{
    return become(path, arguments, environ, true);
}
DEFINE_EFFECT(int, fexecve, (int fd, char *const arguments[], char *const environment[]), (fd, arguments, environment))
DEFINE_EFFECT(int, execveat,
              (int folder, const char *path, char *const arguments[], char *const environment[], int flags),
              (folder, path, arguments, environment, flags))

/* execl, execlp and execle have their arguments in a list, which is copied. (Ruby calls execl for no command, and
 * execle never.) */
enum { ARGUMENTS_MAXIMUM = 1024 };
#define DEFINE_LIST_EXEC(name, search, take_environment)                                           \
    EXPORTED int name(const char *path, const char *argument, ...)                                 \
    {                                                                                              \
        char *arguments[ARGUMENTS_MAXIMUM + 1] = { (char *)(uintptr_t)argument };                  \
        char *const *environment = environ;                                                        \
        va_list list;                                                                              \
        va_start(list, argument);                                                                  \
        size_t number = 1;                                                                         \
        while (number < ARGUMENTS_MAXIMUM && (arguments[number] = va_arg(list, char *))) number++; \
        if (take_environment) environment = va_arg(list, char *const *);                           \
        va_end(list);                                                                              \
        if (number < ARGUMENTS_MAXIMUM) return become(path, arguments, environment, search);       \
        errno = E2BIG;                                                                             \
        return -1;                                                                                 \
    }
DEFINE_LIST_EXEC(execl, false, false)
DEFINE_LIST_EXEC(execlp, true, false)
DEFINE_LIST_EXEC(execle, false, true)

/* ---- the end ---- */

/* When a command from a standby ends, Ruby frees what its objects hold. Each page that this writes to is shared with
 * the standby, so the kernel would have to copy it first, which took half of a short command's time. So nothing is
 * freed from that moment on: the process is about to end. (Until the constructor has run, nothing is freed either. The
 * dynamic linker frees little before that, and dlsym could not be called from here.) */
static void (*real_free)(void *);
EXPORTED void
free(void *memory)
{
    if (__builtin_expect(real_free && !ws_standby_leaving, 1)) real_free(memory);
}

/* Ruby asks before it frees, to count. */
EXPORTED size_t
malloc_usable_size(void *memory)
{
    REAL(size_t, malloc_usable_size, (void *))
    return __builtin_expect(ws_standby_leaving, 0) ? 0 : real(memory);
}

EXPORTED int
munmap(void *address, size_t size)
{
    REAL(int, munmap, (void *, size_t))
    return __builtin_expect(ws_standby_leaving, 0) ? 0 : real(address, size);
}

__attribute__((constructor)) static void
find_free(void)
{
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
}

EXPORTED void
_exit(int status)
{
    static void (*real)(int) __attribute__((noreturn));
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "_exit");
    if (warmstart_leaving) warmstart_leaving();
    real(status);
}

#else

/* On macOS the dynamic linker applies a table of replacements to all other images. In this image the names still mean
 * the library's functions. */
#define INTERPOSE(name)                                                        \
    __attribute__((used, section("__DATA,__interpose"))) static const struct { \
        const void *replacement, *original;                                    \
    } interpose_##name = { (const void *)(uintptr_t)ws_##name, (const void *)(uintptr_t)name }

static int
ws_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    int fd = open(path, flags, mode);
    count_open(flags, fd < 0);
    return fd;
}

static int
ws_openat(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    int fd = openat(folder, path, flags, mode);
    count_open(flags, fd < 0);
    return fd;
}

#define WRAP(type, name, parameters, arguments, then) \
    static type ws_##name parameters                  \
    {                                                 \
        type result = name arguments;                 \
        then;                                         \
        return result;                                \
    }                                                 \
    INTERPOSE(name)

INTERPOSE(open);
INTERPOSE(openat);
WRAP(int, stat, (const char *path, struct stat *data), (path, data), count(WS_CALL_STAT, result != 0));
WRAP(int, lstat, (const char *path, struct stat *data), (path, data), count(WS_CALL_STAT, result != 0));
WRAP(int, fstat, (int fd, struct stat *data), (fd, data), count(WS_CALL_STAT, result != 0));
WRAP(int, fstatat, (int folder, const char *path, struct stat *data, int flags), (folder, path, data, flags),
     count(WS_CALL_STAT, result != 0));
WRAP(ssize_t, readlink, (const char *path, char *buffer, size_t size), (path, buffer, size),
     count(WS_CALL_READLINK, result < 0));
WRAP(char *, realpath, (const char *path, char *buffer), (path, buffer), counts[WS_CALL_REALPATH]++);
WRAP(DIR *, opendir, (const char *path), (path), if (result) counts[WS_CALL_LIST]++; else count(WS_CALL_OPEN, true));
WRAP(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), count_read(size, result));
WRAP(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at), count_read(size, result));
WRAP(int, access, (const char *path, int mode), (path, mode), counts[WS_CALL_OTHER]++);

#endif
