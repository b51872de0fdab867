/* Lists a folder on POSIX systems that have nothing better than readdir. The tests use it on Linux, too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "core/file_system/file_system.h"

#if (!defined(__linux__) && !defined(__APPLE__) && !defined(_WIN32)) || defined(WS_FILE_SYSTEM_READDIR)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static ws_listed_type
type_of(const struct dirent *record)
{
#ifdef DT_DIR
    switch (record->d_type) {
        case DT_REG: return WS_LISTED_FILE;
        case DT_DIR: return WS_LISTED_DIRECTORY;
        case DT_LNK: return WS_LISTED_LINK;
        case DT_FIFO: return WS_LISTED_FIFO;
        case DT_SOCK: return WS_LISTED_SOCKET;
        case DT_CHR: return WS_LISTED_CHARACTER;
        case DT_BLK: return WS_LISTED_BLOCK;
        default: return WS_LISTED_UNKNOWN;
    }
#else
    (void)record;
    return WS_LISTED_UNKNOWN;
#endif
}

static int
add_all(DIR *directory, ws_listing *listing)
{
    while (!ws_is_set(listing->cancelled)) {
        errno = 0;
        const struct dirent *record = readdir(directory);
        if (!record) return errno;
        if (strcmp(record->d_name, ".") == 0 || strcmp(record->d_name, "..") == 0) continue;
        if (!ws_listing_add(listing, record->d_name, strlen(record->d_name), type_of(record))) return ENOMEM;
    }
    return EINTR;
}

/* Works on a copy of the descriptor, because closedir closes the one that it was given and the caller still needs its
 * own. */
int
ws_folder_list(ws_folder folder, ws_listing *listing)
{
    int own = fcntl((int)folder, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return errno;
    DIR *directory = fdopendir(own);
    if (!directory) {
        int error_number = errno;
        close(own);
        return error_number;
    }
    int error_number = add_all(directory, listing);
    closedir(directory);
    return error_number;
}
#endif
