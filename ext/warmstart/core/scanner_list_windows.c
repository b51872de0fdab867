/* Lists one folder on Windows, where the listing tells every type. Who calls: scanner.c. */
#ifdef _WIN32
#include "scanner_list.h"

#include <errno.h>

#include "windows_support.h"

typedef struct adding { ws_scan_entries *entries; int descriptor; const char *dlext; } adding;

static int add(void *data, const ws_windows_entry *entry)
{
    const adding *state = data;
    static const ws_listed_type types[] = {
        [WS_TYPE_REGULAR] = WS_LISTED_FILE, [WS_TYPE_DIRECTORY] = WS_LISTED_DIRECTORY, [WS_TYPE_SYMLINK] = WS_LISTED_SYMLINK, [WS_TYPE_OTHER] = WS_LISTED_OTHER,
    };

    return ws_scan_add(state->entries, state->descriptor, entry->name, types[ws_windows_type(entry->attributes, entry->reparse_tag)], state->dlext);
}

int ws_scan_list(ws_scan_entries *entries, int descriptor, const char *dlext)
{
    HANDLE handle = ws_windows_handle(descriptor);
    adding state = { entries, descriptor, dlext };

    return handle == INVALID_HANDLE_VALUE ? EBADF : ws_windows_list(handle, add, &state);
}
#endif
