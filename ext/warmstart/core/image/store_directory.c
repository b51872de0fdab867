/* Making, opening and locking the image's folder. Who calls: store.c. */
#include "core/image/store_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/segment_writer.h"

/* How often a lock file may turn out to have been removed (`clear`) between our opening and our locking it. */
enum { LOCK_TRIES = 16 };

/* Cuts the last component off; the folder of a bare name is ".". */
static void
cut_to_parent(char *path)
{
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/') size--;
    while (size > 1 && path[size - 1] == '/' && !(size == 3 && path[1] == ':'))
        size--; /* ("C:/" is a drive's root; "/x/C:/" is a folder) */
    if (size > 0) path[size] = '\0';
    else strcpy(path, ".");
}

/* May we make something in this folder? In our own, and in root's, who lets others write where they may (/tmp). What
 * root made in another user's home (sudo keeps HOME) would be in that user's way. */
static bool
may_create_in(const ws_stat *folder, const ws_trust *trust)
{
    return (folder->owner == trust->user || folder->owner == 0) && ws_file_owner_is_known(folder->owner);
}

static ws_code make_missing(const char *path, const ws_trust *trust, bool public_read, ws_error *error);

/* The folder in which `path` is to be made, made itself where it is missing. *descriptor: -1 after a failure. */
static ws_code
open_parent(const char *path, const ws_trust *trust, bool public_read, int *descriptor, ws_error *error)
{
    ws_stat stat;

    int error_number = ws_file_open(path, WS_OPEN_PARENT, descriptor);
    if (error_number == ENOENT && strcmp(path, ".") != 0) {
        ws_code code = make_missing(path, trust, public_read, error);
        if (code != WS_OK) return code;
        error_number = ws_file_open(path, WS_OPEN_PARENT, descriptor);
    }
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "open", path);
    ws_code code = WS_OK;
    error_number = ws_file_stat_trust(*descriptor, &stat);
    if (error_number != 0) code = ws_error_set(error, WS_SYSTEM, error_number, "fstat", path);
    else if (!may_create_in(&stat, trust)) code = ws_error_set(error, WS_FOREIGN_OWNER, 0, "mkdir", path);
    if (code == WS_OK) return code;
    ws_file_close(*descriptor);
    *descriptor = -1;
    return code;
}

/* From the end, so that components which exist are neither touched nor need to be writable. */
static ws_code
make_missing(const char *path, const ws_trust *trust, bool public_read, ws_error *error)
{
    int descriptor = -1;

    char *parent = malloc(strlen(path) + sizeof ".");
    if (parent == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "mkdir", path);
    strcpy(parent, path);
    cut_to_parent(parent);
    if (strcmp(parent, path) == 0) { /* (a root that is not there: a drive without a disk) */
        free(parent);
        return ws_error_set(error, WS_SYSTEM, ENOENT, "mkdir", path);
    }
    ws_code code = open_parent(parent, trust, public_read, &descriptor, error);
    free(parent);
    if (code != WS_OK) return code;
    int error_number = ws_file_make_directory(descriptor, path, public_read);
    ws_file_close(descriptor);
    if (error_number == 0 || error_number == EEXIST) return WS_OK;
    return ws_error_set(error, ws_write_failure(error_number), error_number, "mkdir", path);
}

ws_code
ws_store_directory_make(const char *path, const ws_trust *trust, bool public_read, ws_error *error)
{
    size_t size = strlen(path);
    ws_stat stat;

    if (ws_file_stat_link(path, &stat) == 0) return WS_OK;
    char *trimmed = strdup(path);
    if (trimmed == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "mkdir", path);
    while (size > 1 && trimmed[size - 1] == '/') trimmed[--size] = '\0';
    ws_code code = make_missing(trimmed, trust, public_read, error);
    free(trimmed);
    return code;
}

int
ws_store_directory_open(const char *path, const ws_trust *trust, bool public_read, ws_error *error)
{
    ws_stat stat;
    int descriptor = ws_trust_open_directory(path, trust, &stat, error);
    if (descriptor < 0) return -1;

    ws_code code = WS_OK;
    int error_number = 0;
    /* Good enough to read from, perhaps, but what we wrote there would be ours in somebody else's folder (sudo). */
    if (stat.owner != trust->user) code = WS_FOREIGN_OWNER;
    /* An image that other users shall read must not lie behind a closed door that an earlier boot made. */
    else if (public_read && (error_number = ws_file_open_up(descriptor, &stat)) != 0) code = WS_SYSTEM;
    if (code == WS_OK) return descriptor;
    ws_file_close(descriptor);
    ws_error_set(error, code, error_number, "open", path);
    return -1;
}

/* Is the file that we have locked still the one that the next process would lock? */
static bool
is_current(int directory, const ws_stat *locked)
{
    ws_stat named;
    return ws_file_stat_at(directory, WS_LOCK_NAME, false, &named) == 0 && named.inode == locked->inode &&
           named.device == locked->device;
}

/* One attempt. *current: false when the file that was locked is no longer the lock. */
static ws_code
lock_once(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, bool *current,
          ws_error *error)
{
    ws_stat stat;

    *current = true;
    /* (A symlink or a FIFO of that name is nothing of ours.) */
    int error_number = ws_file_open_at(directory, WS_LOCK_NAME, WS_OPEN_LOCK, descriptor);
    if (error_number == ENOENT) return ws_error_set(error, WS_MISSING, error_number, "open", path);
    if (error_number == ELOOP) return ws_error_set(error, WS_NOT_REGULAR, error_number, "open", path);
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "open", path);
    error_number = ws_file_stat_trust(*descriptor, &stat);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "fstat", path);
    if (stat.type != WS_TYPE_REGULAR) return ws_error_set(error, WS_NOT_REGULAR, 0, "open", path);
    if (stat.owner != trust->user) return ws_error_set(error, WS_FOREIGN_OWNER, 0, "open", path);
    error_number = ws_file_open_to_owner(*descriptor, &stat);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "chmod", path);
    error_number = ws_file_lock(*descriptor, wait);
    if (error_number != 0) return ws_error_set(error, WS_LOCK, error_number, "lock", path);
    *current = is_current(directory, &stat);
    return *current ? WS_OK : ws_error_set(error, WS_LOCK, EAGAIN, "lock", path);
}

ws_code
ws_store_lock(int directory, const char *directory_path, const ws_trust *trust, bool wait, int *descriptor,
              ws_error *error)
{
    char path[sizeof error->path];
    bool current = false;
    ws_code code = WS_LOCK;

    snprintf(path, sizeof path, "%s/%s", directory_path, WS_LOCK_NAME);
    for (int tries = 0; !current && tries < LOCK_TRIES; tries++) {
        code = lock_once(directory, path, trust, wait, descriptor, &current, error);
        if (code != WS_OK && *descriptor >= 0) {
            ws_file_close(*descriptor);
            *descriptor = -1;
        }
    }
    return code;
}
