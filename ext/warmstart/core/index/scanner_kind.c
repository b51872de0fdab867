/* Decides which names of a listing a scan keeps: those that Ruby might open. For "x.rb" that is everything except
 * folders, sockets and block devices (ruby_is_fd_loadable accepts FIFOs and character devices too). A link is kept
 * wherever it leads, because its target can appear, vanish or become something else without any change of this
 * folder. */
#include "core/index/scanner_kind.h"

#include <string.h>

/* On Windows Ruby finds "X.RB" for "x". */
#ifdef _WIN32
#define WS_IS_SAME_NAME(bytes, text, size) (_strnicmp(bytes, text, size) == 0)
#else
#define WS_IS_SAME_NAME(bytes, text, size) (memcmp(bytes, text, size) == 0)
#endif

static bool
ws_name_ends_in(const char *name, size_t name_size, const char *extension)
{
    size_t size = strlen(extension);

    return name_size > size + 1 && name[name_size - size - 1] == '.' &&
           WS_IS_SAME_NAME(name + name_size - size, extension, size);
}

static uint32_t
ws_entry_kind_of_file(const char *name, size_t name_size, const char *dlext)
{
    if (ws_name_ends_in(name, name_size, "rb")) return WS_ENTRY_RB;
    return ws_name_ends_in(name, name_size, dlext) ? WS_ENTRY_LIBRARY : WS_ENTRY_NONE;
}

/* The present type of a name. If it cannot be read, the type is a link's, of which least is believed. */
static ws_listed_type
ws_entry_type(ws_folder folder, const char *name, bool follow)
{
    ws_stat stat;

    ws_stat_count(1);
    if (ws_folder_stat_name(folder, name, follow, WS_FIELD_TYPE, &stat) != 0) return WS_LISTED_LINK;
    return ws_listed_type_of_mode(stat.mode);
}

uint32_t
ws_scan_kind_of(ws_folder folder, const char *name, size_t name_size, ws_listed_type type, const char *dlext)
{
    if (name[0] == '.') return WS_ENTRY_NONE;
    uint32_t file_kind = ws_entry_kind_of_file(name, name_size, dlext);
    if (type == WS_LISTED_UNKNOWN) type = ws_entry_type(folder, name, false);
    switch (type) {
        case WS_LISTED_DIRECTORY: return WS_ENTRY_DIRECTORY;
        case WS_LISTED_FILE:
        case WS_LISTED_FIFO:
        case WS_LISTED_CHARACTER: return file_kind;
        case WS_LISTED_LINK:
            return file_kind |
                   (ws_entry_type(folder, name, true) == WS_LISTED_DIRECTORY ? WS_ENTRY_DIRECTORY : WS_ENTRY_UNKNOWN);
        default: return WS_ENTRY_NONE;
    }
}
