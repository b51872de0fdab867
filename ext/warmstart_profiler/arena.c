/* The recording's file or memory; see arena.h. Space is allocated on the disk before it is mapped: a write to a page that the
 * disk has no room for would kill the program (SIGBUS). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESERVED ((size_t)1 << 30)
#define STEP ((size_t)4 << 20)

static char *base;
static size_t allocated;
static char file_path[PATH_MAX];
static bool in_file;

/* (Not through libc's names: the interposer counts those.) */
static int
open_file(int flags)
{
#ifdef SYS_openat
    return (int)syscall(SYS_openat, AT_FDCWD, file_path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
#else
    return open(file_path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
#endif
}

/* (A file beyond the process's limit would cost a SIGXFSZ, which kills.) */
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

static bool
grow(bool create)
{
    if (allocated + STEP > RESERVED) {
        errno = ENOSPC;
        return false;
    }
    void *wanted = base + allocated, *got;
    if (in_file) {
        int fd = open_file(create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR);
        if (fd < 0) return false;
        bool room = reserve_on_disk(fd, allocated, STEP);
        got = room ? mmap(wanted, STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)allocated) : MAP_FAILED;
        int error = errno;
        close(fd);
        errno = error;
    }
    else got = mmap(wanted, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (got == MAP_FAILED) return false;
    allocated += STEP;
    return true;
}

bool
ws_arena_open(const char *path)
{
    ws_arena_close();
    if (path && strlen(path) >= sizeof file_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    in_file = path != NULL;
    if (path) memcpy(file_path, path, strlen(path) + 1);
    void *reserved = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return false;
    base = reserved;
    allocated = 0;
    if (!grow(true)) {
        int error = errno;
        ws_arena_close();
        errno = error;
        return false;
    }
    ws_arena_header *head = ws_arena_head();
    memcpy(head->magic, WS_ARENA_MAGIC, sizeof head->magic);
    head->version = WS_ARENA_VERSION;
    head->size = sizeof *head;
    head->pid = (int32_t)getpid();
    return true;
}

bool
ws_arena_is_open(void)
{
    return base != NULL;
}

ws_arena_header *
ws_arena_head(void)
{
    return (ws_arena_header *)base;
}

void *
ws_arena_add(uint32_t type, size_t size)
{
    if (!base) return NULL;
    ws_arena_header *head = ws_arena_head();
    size = (sizeof(ws_record) + size + 7) & ~(size_t)7;
    while (!head->full && head->size + size > allocated)
        if (!grow(false)) head->full = 1;
    if (head->full) return NULL;
    ws_record *record = (ws_record *)(base + head->size);
    *record = (ws_record){ type, (uint32_t)size };
    head->size += size;
    return record + 1;
}

uint32_t
ws_arena_place(const void *record)
{
    return record ? (uint32_t)((const char *)record - base) : 0;
}

uint32_t
ws_arena_text(const char *text, size_t size)
{
    uint32_t *record = size > 0 && size < STEP / 4 ? ws_arena_add(WS_RECORD_TEXT, sizeof *record + size) : NULL;
    if (!record) return 0;
    *record = (uint32_t)size;
    memcpy(record + 1, text, size);
    return ws_arena_place(record);
}

void
ws_arena_close(void)
{
    if (base) munmap(base, RESERVED);
    base = NULL;
    allocated = 0;
}
