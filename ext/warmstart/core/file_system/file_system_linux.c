/* Lists a folder on Linux: reads getdents64 into a buffer of our own. The names come with their types, except on a few
 * file systems, which return DT_UNKNOWN. Everything else takes a statx for each name, which the caller makes if it
 * needs to. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "core/file_system/file_system.h"

#if defined(__linux__) && !defined(WS_FILE_SYSTEM_READDIR)
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same size as glibc's buffer. A folder of 500 names takes two calls, including the one that finds the end. */
#define WS_LISTING_BLOCK_SIZE 32768

/* The kernel's record. glibc got its own name for it only late. */
typedef struct ws_dirent64 {
    uint64_t inode;
    int64_t offset;
    unsigned short record_size;
    unsigned char type;
    char name[];
} ws_dirent64;

static ws_listed_type
type_of(unsigned char type)
{
    static const uint8_t types[] = {
        [DT_REG] = WS_LISTED_FILE,  [DT_DIR] = WS_LISTED_DIRECTORY, [DT_LNK] = WS_LISTED_LINK,
        [DT_FIFO] = WS_LISTED_FIFO, [DT_SOCK] = WS_LISTED_SOCKET,   [DT_CHR] = WS_LISTED_CHARACTER,
        [DT_BLK] = WS_LISTED_BLOCK
    };
    return type < sizeof types ? (ws_listed_type)types[type] : WS_LISTED_UNKNOWN;
}

static bool
is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static const ws_dirent64 *
record_at(const ws_listing *listing, size_t offset)
{
    return (const ws_dirent64 *)(const void *)((const char *)listing->block + offset);
}

static int
add_block(ws_listing *listing, size_t size)
{
    uint32_t count = 0;

    /* A record consists of 19 bytes, the name, its NUL, and up to 7 more bytes. */
    for (size_t offset = 0; offset < size; offset += record_at(listing, offset)->record_size) count++;
    if (!ws_listing_reserve(listing, count, size - count * offsetof(ws_dirent64, name))) return ENOMEM;
    for (size_t offset = 0; offset < size;) {
        const ws_dirent64 *record = record_at(listing, offset);
        offset += record->record_size;
        if (!is_dots(record->name) &&
            !ws_listing_add(listing, record->name, strlen(record->name), type_of(record->type)))
            return ENOMEM;
    }
    return 0;
}

int
ws_folder_list(ws_folder folder, ws_listing *listing)
{
    if (!listing->block && !(listing->block = malloc(WS_LISTING_BLOCK_SIZE))) return ENOMEM;
    while (!ws_is_set(listing->cancelled)) {
        long size = syscall(SYS_getdents64, (int)folder, listing->block, (size_t)WS_LISTING_BLOCK_SIZE);

        if (size < 0) return errno;
        if (size == 0) return 0;
        int error_number = add_block(listing, (size_t)size);
        if (error_number != 0 || (listing->limit > 0 && listing->count >= listing->limit)) return error_number;
    }
    return EINTR;
}
#endif
