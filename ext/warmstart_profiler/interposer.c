/* This library is preloaded into a profiled program and counts its file system calls: its functions replace those of
 * the C library, count, and call the real ones. It is plain C, without Ruby, locks or allocations. Each thread has its
 * own counters, so a call costs only a few nanoseconds more, and counting is safe in signal handlers and after fork.
 * errno stays what the real function set.
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
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

#ifdef __APPLE__
#define THREAD_LOCAL static __thread
#else
/* The library is loaded with the program, so "initial-exec" is possible: finding a thread's counters then needs neither
 * a call nor memory. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
#endif

THREAD_LOCAL uint64_t counts[WS_CALL_COUNT];

EXPORTED uint64_t *warmstart_calls(void);
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

/* ---- open ---- */

#define MODE_OF(flags)                     \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list;                      \
        va_start(list, flags);             \
        mode = va_arg(list, mode_t);       \
        va_end(list);                      \
    }

#define DEFINE_OPEN(name)                                \
    EXPORTED int name(const char *path, int flags, ...); \
    EXPORTED int name(const char *path, int flags, ...)  \
    {                                                    \
        REAL(int, name, (const char *, int, ...))        \
        MODE_OF(flags)                                   \
        int fd = real(path, flags, mode);                \
        count_open(flags, fd < 0);                       \
        return fd;                                       \
    }
#define DEFINE_OPENAT(name)                                          \
    EXPORTED int name(int folder, const char *path, int flags, ...); \
    EXPORTED int name(int folder, const char *path, int flags, ...)  \
    {                                                                \
        REAL(int, name, (int, const char *, int, ...))               \
        MODE_OF(flags)                                               \
        int fd = real(folder, path, flags, mode);                    \
        count_open(flags, fd < 0);                                   \
        return fd;                                                   \
    }
#define DEFINE_CALL(type, name, parameters, arguments, then) \
    EXPORTED type name parameters;                           \
    EXPORTED type name parameters                            \
    {                                                        \
        REAL(type, name, parameters)                         \
        type result = real arguments;                        \
        then;                                                \
        return result;                                       \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
DEFINE_CALL(int, __open_2, (const char *path, int flags), (path, flags), count_open(flags, result < 0))
DEFINE_CALL(int, __open64_2, (const char *path, int flags), (path, flags), count_open(flags, result < 0))
DEFINE_CALL(int, __openat_2, (int folder, const char *path, int flags), (folder, path, flags),
            count_open(flags, result < 0))
DEFINE_CALL(int, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags),
            count_open(flags, result < 0))
DEFINE_CALL(int, creat, (const char *path, mode_t mode), (path, mode), count_open(0, result < 0))
DEFINE_CALL(int, creat64, (const char *path, mode_t mode), (path, mode), count_open(0, result < 0))
DEFINE_CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), count_open(0, !result))
DEFINE_CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), count_open(0, !result))

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

DEFINE_CALL(DIR *, opendir, (const char *path), (path), count_folder(!result))
DEFINE_CALL(DIR *, fdopendir, (int fd), (fd), count(WS_CALL_STAT, !result))

/* ---- stat ---- */

#define COUNT_STAT count(WS_CALL_STAT, result != 0)
#define DEFINE_STAT(suffix)                                                                                        \
    DEFINE_CALL(int, stat##suffix, (const char *restrict path, struct stat##suffix *restrict data), (path, data),  \
                COUNT_STAT)                                                                                        \
    DEFINE_CALL(int, lstat##suffix, (const char *restrict path, struct stat##suffix *restrict data), (path, data), \
                COUNT_STAT)                                                                                        \
    DEFINE_CALL(int, fstat##suffix, (int fd, struct stat##suffix *data), (fd, data), COUNT_STAT)                   \
    DEFINE_CALL(int, fstatat##suffix,                                                                              \
                (int folder, const char *restrict path, struct stat##suffix *restrict data, int flags),            \
                (folder, path, data, flags), COUNT_STAT)                                                           \
    /* programs that were built with a C library before 2.33 call these */                                         \
    DEFINE_CALL(int, __xstat##suffix, (int version, const char *path, struct stat##suffix *data),                  \
                (version, path, data), COUNT_STAT)                                                                 \
    DEFINE_CALL(int, __lxstat##suffix, (int version, const char *path, struct stat##suffix *data),                 \
                (version, path, data), COUNT_STAT)                                                                 \
    DEFINE_CALL(int, __fxstat##suffix, (int version, int fd, struct stat##suffix *data), (version, fd, data),      \
                COUNT_STAT)                                                                                        \
    DEFINE_CALL(int, __fxstatat##suffix,                                                                           \
                (int version, int folder, const char *path, struct stat##suffix *data, int flags),                 \
                (version, folder, path, data, flags), COUNT_STAT)
DEFINE_STAT()
DEFINE_STAT(64)
#ifdef STATX_TYPE
DEFINE_CALL(int, statx, (int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict data),
            (folder, path, flags, mask, data), COUNT_STAT)
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

DEFINE_CALL(ssize_t, readlink, (const char *restrict path, char *restrict buffer, size_t size), (path, buffer, size),
            count(WS_CALL_READLINK, result < 0))
DEFINE_CALL(ssize_t, readlinkat, (int folder, const char *restrict path, char *restrict buffer, size_t size),
            (folder, path, buffer, size), count(WS_CALL_READLINK, result < 0))
DEFINE_CALL(ssize_t, __readlink_chk, (const char *restrict path, char *restrict buffer, size_t size, size_t room),
            (path, buffer, size, room), count(WS_CALL_READLINK, result < 0))
DEFINE_CALL(ssize_t, __readlinkat_chk,
            (int folder, const char *restrict path, char *restrict buffer, size_t size, size_t room),
            (folder, path, buffer, size, room), count(WS_CALL_READLINK, result < 0))
DEFINE_CALL(char *, realpath, (const char *restrict path, char *restrict buffer), (path, buffer),
            count_realpath(path, result))
DEFINE_CALL(char *, __realpath_chk, (const char *restrict path, char *restrict buffer, size_t room),
            (path, buffer, room), count_realpath(path, result))
DEFINE_CALL(char *, canonicalize_file_name, (const char *path), (path), count_realpath(path, result))

/* ---- read, mmap ---- */

DEFINE_CALL(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), count_read(size, result))
DEFINE_CALL(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at),
            count_read(size, result))
DEFINE_CALL(ssize_t, pread64, (int fd, void *buffer, size_t size, off64_t at), (fd, buffer, size, at),
            count_read(size, result))
DEFINE_CALL(ssize_t, __read_chk, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room),
            count_read(size, result))
DEFINE_CALL(ssize_t, __pread_chk, (int fd, void *buffer, size_t size, off_t at, size_t room),
            (fd, buffer, size, at, room), count_read(size, result))
DEFINE_CALL(ssize_t, __pread64_chk, (int fd, void *buffer, size_t size, off64_t at, size_t room),
            (fd, buffer, size, at, room), count_read(size, result))
DEFINE_CALL(void *, mmap, (void *address, size_t size, int protection, int flags, int fd, off_t at),
            (address, size, protection, flags, fd, at), counts[WS_CALL_MMAP] += fd >= 0)
DEFINE_CALL(void *, mmap64, (void *address, size_t size, int protection, int flags, int fd, off64_t at),
            (address, size, protection, flags, fd, at), counts[WS_CALL_MMAP] += fd >= 0)

/* ---- others ---- */

#define COUNT_OTHER counts[WS_CALL_OTHER]++
DEFINE_CALL(int, access, (const char *path, int mode), (path, mode), COUNT_OTHER)
/* These two stat the file first. */
#define COUNT_EACCESS                                    \
    count(WS_CALL_STAT, result != 0 && errno != EACCES); \
    COUNT_OTHER
DEFINE_CALL(int, eaccess, (const char *path, int mode), (path, mode), COUNT_EACCESS)
DEFINE_CALL(int, euidaccess, (const char *path, int mode), (path, mode), COUNT_EACCESS)
DEFINE_CALL(int, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags),
            COUNT_OTHER)
DEFINE_CALL(int, chdir, (const char *path), (path), COUNT_OTHER)
DEFINE_CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), COUNT_OTHER)
DEFINE_CALL(int, rmdir, (const char *path), (path), COUNT_OTHER)
DEFINE_CALL(int, unlink, (const char *path), (path), COUNT_OTHER)
DEFINE_CALL(int, rename, (const char *from, const char *to), (from, to), COUNT_OTHER)
DEFINE_CALL(int, symlink, (const char *target, const char *path), (target, path), COUNT_OTHER)
DEFINE_CALL(int, link, (const char *from, const char *to), (from, to), COUNT_OTHER)
DEFINE_CALL(int, chmod, (const char *path, mode_t mode), (path, mode), COUNT_OTHER)

/* ---- the end ---- */

EXPORTED void _exit(int status) __attribute__((noreturn));
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
