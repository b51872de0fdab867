/* Making, opening and locking the image's folder. Who calls: store.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "store_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segment_writer.h"

/* How often a lock file may turn out to have been removed (`clear`) between our opening and our locking it. */
enum { LOCK_TRIES = 16 };

/* The mode is set on the descriptor: mkdir's is cut by the umask, and a path could lead elsewhere by now. 0 or errno. */
static int make_one(const char *path, mode_t mode)
{
    if (mkdir(path, mode) != 0) return errno;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int error_number = fchmod(descriptor, mode) == 0 ? 0 : errno;
    close(descriptor);
    return error_number;
}

/* Cuts the last component off; false when there is none above. */
static bool cut_to_parent(char *path)
{
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/') size--;
    while (size > 1 && path[size - 1] == '/') size--;
    path[size] = '\0';
    return size > 0;
}

/* From the end, so that components which exist are neither touched nor need to be writable. 0 or errno. */
static int make_missing(char *path, mode_t mode)
{
    int error_number = make_one(path, mode);
    if (error_number != ENOENT) return error_number == EEXIST ? 0 : error_number;

    char *parent = strdup(path);
    if (parent == NULL) return ENOMEM;
    error_number = cut_to_parent(parent) ? make_missing(parent, mode) : ENOENT;
    free(parent);
    if (error_number != 0) return error_number;
    error_number = make_one(path, mode);
    return error_number == EEXIST ? 0 : error_number;
}

ws_code ws_store_directory_make(const char *path, bool public_read, ws_error *error)
{
    size_t size = strlen(path);
    struct stat stat;

    if (lstat(path, &stat) == 0) return WS_OK;
    char *trimmed = strdup(path);
    if (trimmed == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "mkdir", path);
    while (size > 1 && trimmed[size - 1] == '/') trimmed[--size] = '\0';
    int error_number = make_missing(trimmed, public_read ? 0755 : 0700);
    free(trimmed);
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "mkdir", path);
    return WS_OK;
}

/* An image that other users shall read must not lie behind a closed door that an earlier boot made. */
static int open_up(int descriptor, const ws_stat *stat)
{
    mode_t mode = (stat->mode & 07777) | 0055;
    if (mode == (stat->mode & 07777)) return 0;
    return fchmod(descriptor, mode) == 0 ? 0 : errno;
}

int ws_store_directory_open(const char *path, const ws_trust *trust, bool public_read, ws_error *error)
{
    ws_stat stat;
    int descriptor = ws_trust_open_directory(path, trust, &stat, error);
    if (descriptor < 0) return -1;

    ws_code code = WS_OK;
    int error_number = 0;
    /* Good enough to read from, perhaps, but what we wrote there would be ours in somebody else's folder (sudo). */
    if (stat.owner != trust->user) code = WS_FOREIGN_OWNER;
    else if (public_read && (error_number = open_up(descriptor, &stat)) != 0) code = WS_SYSTEM;
    if (code == WS_OK) return descriptor;
    close(descriptor);
    ws_error_set(error, code, error_number, "open", path);
    return -1;
}

/* Opens the lock file; a symlink or a FIFO of that name is nothing of ours. 0 or errno. */
static int open_lock(int directory, int *descriptor)
{
    *descriptor = openat(directory, WS_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    return *descriptor < 0 ? errno : 0;
}

static int take_lock(int descriptor, bool wait)
{
    while (flock(descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* Is the file that we have locked still the one that the next process would lock? */
static bool is_current(int directory, const ws_stat *locked)
{
    ws_stat named;
    return ws_file_stat_at(directory, WS_LOCK_NAME, false, &named) == 0 && named.inode == locked->inode &&
           named.device == locked->device;
}

/* One attempt. *current: false when the file that was locked is no longer the lock. */
static ws_code lock_once(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, bool *current,
                         ws_error *error)
{
    ws_stat stat;

    *current = true;
    int error_number = open_lock(directory, descriptor);
    if (error_number == ENOENT) return ws_error_set(error, WS_MISSING, error_number, "open", path);
    if (error_number == ELOOP) return ws_error_set(error, WS_NOT_REGULAR, error_number, "open", path);
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "open", path);
    error_number = ws_file_stat_descriptor(*descriptor, &stat);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "fstat", path);
    if (stat.type != WS_TYPE_REGULAR) return ws_error_set(error, WS_NOT_REGULAR, 0, "open", path);
    if (stat.owner != trust->user) return ws_error_set(error, WS_FOREIGN_OWNER, 0, "open", path);
    error_number = take_lock(*descriptor, wait);
    if (error_number != 0) return ws_error_set(error, WS_LOCK, error_number, "lock", path);
    *current = is_current(directory, &stat);
    return *current ? WS_OK : ws_error_set(error, WS_LOCK, EAGAIN, "lock", path);
}

ws_code ws_store_lock(int directory, const char *directory_path, const ws_trust *trust, bool wait, int *descriptor, ws_error *error)
{
    char path[sizeof error->path];
    bool current = false;
    ws_code code = WS_LOCK;

    snprintf(path, sizeof path, "%s/%s", directory_path, WS_LOCK_NAME);
    for (int tries = 0; !current && tries < LOCK_TRIES; tries++) {
        code = lock_once(directory, path, trust, wait, descriptor, &current, error);
        if (code != WS_OK && *descriptor >= 0) {
            close(*descriptor);
            *descriptor = -1;
        }
    }
    return code;
}
