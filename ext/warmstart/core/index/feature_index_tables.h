/* The load-path index as it lies in a segment, bounds-checked once so that whoever reads it afterwards can trust every
 * number. Who calls: feature_index.c (to answer), feature_index_builder.c and feature_index_layout.c (to carry over
 * what an older index knows, and to see whether a new one differs). */
#ifndef WARMSTART_CORE_FEATURE_INDEX_TABLES_H
#define WARMSTART_CORE_FEATURE_INDEX_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/path/path.h"
#include "core/image/segment.h"

/* Names of folders and stems are relative and no longer than this, so a folder has fewer ancestors than this. */
#define WS_INDEX_NAME_MAXIMUM 1000u
#define WS_INDEX_ENTRY_MAXIMUM 4000u
/* So many names that do not exist are remembered; later ones are searched by Ruby each time. */
#define WS_INDEX_MISSING_MAXIMUM 4096u

typedef struct ws_index_tables {
    const ws_segment *segment; /* for strings; must outlive the tables */
    const ws_load_path_entry *entries;
    uint32_t entry_count;
    const ws_load_path_name *names;
    uint32_t name_count;
    const ws_index_directory *directories;
    uint32_t directory_count;
    const ws_index_holder *holders;
    uint32_t holder_count;
    const ws_index_feature *features;
    uint32_t feature_count;
    const uint32_t *lists;
    uint32_t list_count;
    const uint32_t *table;
    uint32_t table_mask; /* NULL when there is no feature */
    bool portable;
} ws_index_tables;

/* After WS_OK: every number in the tables is in bounds (entries, folders, lists, table slots), a folder's parent comes
 * before it and has a shorter name, the table has a free slot (a probe ends), and the strings of LOAD_PATH and
 * LOAD_PATH_NAMES exist. Strings of folders and features are checked where they are used (ws_segment_string).
 * WS_MISSING when the segment has no index, WS_BOUNDS when something points outside. */
ws_code ws_index_tables_load(ws_index_tables *tables, const ws_segment *segment, ws_error *error);

/* Number in NAMES of an entry as given, or UINT32_MAX. */
uint32_t ws_index_tables_name(const ws_index_tables *tables, const char *given, size_t size);

/* A stem's or folder's name as the index has it: in small letters where the system takes capitals for the same (only
 * ASCII's: features with others are never looked up). `name` itself, or the buffer. */
const char *
ws_index_fold(const ws_path_rules *rules, const char *name, size_t size, char buffer[WS_INDEX_NAME_MAXIMUM + 1]);

/* Number in FEATURES of a stem, or UINT32_MAX. */
uint32_t ws_index_tables_feature(const ws_index_tables *tables, const char *stem, size_t size);

/* A stem that nobody holds is in the index because Ruby's own search found nothing under that name. */
static inline bool
ws_index_is_missing(const ws_index_feature *feature)
{
    return feature->rb_count + feature->library_count == 0;
}

/* The expanded entry (never NULL after WS_OK). */
static inline const char *
ws_index_tables_expanded(const ws_index_tables *tables, uint32_t entry)
{
    return tables->segment->strings + tables->entries[entry].expanded_offset;
}

#endif
