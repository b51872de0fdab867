/* Makes one system call of a process fail: the one with number FAIL_NTH among the calls FAIL_CALL that concern what
 * lies below the folder FAIL_BELOW, with the errno FAIL_ERRNO. The file FAIL_FIRED is made when that has happened.
 * Loaded by LD_PRELOAD.
 *
 * Who uses it: passing_errors_test.rb, for errors that pass: the call would have gone well a moment later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

static bool
is_below(const char *path)
{
    const char *folder = getenv("FAIL_BELOW");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static bool
names(int descriptor, char path[PATH_MAX])
{
    char link[64];
    /* (A thread may have a table of its own.) */
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0) return false;
    path[size] = '\0';
    return true;
}

/* Is it this call's turn? errno is set then. */
static bool
fails(const char *call, int descriptor, const char *path)
{
    const char *wanted = getenv("FAIL_CALL");
    char named[PATH_MAX];
    if (!wanted || strcmp(wanted, call) != 0) return false;
    bool concerned =
        path && path[0] == '/' ? is_below(path) : descriptor >= 0 && names(descriptor, named) && is_below(named);
    if (!concerned || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) != atoi(getenv("FAIL_NTH"))) return false;
    int fired = creat(getenv("FAIL_FIRED"), 0600);
    if (fired >= 0) close(fired);
    errno = atoi(getenv("FAIL_ERRNO"));
    return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int
openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails("open", directory, path) ? -1 : REAL(openat)(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));

ssize_t
read(int descriptor, void *bytes, size_t size)
{
    return fails("read", descriptor, NULL) ? -1 : REAL(read)(descriptor, bytes, size);
}
ssize_t
pread(int descriptor, void *bytes, size_t size, off_t at)
{
    return fails("read", descriptor, NULL) ? -1 : REAL(pread)(descriptor, bytes, size, at);
}
ssize_t
pread64(int descriptor, void *bytes, size_t size, off64_t at)
{
    return fails("read", descriptor, NULL) ? -1 : REAL(pread64)(descriptor, bytes, size, at);
}
ssize_t
write(int descriptor, const void *bytes, size_t size)
{
    return fails("write", descriptor, NULL) ? -1 : REAL(write)(descriptor, bytes, size);
}
ssize_t
writev(int descriptor, const struct iovec *pieces, int count)
{
    return fails("write", descriptor, NULL) ? -1 : REAL(writev)(descriptor, pieces, count);
}

void *
mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    return descriptor >= 0 && fails("mmap", descriptor, NULL)
               ? MAP_FAILED
               : REAL(mmap)(address, size, protection, flags, descriptor, offset);
}
void *
mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset)
{
    return descriptor >= 0 && fails("mmap", descriptor, NULL)
               ? MAP_FAILED
               : REAL(mmap64)(address, size, protection, flags, descriptor, offset);
}

int
statx(int directory, const char *path, int flags, unsigned mask, struct statx *stat)
{
    return fails("stat", directory, path) ? -1 : REAL(statx)(directory, path, flags, mask, stat);
}
int
fstat(int descriptor, struct stat *stat)
{
    return fails("stat", descriptor, NULL) ? -1 : REAL(fstat)(descriptor, stat);
}
int
fstat64(int descriptor, struct stat64 *stat)
{
    return fails("stat", descriptor, NULL) ? -1 : REAL(fstat64)(descriptor, stat);
}

int
flock(int descriptor, int operation)
{
    return fails("flock", descriptor, NULL) ? -1 : REAL(flock)(descriptor, operation);
}
int
fchmod(int descriptor, mode_t mode)
{
    return fails("fchmod", descriptor, NULL) ? -1 : REAL(fchmod)(descriptor, mode);
}

int
renameat(int from, const char *old, int to, const char *new)
{
    return fails("rename", from, old) ? -1 : REAL(renameat)(from, old, to, new);
}
