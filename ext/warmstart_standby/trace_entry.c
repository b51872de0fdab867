/* What a trace's writer and its reader share: a question's entry, and the metadata in it. System calls are made
 * directly, because in a process that records the library's functions are the interposer's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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
    /* (The kernel believes what it knows of a file on another machine, or of a server in user space, for a while.) */
    if (syscall(SYS_statx, folder, path, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &data) != 0) {
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

/* File systems of Linux itself whose folders' times change with their names (magic numbers from statfs(2)). */
static const uint32_t TELLING[] = {
    0xEF53,     /* ext2, ext3, ext4 */
    0x58465342, /* XFS */
    0x9123683E, /* Btrfs */
    0x01021994, /* tmpfs */
    0x858458F6, /* ramfs */
    0x794C7630, /* overlayfs: what is below it is another of these */
    0xF2F52010, /* F2FS */
    0x2FC12FC1, /* ZFS */
    0xCA451A4E, /* bcachefs */
    0x00006969, /* NFS */
};

bool
ws_folder_times_tell(const char *path)
{
    struct statfs data;
    if (syscall(SYS_statfs, path, &data) != 0) return false;
    for (size_t i = 0; i < sizeof TELLING / sizeof *TELLING; i++)
        if ((uint32_t)data.f_type == TELLING[i]) return true;
    return false;
}

/* An entry of a folder (getdents64(2)). */
struct entry {
    uint64_t inode, next;
    uint16_t size;
    uint8_t type;
    char name[];
};

uint64_t
ws_digest_names(const char *path)
{
    _Alignas(struct entry) char entries[8192];
    uint64_t digest = UINT64_C(0xcbf29ce484222325); /* (FNV-1a) */
    int before = errno;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0), size = -1;
    while (fd >= 0 && (size = syscall(SYS_getdents64, (int)fd, entries, sizeof entries)) > 0)
        for (long at = 0; at < size;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            digest = (digest ^ entry->type) * UINT64_C(0x100000001b3);
            for (const char *name = entry->name; *name; name++)
                digest = (digest ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
            digest = (digest ^ '/') * UINT64_C(0x100000001b3);
            at += entry->size;
        }
    if (fd >= 0) syscall(SYS_close, (int)fd);
    errno = before;
    return size < 0 ? 0 : digest;
}

/* Whoever compares is another process, so what a path asks of this one by its number it has to ask of itself. And what
 * is below the working directory or the root of a process is no file of /proc, so its path is the real one. (Where they
 * are is in the key.) Returns false if that is too long. */
static bool
lead_through_process(char whole[PATH_MAX])
{
    static const char PROC[] = "/proc/";
    char text[PATH_MAX], target[PATH_MAX];
    char own[32];
    int own_size = snprintf(own, sizeof own, "/proc/%ld/", syscall(SYS_getpid));
    if (strncmp(whole, own, (size_t)own_size) == 0) {
        snprintf(text, sizeof text, "%s", whole + own_size);
        if (snprintf(whole, PATH_MAX, "/proc/self/%s", text) >= PATH_MAX) return false;
    }
    for (int links = 0; links < 8 && strncmp(whole, PROC, sizeof PROC - 1) == 0; links++) {
        char *end = strchr(whole + sizeof PROC - 1, '/');
        if (end && strncmp(end, "/task/", 6) == 0) end = strchr(end + 6, '/');
        size_t size = !end ? 0 : strncmp(end, "/cwd/", 5) == 0 ? 4 : strncmp(end, "/root/", 6) == 0 ? 5 : 0;
        if (size == 0) break;
        snprintf(text, sizeof text, "%s", end + size);
        end[size] = 0;
        long found = syscall(SYS_readlinkat, AT_FDCWD, whole, target, sizeof target - 1);
        target[found > 1 ? found : 0] = 0; /* (the root is in what follows) */
        if (found > 0 && snprintf(whole, PATH_MAX, "%s%s", target, text) >= PATH_MAX) return false;
        if (found <= 0) end[size] = '/';
        if (found <= 0) break;
    }
    return true;
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
    return size + added < PATH_MAX && lead_through_process(whole);
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
