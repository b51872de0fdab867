/* An opened segment: validated once, then read in place. Everything in the tables is covered by the checksums that
 * ws_segment_open verifies; bounds are checked all the same, at open for tables and before use for entries, because an
 * image's checksum can be right and its writer wrong. Who calls: image.c, feature_index.c, the inspector's binding. */
#ifndef WARMSTART_CORE_SEGMENT_H
#define WARMSTART_CORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/image_format.h"
#include "core/system/mapping.h"

typedef struct ws_segment {
    ws_mapping mapping; /* the whole file; only payloads are read from it after the open */
    uint8_t *tables;    /* header and all sections but PAYLOADS, copied: a file that is truncated later cannot take
                           them away */
    size_t tables_size;
    const ws_segment_header *header;
    const char *strings;
    size_t strings_size;
    const ws_entry *entries;
    uint32_t entry_count;
    const uint32_t *entry_table;
    uint32_t entry_table_mask;
    const uint8_t *payloads;
    size_t payloads_size;
} ws_segment;

typedef struct ws_section_view {
    const void *bytes;
    size_t size;
} ws_section_view;

/* Takes over `mapping` (closes it on failure). name: for messages. expected_key: 0 accepts any key (inspector). */
ws_code
ws_segment_open(ws_segment *segment, ws_mapping mapping, uint64_t expected_key, const char *name, ws_error *error);
void ws_segment_close(ws_segment *segment);

ws_section_view ws_segment_section(const ws_segment *segment, ws_section section);
/* A string of STRINGS, or NULL when out of bounds or not NUL-terminated. */
const char *ws_segment_string(const ws_segment *segment, uint32_t offset, uint32_t size);
/* The entry with this path, or NULL. */
const ws_entry *ws_segment_find(const ws_segment *segment, const char *path, size_t path_size, uint64_t path_hash);
/* The payload's address inside this segment, or NULL when out of bounds. Its checksum is the caller's to verify. */
const uint8_t *ws_segment_payload(const ws_segment *segment, const ws_entry *entry);

#endif
