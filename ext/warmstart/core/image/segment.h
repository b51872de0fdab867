/* An opened segment. It is validated once and then read in place. ws_segment_open verifies checksums over everything in
 * the tables. Bounds are checked nevertheless, at open for tables and before use for entries, because a writer with a
 * bug also writes valid checksums. Who calls: image.c, feature_index.c, the inspector's binding. */
#ifndef WARMSTART_CORE_SEGMENT_H
#define WARMSTART_CORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes/table.h"
#include "core/image/image_format.h"
#include "core/system/error.h"
#include "core/system/mapping.h"

typedef struct ws_segment {
    ws_mapping mapping; /* the whole file; after the open only payloads are read from it */
    uint8_t *tables; /* a copy of the header and all sections but PAYLOADS, which stays whole when the file is truncated
                        later */
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

/* Looks through one of the image's fixed tables (ws_segment_writer_table) for what has this hash: returns the next
 * number to compare, or WS_NO_NUMBER. *step is 0 at first. It goes around at most once, so a table without a free slot
 * gives a miss. Whether the number is in bounds is the caller's business. */
static inline uint32_t
ws_fixed_table_next(const uint32_t *table, uint32_t mask, uint64_t hash, uint32_t *step)
{
    return *step > mask ? WS_NO_NUMBER : table[((uint32_t)hash + (*step)++) & mask] - 1; /* (a free slot has 0) */
}

typedef struct ws_section_view {
    const void *bytes;
    size_t size;
} ws_section_view;

/* Takes over `mapping` and closes it on failure. name: for messages. expected_key: 0 accepts any key (inspector). */
ws_code
ws_segment_open(ws_segment *segment, ws_mapping mapping, uint64_t expected_key, const char *name, ws_error *error);
void ws_segment_close(ws_segment *segment);

ws_section_view ws_segment_section(const ws_segment *segment, ws_section section);
/* A string of STRINGS, or NULL when it is out of bounds or not NUL-terminated. */
const char *ws_segment_string(const ws_segment *segment, uint32_t offset, uint32_t size);
/* The entry with this path, or NULL. */
const ws_entry *ws_segment_find(const ws_segment *segment, const char *path, size_t path_size, uint64_t path_hash);
/* The payload's address inside this segment, or NULL when it is out of bounds. The caller verifies the checksum. */
const uint8_t *ws_segment_payload(const ws_segment *segment, const ws_entry *entry);

#endif
