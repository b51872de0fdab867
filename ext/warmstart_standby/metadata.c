/* The metadata of a file, as a record holds it and as the check compares it. System calls are made directly, because in
 * a process that records the library's functions are the interposer's. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record.h"

static int64_t
nanoseconds(struct statx_timestamp time)
{
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

void
ws_asked_fill(ws_asked *asked, int folder, const char *path, int flags)
{
    struct statx data;
    if (syscall(SYS_statx, folder, path, flags, STATX_BASIC_STATS, &data) != 0) {
        asked->error = (uint16_t)errno;
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
