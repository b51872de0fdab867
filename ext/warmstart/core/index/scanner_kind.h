/* What a name in a folder is to a scan. Who calls: scanner.c alone. */
#ifndef WARMSTART_CORE_SCANNER_KIND_H
#define WARMSTART_CORE_SCANNER_KIND_H

#include "core/file_system/file_system.h"

/* A link may be of two kinds: "x.rb" that leads to a folder now, and to a file perhaps tomorrow. */
typedef enum ws_entry_kind {
    WS_ENTRY_NONE = 0, /* of no interest */
    WS_ENTRY_RB = 1,
    WS_ENTRY_LIBRARY = 2,
    WS_ENTRY_DIRECTORY = 4,
    WS_ENTRY_UNKNOWN = 8 /* a link that leads to no folder now, and to one perhaps tomorrow */
} ws_entry_kind;

/* WS_ENTRY_*, together. May make metadata calls: for links, and names whose type the listing did not tell. */
uint32_t ws_scan_kind_of(ws_folder folder, const char *name, size_t name_size, ws_listed_type type, const char *dlext);

#endif
