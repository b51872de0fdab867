/* Makes, opens and locks the image's folder. */
#include "core/image/store_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/segment_writer.h"

/* How often we try again when `clear` has removed the lock file between our opening and our locking it. */
enum { LOCK_TRIES = 16 };

/* Removes the last component. The parent of a bare name is ".". */
static void
cut_to_parent(char *path)
{
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/') size--;
    while (size > 1 && path[size - 1] == '/' && !(size == 3 && path[1] == ':'))
        size--; /* "C:/" is a drive's root; "/x/C:/" is a folder */
    if (size > 0) path[size] = '\0';
    else strcpy(path, ".");
}

/* May we make something in this folder? We may in our own folders, and in root's, where the mode decides who can write
 * (/tmp). We may not in another user's: what root made in another user's home (sudo keeps HOME) would be in that user's
 * way. */
static bool
may_create_in(const ws_stat *folder, const ws_trust *trust)
{
    return (folder->owner == trust->user || folder->owner == 0) && ws_file_owner_is_known(folder->owner);
}

/* tmp and tmp/cache are the application's own, and its other users may have to write there. Whether they may is for the
 * umask to say, as if the application had made them. */
static bool
is_of_application(const char *path)
{
    static const char *const names[] = { "/tmp", "/tmp/cache" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(path) > strlen(names[i]) && strcmp(path + strlen(path) - strlen(names[i]), names[i]) == 0)
            return true;
    return false;
}

static ws_code make_missing(const char *path, const ws_trust *trust, bool public_read, size_t existed, ws_error *error);

/* Opens the folder in which something is to be made, and makes that folder first if it is missing. *descriptor: -1
 * after a failure. */
static ws_code
open_parent(const char *path, const ws_trust *trust, bool public_read, size_t existed, int *descriptor, ws_error *error)
{
    ws_stat stat;

    int error_number = ws_file_open(path, WS_OPEN_PARENT, descriptor);
    if (error_number == ENOENT && strcmp(path, ".") != 0) {
        ws_code code = make_missing(path, trust, public_read, existed, error);
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

/* Makes the last component, and before it the parents that are missing. Components that exist are not touched and need
 * not be writable. existed: the bytes of the path that have been there before and are not made again. */
static ws_code
make_missing(const char *path, const ws_trust *trust, bool public_read, size_t existed, ws_error *error)
{
    int descriptor = -1;

    if (strlen(path) <= existed) return ws_error_set(error, WS_CHANGED, ENOENT, "mkdir", path);
    char *parent = malloc(strlen(path) + sizeof ".");
    if (parent == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "mkdir", path);
    strcpy(parent, path);
    cut_to_parent(parent);
    if (strcmp(parent, path) == 0) { /* a root that does not exist, such as a drive without a disk */
        free(parent);
        return ws_error_set(error, WS_SYSTEM, ENOENT, "mkdir", path);
    }
    ws_code code = open_parent(parent, trust, public_read, existed, &descriptor, error);
    free(parent);
    if (code != WS_OK) return code;
    int error_number = is_of_application(path) && !public_read ? ws_file_make_plain_directory(descriptor, path)
                                                               : ws_file_make_directory(descriptor, path, public_read);
    ws_file_close(descriptor);
    if (error_number == 0 || error_number == EEXIST) return WS_OK;
    return ws_error_set(error, ws_write_failure(error_number), error_number, "mkdir", path);
}

/* Windows has no root folder that could be changed. */
static bool
stat_root(const char *path, ws_stat *stat)
{
    bool drive = path[0] != '/' || path[1] == '/';
    memset(stat, 0, sizeof *stat);
    return drive || ws_file_stat("/", stat) == 0;
}

/* Without the slashes at its end; NULL: memory is short. */
static char *
trimmed(const char *path)
{
    size_t size = strlen(path);
    char *result = strdup(path);
    while (result != NULL && size > 1 && result[size - 1] == '/') result[--size] = '\0';
    return result;
}

ws_anchor
ws_anchor_take(const char *path)
{
    ws_anchor anchor = { 0, 0, 0, 0, 0 };
    ws_stat stat, root;
    char *existing = trimmed(path);

    if (existing != NULL && stat_root(path, &root)) {
        size_t size = strlen(existing);
        while (size > 1 && ws_file_stat(existing, &stat) != 0) {
            cut_to_parent(existing);
            if (strlen(existing) >= size) break;
            size = strlen(existing);
        }
        if (ws_file_stat(existing, &stat) == 0)
            anchor = (ws_anchor){ size, stat.device, stat.inode, root.device, root.inode };
    }
    free(existing);
    return anchor;
}

static bool
leads_there(const char *path, const ws_anchor *anchor)
{
    ws_stat stat, root;
    char *existing = strdup(path);
    bool same = false;

    if (existing != NULL && anchor->size <= strlen(existing)) {
        existing[anchor->size] = '\0';
        same = stat_root(path, &root) && ws_file_stat(existing, &stat) == 0 &&
               ws_stat_is_at(&root, anchor->root_device, anchor->root_inode) &&
               ws_stat_is_at(&stat, anchor->device, anchor->inode);
    }
    free(existing);
    return same;
}

ws_code
ws_store_directory_make(const char *path, const ws_trust *trust, bool public_read, const ws_anchor *anchor,
                        ws_error *error)
{
    ws_stat stat;
    size_t existed = anchor == NULL ? 0 : anchor->size;

    if (existed > 0 && !leads_there(path, anchor)) return ws_error_set(error, WS_CHANGED, 0, "open", path);
    if (ws_file_stat_path(path, false, &stat) == 0) return WS_OK;
    char *folder = trimmed(path);
    if (folder == NULL) return ws_error_set(error, WS_MEMORY, ENOMEM, "mkdir", path);
    ws_code code = make_missing(folder, trust, public_read, existed, error);
    free(folder);
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
    /* Such a folder may be good enough to read from. But with sudo, what we write would be our file in another user's
     * folder. */
    if (stat.owner != trust->user) code = WS_FOREIGN_OWNER;
    /* Other users must be able to read this image, but an earlier boot may have made the folder private. */
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

/* Tries once. *current: false when the locked file is no longer the folder's lock. */
static ws_code
lock_once(int directory, const char *path, const ws_trust *trust, bool wait, int *descriptor, bool *current,
          ws_error *error)
{
    ws_stat stat;

    *current = true;
    /* A symlink or a FIFO of that name is not ours. */
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
