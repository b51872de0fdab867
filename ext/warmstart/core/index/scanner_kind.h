/* What a name in a folder means for a scan. Who calls: scanner.c alone. */
#ifndef WARMSTART_CORE_SCANNER_KIND_H
#define WARMSTART_CORE_SCANNER_KIND_H

#include "core/file_system/file_system.h"

/* A link can have two kinds: "x.rb" may lead to a folder now and to a file later. */
typedef enum ws_entry_kind {
    WS_ENTRY_NONE = 0, /* not kept */
    WS_ENTRY_RB = 1,
    WS_ENTRY_LIBRARY = 2,
    WS_ENTRY_DIRECTORY = 4,
    WS_ENTRY_UNKNOWN = 8 /* a link that leads to no folder now, but may do so later */
} ws_entry_kind;

/* Returns all WS_ENTRY_* that apply. Makes metadata calls for links, and for names whose type the listing does not
 * give. */
uint32_t ws_scan_kind_of(ws_folder folder, const char *name, size_t name_size, ws_listed_type type, const char *dlext);

#endif
