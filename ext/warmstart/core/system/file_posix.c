/* Files on POSIX systems: descriptors, folders, locks. file.h documents the functions; file_stat.c has the metadata.
 *
 * Every function saves the errno of a failed call before it closes anything. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <sys/xattr.h>
#endif
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The most that one read or write transfers: macOS refuses more than INT_MAX bytes. */
#define WS_FILE_CHUNK_SIZE ((size_t)1 << 30)

/* Linux shows this uid for every user that the process's user namespace does not map (kernel.overflowuid, which nobody
 * changes). It may also be the number of a real user, "nobody". */
#define OVERFLOW_UID 65534

int
ws_file_stat_path(const char *path, bool follow, ws_stat *stat)
{
    return ws_file_stat_at(AT_FDCWD, path, follow, stat);
}

int
ws_file_stat_trust(int descriptor, ws_stat *stat)
{
    return ws_file_stat_descriptor(descriptor, stat);
}

bool
ws_file_group_is_meant(int descriptor)
{
#ifdef __linux__
    return !ws_file_is_remote(descriptor) && fgetxattr(descriptor, "system.posix_acl_access", NULL, 0) < 0 &&
           (errno == ENODATA || errno == ENOTSUP);
#else
    (void)descriptor;
    return false;
#endif
}

bool
ws_file_is_privileged(void)
{
#ifdef __linux__
    extern unsigned long getauxval(unsigned long type);
    if (getauxval(23 /* AT_SECURE */)) return true;
#endif
    return geteuid() != getuid() || getegid() != getgid();
}

/* May this process open the file? Asks the kernel, which alone knows the process's capabilities, its user namespace,
 * and access lists. (Where the C library or the kernel is too old for AT_EACCESS, the answer is about the real user. So
 * it is left in doubt where that is another one.) */
bool
ws_file_may_be_read(const char *path)
{
    return !ws_file_is_privileged() && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

/* rb_file_load_ok would open the file to find out. This function predicts the result: for nearly all files the mode's
 * bits tell it, but for those with an access list (WS_ENTRY_ACCESS_LIST). (A file of the overflow uid may be another
 * user's than the process that has this number, too.) */
bool
ws_file_is_readable(const char *path, const ws_stat *stat)
{
    if ((stat->mode & 0444) == 0444) return true;
    uint32_t user = (uint32_t)geteuid(); /* asked each time, because a server may have given up its privileges */
    if (stat->owner == user && user != OVERFLOW_UID && (stat->mode & 0400)) return true;
    return ws_file_may_be_read(path);
}

#ifdef __linux__
/* By the kernel's own number, because a standby's library takes getxattr for a question of the program's. */
bool
ws_file_has_access_list(const char *path)
{
    if (syscall(SYS_getxattr, path, "system.posix_acl_access", NULL, (size_t)0) >= 0) return true;
    return errno != ENODATA && errno != ENOTSUP;
}
#else
bool
ws_file_has_access_list(const char *path)
{
    (void)path;
    return true;
}
#endif

bool
ws_stat_is_same_inode(uint64_t inode, uint64_t other)
{
    return inode == other;
}

uint32_t
ws_file_user(void)
{
    return (uint32_t)geteuid();
}

/* Only where the namespace maps all uids, as outside of containers, does the overflow uid stand for one user alone; in
 * a container that maps it as well, it cannot be told from the users without a mapping. Each line of the map is "first
 * uid here, first uid outside, how many". */
#define ALL_UIDS UINT64_C(4294967295)

bool
ws_file_owner_is_known(uint32_t owner)
{
#ifdef __linux__
    char text[4096];
    size_t size = 0;
    int descriptor;

    if (owner != OVERFLOW_UID) return true;
    if (ws_file_open("/proc/self/uid_map", WS_OPEN_FILE, &descriptor) != 0) return false;
    int error_number = ws_file_read(descriptor, text, sizeof text - 1, &size);
    ws_file_close(descriptor);
    if (error_number != 0) return false;
    text[size] = '\0';
    uint64_t named = 0;
    for (char *line = text; *line != '\0';) {
        strtoull(line, &line, 10);
        strtoull(line, &line, 10);
        named += strtoull(line, &line, 10);
        line += strspn(line, " \n");
    }
    return named == ALL_UIDS;
#else
    (void)owner;
    return true;
#endif
}

bool
ws_file_is_private(const ws_stat *stat)
{
    return (stat->mode & 0077) == 0;
}

size_t
ws_file_current(char *buffer, size_t buffer_size)
{
    return getcwd(buffer, buffer_size) ? strlen(buffer) : 0;
}

char *
ws_file_real_path(const char *path)
{
    return realpath(path, NULL);
}

/* ---- descriptors ---- */

static const int ws_open_flags[] = {
    [WS_OPEN_FILE] = O_RDONLY | O_NONBLOCK | O_NOCTTY,
    [WS_OPEN_FILE_ITSELF] = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
    [WS_OPEN_DIRECTORY] = O_RDONLY | O_DIRECTORY,
    [WS_OPEN_DIRECTORY_ITSELF] = O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
#ifdef O_PATH
    [WS_OPEN_PARENT] = O_PATH | O_DIRECTORY,
#else
    [WS_OPEN_PARENT] = O_RDONLY | O_DIRECTORY,
#endif
    [WS_OPEN_LOCK] = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
    [WS_OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
};

int
ws_file_open_at(int directory, const char *name, ws_open_kind kind, int *descriptor)
{
    do {
        *descriptor = openat(directory, name, ws_open_flags[kind] | O_CLOEXEC, 0600);
    } while (*descriptor < 0 && errno == EINTR);
    return *descriptor < 0 ? errno : 0;
}

int
ws_file_open(const char *path, ws_open_kind kind, int *descriptor)
{
    return ws_file_open_at(AT_FDCWD, path, kind, descriptor);
}

int
ws_file_close(int descriptor)
{
    return close(descriptor) == 0 || errno == EINTR ? 0 : errno;
}

int
ws_file_read(int descriptor, void *bytes, size_t size, size_t *read_size)
{
    size_t done = 0;

    while (done < size) {
        size_t wanted = size - done < WS_FILE_CHUNK_SIZE ? size - done : WS_FILE_CHUNK_SIZE;
        ssize_t count = read(descriptor, (char *)bytes + done, wanted);

        if (count == 0) break;
        if (count > 0) done += (size_t)count;
        else if (errno != EINTR) return errno;
    }
    *read_size = done;
    return 0;
}

/* Under a limit on the size of files (ulimit -f), SIGXFSZ ends a process that writes beyond the limit. While the signal
 * is blocked, write returns EFBIG instead, and the signal stays pending for this thread. We consume the pending signal
 * before we restore the thread's signal mask. In this way the program's handler is neither changed nor called. */
typedef struct ws_size_signal {
    sigset_t signal, before;
    bool waited;
} ws_size_signal;

static bool
ws_size_signal_waits(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static void
ws_size_signal_hold(ws_size_signal *held)
{
    sigemptyset(&held->signal);
    sigaddset(&held->signal, SIGXFSZ);
    held->waited = ws_size_signal_waits(); /* then the pending signal is not ours */
    pthread_sigmask(SIG_BLOCK, &held->signal, &held->before);
}

/* Returns the result of the write unchanged. */
static int
ws_size_signal_release(const ws_size_signal *held, int failure)
{
    int number;
    if (failure == EFBIG && !held->waited && ws_size_signal_waits()) sigwait(&held->signal, &number);
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    return failure;
}

static int
ws_file_write_bytes(int descriptor, const void *bytes, size_t size)
{
    const uint8_t *position = bytes;

    while (size > 0) {
        ssize_t count = write(descriptor, position, size < WS_FILE_CHUNK_SIZE ? size : WS_FILE_CHUNK_SIZE);

        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        if (count == 0) return EIO;
        position += count;
        size -= (size_t)count;
    }
    return 0;
}

/* Drops `written` bytes from the front of pieces[first..]. Returns the number of the first piece that is left. */
static int
ws_file_advance(struct iovec *pieces, int count, int first, size_t written)
{
    while (first < count && written >= pieces[first].iov_len) written -= pieces[first++].iov_len;
    if (first < count) {
        pieces[first].iov_base = (char *)pieces[first].iov_base + written;
        pieces[first].iov_len -= written;
    }
    return first;
}

static int
ws_file_write_vectors(int descriptor, struct iovec *pieces, int count)
{
    for (int first = 0; first < count;) {
        ssize_t written = writev(descriptor, pieces + first, count - first);
        if (written > 0) first = ws_file_advance(pieces, count, first, (size_t)written);
        else if (written == 0) return EIO;
        else if (errno != EINTR) return errno;
    }
    return 0;
}

int
ws_file_write_all(int descriptor, const void *bytes, size_t size)
{
    ws_size_signal held;
    ws_size_signal_hold(&held);
    return ws_size_signal_release(&held, ws_file_write_bytes(descriptor, bytes, size));
}

int
ws_file_write_pieces(int descriptor, const ws_piece *from, int count)
{
    struct iovec pieces[WS_PIECES_MAXIMUM];
    ws_size_signal held;

    for (int i = 0; i < count; i++) pieces[i] = (struct iovec){ (void *)from[i].bytes, from[i].size };
    ws_size_signal_hold(&held);
    return ws_size_signal_release(&held, ws_file_write_vectors(descriptor, pieces, count));
}

/* ---- folders ---- */

int
ws_file_rename_at(int directory, const char *name, const char *new_name)
{
    return renameat(directory, name, directory, new_name) == 0 ? 0 : errno;
}

int
ws_file_remove_at(int directory, const char *name)
{
    return unlinkat(directory, name, 0) == 0 ? 0 : errno;
}

int
ws_file_touch_at(int directory, const char *name)
{
    return utimensat(directory, name, NULL, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

int
ws_file_each_name(int directory, ws_name_callback callback, void *data)
{
    int descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    DIR *listing = fdopendir(descriptor);
    if (listing == NULL) {
        int error_number = errno;
        close(descriptor);
        return error_number;
    }
    for (struct dirent *found = readdir(listing); found != NULL; found = readdir(listing))
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0) callback(data, found->d_name);
    closedir(listing);
    return 0;
}

static mode_t
ws_file_mode(bool folder, bool public_read)
{
    return folder ? (public_read ? 0755 : 0700) : (public_read ? 0644 : 0600);
}

/* Sets the mode of a folder that may not be opened, and follows no symlink. (On Linux glibc's fchmodat goes by the
 * number in "/proc/self/fd", which is the process's table. The calling thread may have a table of its own.) */
static int
change_mode(int parent, const char *name, mode_t mode)
{
#ifdef __linux__
    char path[64];
    int descriptor = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno;
    snprintf(path, sizeof path, "/proc/thread-self/fd/%d", descriptor);
    int error_number = chmod(path, mode) == 0 ? 0 : errno;
    close(descriptor);
    return error_number;
#else
    return fchmodat(parent, name, mode, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
#endif
}

static const char *
last_component(const char *path)
{
    const char *separator = strrchr(path, '/');
    return separator == NULL ? path : separator + 1;
}

int
ws_file_make_plain_directory(int parent, const char *path)
{
    const char *name = last_component(path);
    struct stat stat;

    if (mkdirat(parent, name, 0777) != 0 || fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    return (stat.st_mode & 0700) == 0700 ? 0 : change_mode(parent, name, (stat.st_mode & 07777) | 0700);
}

/* The mode is set afterwards, because the umask restricts the mode given to mkdir. It is set through the descriptor,
 * because the name could lead elsewhere by now. Only where the umask has kept even the owner from opening the folder is
 * it set by name, without following a symlink. */
int
ws_file_make_directory(int parent, const char *path, bool public_read)
{
    const char *name = last_component(path);
    mode_t mode = ws_file_mode(true, public_read);
    int descriptor;

    if (mkdirat(parent, name, mode) != 0) return errno;
    int error_number = ws_file_open_at(parent, name, WS_OPEN_DIRECTORY_ITSELF, &descriptor);
    if (error_number == EACCES && change_mode(parent, name, mode) == 0)
        error_number = ws_file_open_at(parent, name, WS_OPEN_DIRECTORY_ITSELF, &descriptor);
    if (error_number != 0) return error_number;
    error_number = fchmod(descriptor, mode) == 0 ? 0 : errno;
    close(descriptor);
    return error_number;
}

int
ws_file_set_public(int descriptor, bool public_read)
{
    return fchmod(descriptor, ws_file_mode(false, public_read)) == 0 ? 0 : errno;
}

int
ws_file_open_up(int descriptor, const ws_stat *stat)
{
    mode_t mode = (stat->mode & 07777) | 0055;

    if (mode == (stat->mode & 07777)) return 0;
    return fchmod(descriptor, mode) == 0 ? 0 : errno;
}

int
ws_file_open_to_owner(int descriptor, const ws_stat *stat)
{
    if ((stat->mode & 0600) == 0600) return 0;
    return fchmod(descriptor, (stat->mode & 07777) | 0600) == 0 ? 0 : errno;
}

bool
ws_file_folders_have_times(const char *path)
{
    (void)path;
    return true;
}

/* ---- locks ---- */

int
ws_file_lock(int descriptor, bool wait)
{
    while (flock(descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

void
ws_file_unlock(int descriptor)
{
    flock(descriptor, LOCK_UN);
}

/* Prefers getrandom, which waits until the system has gathered enough randomness, and needs no descriptor and no
 * device (after a chroot there may be none). */
int
ws_random_bytes(uint8_t *bytes, size_t size)
{
    int descriptor;
    size_t done = 0;

#ifdef SYS_getrandom
    while (done < size) {
        long count = syscall(SYS_getrandom, bytes + done, size - done, 0);
        if (count > 0) done += (size_t)count;
        else if (errno != EINTR) break;
    }
    if (done == size) return 0;
#endif
    int error_number = ws_file_open("/dev/urandom", WS_OPEN_FILE, &descriptor);
    if (error_number != 0) return error_number;
    error_number = ws_file_read(descriptor, bytes, size, &done);
    ws_file_close(descriptor);
    return error_number == 0 && done != size ? EIO : error_number;
}
#endif
