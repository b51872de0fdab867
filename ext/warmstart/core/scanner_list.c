/* What is kept of a folder's listing, and which names are: each one's type without a system call wherever the listing tells
 * it.
 *
 * Who calls: scanner.c, and scanner_list_posix.c or scanner_list_windows.c, which do the listing. A name is kept when Ruby might open it: for "x.rb" that is anything but a folder, a socket or a
 * block device (ruby_is_fd_loadable takes FIFOs and character devices too). A link that leads nowhere is kept as well,
 * because its target can appear without any change of this folder. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "scanner_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "file.h"

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

/* (On Windows "X.RB" is what Ruby finds for "x".) */
#ifdef _WIN32
#define WS_SAME_BYTES(bytes, text, size) (_strnicmp(bytes, text, size) == 0)
#else
#define WS_SAME_BYTES(bytes, text, size) (memcmp(bytes, text, size) == 0)
#endif

static bool ws_name_ends_in(const char *name, size_t name_size, const char *extension)
{
    size_t size = strlen(extension);

    return name_size > size + 1 && name[name_size - size - 1] == '.' && WS_SAME_BYTES(name + name_size - size, extension, size);
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

int ws_scan_add(ws_scan_entries *entries, int directory, const char *name, ws_listed_type type, const char *dlext)
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
