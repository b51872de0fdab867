/* The arena's memory on POSIX systems; see arena.h. Space on the disk is allocated before it is mapped, because
 * writing to a mapped page for which the disk has no room would kill the program (SIGBUS). */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    char path[PATH_MAX];
    bool in_file; /* else the memory is anonymous */
} space;

/* Uses the system call itself, because the interposer counts calls of libc's open. */
static int
open_file(int flags)
{
#ifdef SYS_openat
    return (int)syscall(SYS_openat, AT_FDCWD, space.path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
#else
    return open(space.path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
#endif
}

/* Writing past the process's limit for the size of files would raise SIGXFSZ, which kills the process. */
static bool
is_within_limit(size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur) return true;
    errno = EFBIG;
    return false;
}

static bool
reserve_on_disk(int fd, size_t from, size_t size)
{
    if (!is_within_limit(from + size)) return false;
#ifdef __linux__
    if (fallocate(fd, 0, (off_t)from, (off_t)size) == 0) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
#endif
    static const char zeros[65536];
    for (size_t done = 0; done < size; done += sizeof zeros)
        if (pwrite(fd, zeros, sizeof zeros, (off_t)(from + done)) != (ssize_t)sizeof zeros) {
            if (errno == 0) errno = ENOSPC;
            return false;
        }
    return true;
}

char *
ws_space_reserve(const char *path)
{
    if (path && strlen(path) >= sizeof space.path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    space.in_file = path != NULL;
    if (path) memcpy(space.path, path, strlen(path) + 1);
    void *reserved = mmap(NULL, WS_SPACE_RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return reserved == MAP_FAILED ? NULL : reserved;
}

bool
ws_space_grow(char *base, size_t allocated)
{
    void *wanted = base + allocated, *got;
    if (space.in_file) {
        int fd = open_file(allocated == 0 ? O_RDWR | O_CREAT | O_EXCL : O_RDWR);
        if (fd < 0) return false;
        bool room = reserve_on_disk(fd, allocated, WS_SPACE_STEP);
        got = room ? mmap(wanted, WS_SPACE_STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)allocated)
                   : MAP_FAILED;
        int error = errno;
        close(fd);
        errno = error;
    }
    else got = mmap(wanted, WS_SPACE_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return got != MAP_FAILED;
}

void
ws_space_release(char *base, size_t allocated)
{
    (void)allocated;
    munmap(base, WS_SPACE_RESERVED);
}
#endif
