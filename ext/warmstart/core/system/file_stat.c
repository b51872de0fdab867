/* Metadata on POSIX systems, with one system call. Everything that looks at a file uses it; core/file_system/ uses it
 * for names below an open folder. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/system/file.h"

uint64_t ws_stat_calls;

/* A statistic that several threads count. Machines without 64-bit atomics of their own would need libatomic for it;
 * there we accept that a count may get lost. */
void
ws_stat_count(uint64_t calls)
{
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ >= 8
    __atomic_fetch_add(&ws_stat_calls, calls, __ATOMIC_RELAXED);
#else
    ws_stat_calls += calls;
#endif
}

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__) && defined(STATX_BASIC_STATS) && !defined(WS_FILE_WITHOUT_STATX)
#include <sys/sysmacros.h>
#define WS_FILE_STATX 1
#endif

static ws_file_type
ws_file_type_of(uint32_t mode)
{
    switch (mode & S_IFMT) {
        case S_IFREG: return WS_TYPE_REGULAR;
        case S_IFDIR: return WS_TYPE_DIRECTORY;
        case S_IFLNK: return WS_TYPE_SYMLINK;
        default: return WS_TYPE_OTHER;
    }
}

/* The arithmetic is unsigned because a file system may hold times so far away that they overflow. It only matters that
 * the same time always gives the same number. */
static int64_t
ws_stat_nanoseconds(int64_t seconds, int64_t nanoseconds)
{
    return (int64_t)((uint64_t)seconds * UINT64_C(1000000000) + (uint64_t)nanoseconds);
}

static void
ws_stat_fill(ws_stat *stat, const struct stat *from)
{
    stat->device = (uint64_t)from->st_dev;
    stat->inode = (uint64_t)from->st_ino;
    stat->size = (uint64_t)from->st_size;
#ifdef __APPLE__
    stat->mtime = ws_stat_nanoseconds(from->st_mtimespec.tv_sec, from->st_mtimespec.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from->st_ctimespec.tv_sec, from->st_ctimespec.tv_nsec);
#else
    stat->mtime = ws_stat_nanoseconds(from->st_mtim.tv_sec, from->st_mtim.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from->st_ctim.tv_sec, from->st_ctim.tv_nsec);
#endif
    stat->mode = (uint32_t)from->st_mode;
    stat->owner = (uint32_t)from->st_uid;
    stat->group = (uint32_t)from->st_gid;
    stat->links = (uint32_t)from->st_nlink;
    stat->type = ws_file_type_of(stat->mode);
    stat->is_link = false;
}

#ifdef WS_FILE_STATX
static unsigned
ws_statx_mask(uint32_t fields)
{
    return (fields & (WS_FIELD_TYPE | WS_FIELD_MODE) ? STATX_TYPE | STATX_MODE : 0u) |
           (fields & WS_FIELD_SIZE ? STATX_SIZE : 0u) | (fields & WS_FIELD_MTIME ? STATX_MTIME : 0u) |
           (fields & WS_FIELD_CTIME ? STATX_CTIME : 0u) | (fields & WS_FIELD_INODE ? STATX_INO : 0u) |
           (fields & WS_FIELD_LINKS ? STATX_NLINK : 0u) | (fields & WS_FIELD_OWNER ? STATX_UID | STATX_GID : 0u);
}

/* statx is told which fields are wanted, so that a network file system need not fetch the others. The device number is
 * composed as stat composes it, so that it is the same whichever call was made. */
static int
ws_statx(int directory, const char *name, int flags, uint32_t fields, ws_stat *stat)
{
    const unsigned mask = ws_statx_mask(fields);
    struct statx from;

    if (statx(directory, name, flags | AT_NO_AUTOMOUNT, mask, &from) < 0) return errno;
    stat->device = (uint64_t)makedev(from.stx_dev_major, from.stx_dev_minor);
    stat->inode = from.stx_ino;
    stat->size = from.stx_size;
    stat->mtime = ws_stat_nanoseconds(from.stx_mtime.tv_sec, from.stx_mtime.tv_nsec);
    stat->ctime = ws_stat_nanoseconds(from.stx_ctime.tv_sec, from.stx_ctime.tv_nsec);
    stat->mode = from.stx_mode;
    stat->owner = from.stx_uid;
    stat->group = from.stx_gid;
    stat->links = from.stx_nlink;
    stat->type = ws_file_type_of(stat->mode);
    stat->is_link = false;
    return 0;
}

/* Old kernels do not know statx. Old container sandboxes forbid it with EPERM, which stat itself never returns. */
static bool
ws_statx_is_refused(int error_number)
{
    return error_number == ENOSYS || error_number == EPERM;
}
#endif

/* The kernel believes what it knows of a file on another machine, or of a daemon's in user space, for some time, and
 * tells that without asking. But open(2), as Ruby loads a file, asks (close-to-open consistency of nfs(5);
 * fuse_open_common in fs/fuse/file.c drops what was read before). So where metadata decides whether a file is still the
 * one that was recorded, the file system is asked, too. For local ones it makes no difference. */
#ifdef WS_FILE_STATX
enum { AS_KNOWN = AT_STATX_SYNC_AS_STAT, AS_IT_IS_NOW = AT_STATX_FORCE_SYNC };
#else
enum { AS_KNOWN, AS_IT_IS_NOW };
#endif

static int
stat_with(int directory, const char *name, int flags, int how, uint32_t fields, ws_stat *stat)
{
    struct stat from;

#ifdef WS_FILE_STATX
    int result = ws_statx(directory, name, flags | how, fields, stat);
    if (!ws_statx_is_refused(result)) return result;
#else
    (void)how;
    (void)fields;
#endif
    if (fstatat(directory, name, &from, flags) < 0) return errno;
    ws_stat_fill(stat, &from);
    return 0;
}

int
ws_file_stat_fields(int directory, const char *name, bool follow, uint32_t fields, ws_stat *stat)
{
    return stat_with(directory, name, follow ? 0 : AT_SYMLINK_NOFOLLOW, AS_KNOWN, fields, stat);
}

int
ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat)
{
    ws_stat_count(1);
    return stat_with(directory, name, follow ? 0 : AT_SYMLINK_NOFOLLOW, AS_IT_IS_NOW, WS_FIELDS_OF_FILES, stat);
}

int
ws_file_stat(const char *path, ws_stat *stat)
{
    return ws_file_stat_at(AT_FDCWD, path, true, stat);
}

static int
stat_named(int directory, const char *name, int how, ws_stat *stat)
{
    int error_number = stat_with(directory, name, AT_SYMLINK_NOFOLLOW, how, WS_FIELDS_OF_FILES, stat);

    if (error_number != 0 || stat->type != WS_TYPE_SYMLINK) return error_number;
    error_number = stat_with(directory, name, 0, how, WS_FIELDS_OF_FILES, stat);
    stat->is_link = true;
    return error_number;
}

int
ws_file_stat_named(const char *path, ws_stat *stat)
{
    ws_stat_count(1);
    return stat_named(AT_FDCWD, path, AS_IT_IS_NOW, stat);
}

int
ws_file_stat_named_at(int directory, const char *name, ws_stat *stat)
{
    return stat_named(directory, name, AS_KNOWN, stat);
}

int
ws_file_stat_descriptor(int descriptor, ws_stat *stat)
{
    struct stat from;

    ws_stat_count(1);
#ifdef WS_FILE_STATX
    int result = ws_statx(descriptor, "", AT_EMPTY_PATH | AS_IT_IS_NOW, WS_FIELDS_OF_FILES, stat);
    if (!ws_statx_is_refused(result)) return result;
#endif
    if (fstat(descriptor, &from) < 0) return errno;
    ws_stat_fill(stat, &from);
    return 0;
}
#endif
