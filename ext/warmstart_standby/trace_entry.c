/* What a trace's writer and its reader share: a question's entry, and the metadata in it. System calls are made
 * directly, because in a process that records the library's functions are the interposer's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

static int64_t
nanoseconds(struct statx_timestamp time)
{
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

void
ws_asked_fill(ws_asked *asked, int folder, const char *path, int flags)
{
    struct statx data;
    int before = errno;
    if (syscall(SYS_statx, folder, path, flags, STATX_BASIC_STATS, &data) != 0) {
        asked->error = (uint16_t)errno;
        errno = before;
        return;
    }
    asked->mode = data.stx_mode;
    asked->owner = data.stx_uid;
    asked->group = data.stx_gid;
    asked->device = (uint64_t)data.stx_dev_major << 32 | data.stx_dev_minor;
    asked->inode = data.stx_ino;
    asked->bytes = S_ISCHR(data.stx_mode) || S_ISBLK(data.stx_mode)
                       ? (uint64_t)data.stx_rdev_major << 32 | data.stx_rdev_minor
                       : data.stx_size;
    asked->modified = nanoseconds(data.stx_mtime);
    asked->changed = nanoseconds(data.stx_ctime);
}

void
ws_asked_append(ws_trace_header *header, ws_asked asked, const char *name, const char *answer, size_t answer_size)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    asked.asked = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    asked.name_size = (uint32_t)strlen(name);
    asked.answer_size = (uint32_t)answer_size;
    asked.size = 0;
    size_t size = (sizeof asked + asked.name_size + answer_size + 2 + 7) & ~(size_t)7;
    uint64_t at = __atomic_fetch_add(&header->used, size, __ATOMIC_RELAXED);
    if (at + size > WS_TRACE_ROOM) {
        header->overflow = 1;
        return;
    }
    ws_asked *entry = (ws_asked *)((char *)header + at);
    *entry = asked;
    memcpy(entry->texts, name, asked.name_size);
    memcpy(entry->texts + asked.name_size + 1, answer, answer_size);
    __atomic_store_n(&entry->size, (uint32_t)size, __ATOMIC_RELEASE);
}

bool
ws_path_whole(int folder, const char *path, char whole[PATH_MAX])
{
    char descriptor[32] = "";
    long size = 0;
    if (*path != '/' && folder == AT_FDCWD) size = syscall(SYS_getcwd, whole, PATH_MAX) - 1;
    else if (*path != '/') {
        snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", folder);
        size = syscall(SYS_readlinkat, AT_FDCWD, descriptor, whole, PATH_MAX - 1);
    }
    if (size < 0) return false;
    const char *between = size > 0 && *path ? "/" : ""; /* (an empty path: AT_EMPTY_PATH, the descriptor itself) */
    int added = snprintf(whole + size, (size_t)(PATH_MAX - size), "%s%s", between, path);
    return size + added < PATH_MAX;
}

size_t
ws_read_text(const char *path, char *text, size_t room)
{
    size_t size = 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), got = 0;
    if (fd >= 0) {
        while (size < room - 1 && (got = syscall(SYS_read, (int)fd, text + size, room - 1 - size)) > 0)
            size += (size_t)got;
        syscall(SYS_close, (int)fd);
    }
    text[size] = 0;
    return size;
}
