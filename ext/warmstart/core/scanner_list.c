/* Lists one folder: getdents64 on Linux, readdir elsewhere, and for each name its type without a system call wherever the
 * listing tells it.
 *
 * Who calls: scanner.c. A name is kept when Ruby might open it: for "x.rb" that is anything but a folder, a socket or a
 * block device (ruby_is_fd_loadable takes FIFOs and character devices too). A link that leads nowhere is kept as well,
 * because its target can appear without any change of this folder. */
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
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "file.h"

#if defined(__linux__) && !defined(WS_SCANNER_READDIR)
#include <sys/syscall.h>
#define WS_SCANNER_GETDENTS 1
#endif

/* What a listing says of a name. */
typedef enum ws_listed_type { WS_LISTED_UNKNOWN, WS_LISTED_FILE, WS_LISTED_DIRECTORY, WS_LISTED_SYMLINK, WS_LISTED_OTHER } ws_listed_type;

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

/* Before each name: its kind, whether it is a link, its size. Copied, not cast: nothing here is aligned. */
typedef struct ws_entry_header {
    uint32_t name_size;
    uint8_t kind, is_symlink;
} ws_entry_header;

static int ws_scan_entries_reserve(ws_scan_entries *entries, size_t size)
{
    if (size <= entries->capacity - entries->size) return 0;
    size_t capacity = 2 * entries->capacity + size + 4096;
    uint8_t *bytes = realloc(entries->bytes, capacity);

    if (!bytes) return ENOMEM;
    entries->bytes = bytes;
    entries->capacity = capacity;
    return 0;
}

static int ws_scan_entries_add(ws_scan_entries *entries, ws_entry_kind kind, bool is_symlink, const char *name, size_t name_size)
{
    ws_entry_header header = { (uint32_t)name_size, (uint8_t)kind, is_symlink };
    int error_number = ws_scan_entries_reserve(entries, sizeof(header) + name_size + 1);

    if (error_number != 0) return error_number;
    memcpy(entries->bytes + entries->size, &header, sizeof(header));
    memcpy(entries->bytes + entries->size + sizeof(header), name, name_size + 1);
    entries->size += sizeof(header) + name_size + 1;
    return 0;
}

size_t ws_scan_entries_get(const ws_scan_entries *entries, size_t offset, ws_scan_entry *entry)
{
    ws_entry_header header;

    memcpy(&header, entries->bytes + offset, sizeof(header));
    entry->kind = (ws_entry_kind)header.kind;
    entry->is_symlink = header.is_symlink;
    entry->name_size = header.name_size;
    entry->name = (const char *)entries->bytes + offset + sizeof(header);
    return offset + sizeof(header) + header.name_size + 1;
}

void ws_scan_entries_free(ws_scan_entries *entries)
{
    free(entries->bytes);
    free(entries->block);
    *entries = (ws_scan_entries){ .bytes = NULL };
}

static bool ws_name_ends_in(const char *name, size_t name_size, const char *extension)
{
    size_t size = strlen(extension);

    return name_size > size + 1 && name[name_size - size - 1] == '.' && memcmp(name + name_size - size, extension, size) == 0;
}

static ws_entry_kind ws_entry_kind_of_file(const char *name, size_t name_size, const char *dlext)
{
    if (ws_name_ends_in(name, name_size, "rb")) return WS_ENTRY_RB;
    return ws_name_ends_in(name, name_size, dlext) ? WS_ENTRY_LIBRARY : WS_ENTRY_NONE;
}

/* Where the listing does not tell: follow the name. */
static ws_entry_kind ws_entry_kind_followed(int directory, const char *name, ws_entry_kind file_kind)
{
    ws_stat stat;

    if (ws_file_stat_at(directory, name, true, &stat) != 0) return file_kind != WS_ENTRY_NONE ? file_kind : WS_ENTRY_UNKNOWN;
    if (stat.type == WS_TYPE_DIRECTORY) return WS_ENTRY_DIRECTORY;
    return stat.type == WS_TYPE_REGULAR || S_ISFIFO(stat.mode) || S_ISCHR(stat.mode) ? file_kind : WS_ENTRY_NONE;
}

static int ws_scan_add(ws_scan_entries *entries, int directory, const char *name, ws_listed_type type, const char *dlext)
{
    if (name[0] == '.') return 0;
    size_t name_size = strlen(name);
    ws_entry_kind kind = ws_entry_kind_of_file(name, name_size, dlext);
    bool is_symlink = type == WS_LISTED_SYMLINK || type == WS_LISTED_UNKNOWN;

    if (type == WS_LISTED_DIRECTORY) kind = WS_ENTRY_DIRECTORY;
    else if (type == WS_LISTED_OTHER) kind = WS_ENTRY_NONE;
    else if (is_symlink) kind = ws_entry_kind_followed(directory, name, kind);
    return kind == WS_ENTRY_NONE ? 0 : ws_scan_entries_add(entries, kind, is_symlink, name, name_size);
}

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
