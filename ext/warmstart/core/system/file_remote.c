/* What kind of file system a descriptor is on. The image's store uses this to decide between mapping and copying.
 *
 * A mapping of a remote file may fault at any time, because another machine can truncate the file or the network can go
 * away. A daemon behind FUSE can do the same. Overlay file systems count as local, because the file system below them
 * has already been checked. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/system/file.h"

#if defined(__linux__)
#include <sys/vfs.h>

/* Magic numbers from statfs(2), the kernel's magic.h and the sources of the file systems. Not every libc has names for
 * them. */
static const uint32_t ws_remote_magics[] = {
    0x00006969, /* NFS */
    0x0000517B, /* SMB */
    0xFF534D42, /* CIFS */
    0xFE534D42, /* SMB2 */
    0x0000564C, /* NCP */
    0x65735546, /* FUSE, and with it sshfs, virtiofs, GlusterFS, s3fs ... */
    0x01021997, /* 9P: virtual machines, WSL 2 */
    0x5346414F, /* OpenAFS */
    0x6B414653, /* the kernel's AFS */
    0x00C36400, /* Ceph */
    0x73757245, /* Coda */
    0x0BD00BD0, /* Lustre */
    0x01161970, /* GFS2 */
    0x7461636F, /* OCFS2 */
    0x20030528, /* OrangeFS */
    0x19830326, /* BeeGFS */
    0x47504653, /* GPFS */
    0xAAD7AAEA, /* PanFS */
    0x786F4256, /* VirtualBox shared folders */
    0xBACBACBC, /* VMware shared folders */
    0x7C7C6673, /* Parallels shared folders */
};

static bool
is_remote(const struct statfs *file_system)
{
    /* f_type is signed on some machines and longer than 32 bits on others. */
    for (size_t index = 0; index < sizeof(ws_remote_magics) / sizeof(ws_remote_magics[0]); index++) {
        if ((uint32_t)file_system->f_type == ws_remote_magics[index]) return true;
    }
    return false;
}

bool
ws_file_is_remote(int descriptor)
{
    struct statfs file_system;

    return fstatfs(descriptor, &file_system) < 0 || is_remote(&file_system);
}

bool
ws_file_is_remote_path(const char *path)
{
    struct statfs file_system;

    return statfs(path, &file_system) < 0 || is_remote(&file_system);
}

#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <sys/param.h>
#include <sys/mount.h>

bool
ws_file_is_remote(int descriptor)
{
    struct statfs file_system;

    return fstatfs(descriptor, &file_system) < 0 || !(file_system.f_flags & MNT_LOCAL);
}

#elif !defined(_WIN32) /* see file_windows_folders.c */

/* We cannot tell here, and copying is always safe. */
bool
ws_file_is_remote(int descriptor)
{
    (void)descriptor;
    return true;
}

#endif
