/* Lists one folder: getdents64 on Linux, readdir on other POSIX systems. Who calls: scanner.c. */
#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "scanner_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__) && !defined(WS_SCANNER_READDIR)
#include <sys/syscall.h>
#define WS_SCANNER_GETDENTS 1
#endif

#ifdef DT_DIR
static ws_listed_type ws_listed_type_of(unsigned char type)
{
    switch (type) {
      case DT_REG: case DT_FIFO: case DT_CHR: return WS_LISTED_FILE;
      case DT_DIR: return WS_LISTED_DIRECTORY;
      case DT_LNK: return WS_LISTED_SYMLINK;
      case DT_UNKNOWN: return WS_LISTED_UNKNOWN;
      default: return WS_LISTED_OTHER;
    }
}
#endif

#ifdef WS_SCANNER_GETDENTS

#define WS_LISTING_BLOCK_SIZE 32768

/* The kernel's record; glibc's own name for it came late. */
typedef struct ws_dirent64 {
    uint64_t inode;
    int64_t offset;
    unsigned short record_size;
    unsigned char type;
    char name[];
} ws_dirent64;

static int ws_scan_add_block(ws_scan_entries *entries, int descriptor, size_t size, const char *dlext)
{
    for (size_t offset = 0; offset < size;) {
        const ws_dirent64 *record = (const ws_dirent64 *)(const void *)(entries->block + offset);
        int error_number = ws_scan_add(entries, descriptor, record->name, ws_listed_type_of(record->type), dlext);

        if (error_number != 0) return error_number;
        offset += record->record_size;
    }
    return 0;
}

int ws_scan_list(ws_scan_entries *entries, int descriptor, const char *dlext)
{
    if (!entries->block && !(entries->block = malloc(WS_LISTING_BLOCK_SIZE))) return ENOMEM;
    for (;;) {
        long size = syscall(SYS_getdents64, descriptor, entries->block, (size_t)WS_LISTING_BLOCK_SIZE);

        if (size < 0) return errno;
        if (size == 0) return 0;
        int error_number = ws_scan_add_block(entries, descriptor, (size_t)size, dlext);
        if (error_number != 0) return error_number;
    }
}

#else

static int ws_scan_add_all(ws_scan_entries *entries, DIR *directory, int descriptor, const char *dlext)
{
    for (;;) {
        errno = 0;
        const struct dirent *record = readdir(directory);
        if (!record) return errno;
#ifdef DT_DIR
        ws_listed_type type = ws_listed_type_of(record->d_type);
#else
        ws_listed_type type = WS_LISTED_UNKNOWN;
#endif
        int error_number = ws_scan_add(entries, descriptor, record->d_name, type, dlext);
        if (error_number != 0) return error_number;
    }
}

/* closedir closes the descriptor that it was given, and the scanner goes on to need its own. */
int ws_scan_list(ws_scan_entries *entries, int descriptor, const char *dlext)
{
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return errno;
    DIR *directory = fdopendir(own);
    if (!directory) {
        int error_number = errno;
        close(own);
        return error_number;
    }
    int error_number = ws_scan_add_all(entries, directory, descriptor, dlext);
    closedir(directory);
    return error_number;
}

#endif
#endif
