/* One folder's listing, reduced to what a scan cares for. Who calls: scanner.c; scanner_list_posix.c and scanner_list_windows.c
 * fill it. */
#ifndef WARMSTART_CORE_SCANNER_LIST_H
#define WARMSTART_CORE_SCANNER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ws_entry_kind {
    WS_ENTRY_NONE,         /* of no interest */
    WS_ENTRY_RB,
    WS_ENTRY_LIBRARY,
    WS_ENTRY_DIRECTORY,
    WS_ENTRY_UNKNOWN       /* a link that leads nowhere now and to a folder perhaps tomorrow */
} ws_entry_kind;

typedef struct ws_scan_entry {
    ws_entry_kind kind;
    bool is_symlink;
    size_t name_size;
    const char *name;      /* terminated; valid until an entry is added */
} ws_scan_entry;

/* Entries one behind the other. All zero is an empty one. */
typedef struct ws_scan_entries {
    uint8_t *bytes;
    size_t size, capacity;
    uint8_t *block;        /* what the kernel's listing is read into */
} ws_scan_entries;

/* What a listing says of a name. */
typedef enum ws_listed_type { WS_LISTED_UNKNOWN, WS_LISTED_FILE, WS_LISTED_DIRECTORY, WS_LISTED_SYMLINK, WS_LISTED_OTHER } ws_listed_type;

/* Adds a name where a scan cares for it. 0 or errno. */
int ws_scan_add(ws_scan_entries *entries, int directory, const char *name, ws_listed_type type, const char *dlext);

/* Adds what the folder holds, from the descriptor's position (the beginning) on. 0 or errno. */
int ws_scan_list(ws_scan_entries *entries, int descriptor, const char *dlext);

/* The entry at an offset; returns the next one's offset. */
size_t ws_scan_entries_get(const ws_scan_entries *entries, size_t offset, ws_scan_entry *entry);
void ws_scan_entries_free(ws_scan_entries *entries);

#endif
