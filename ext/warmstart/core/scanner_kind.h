/* What a name in a folder is to a scan. Who calls: scanner.c alone. */
#ifndef WARMSTART_CORE_SCANNER_KIND_H
#define WARMSTART_CORE_SCANNER_KIND_H

#include "file_system.h"

typedef enum ws_entry_kind {
    WS_ENTRY_NONE,         /* of no interest */
    WS_ENTRY_RB,
    WS_ENTRY_LIBRARY,
    WS_ENTRY_DIRECTORY,
    WS_ENTRY_UNKNOWN       /* a link that leads nowhere now and to a folder perhaps tomorrow */
} ws_entry_kind;

/* May make a metadata call: follows links, and names whose type the listing did not tell. */
ws_entry_kind ws_scan_kind_of(ws_folder folder, const char *name, size_t name_size, ws_listed_type type, const char *dlext);

#endif
