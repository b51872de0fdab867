/* The load-path index in a segment. Its bounds are checked once, so that all readers can trust every number. Who calls:
 * feature_index.c, to answer; feature_index_builder.c and feature_index_layout.c, to carry over what an older index
 * knows and to see whether a new one differs. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_TABLES_H
#define WARMSTART_CORE_FEATURE_INDEX_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/system/file.h"
#include "core/path/path.h"
#include "core/image/segment.h"

/* The longest relative name of a folder or stem. A folder therefore has fewer ancestors than this. */
#define WS_INDEX_NAME_MAXIMUM 1000u
#define WS_INDEX_ENTRY_MAXIMUM 4000u
/* The most names that are remembered as missing. Ruby searches for any other each time. */
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
    const uint32_t *table; /* NULL when there is no feature */
    uint32_t table_mask;
    bool portable;
} ws_index_tables;

/* After WS_OK these things are certain: every number in the tables is in bounds (entries, folders, lists, table slots);
 * a folder's parent comes before it and has a shorter name; the table has a free slot, so that a probe ends; the
 * strings of LOAD_PATH and LOAD_PATH_NAMES exist. Strings of folders and features are checked where they are used
 * (ws_segment_string). WS_MISSING: the segment has no index. WS_BOUNDS: something is out of bounds. */
ws_code ws_index_tables_load(ws_index_tables *tables, const ws_segment *segment, ws_error *error);

/* The number in LOAD_PATH_NAMES of an entry as given, or UINT32_MAX. */
uint32_t ws_index_tables_name(const ws_index_tables *tables, const char *given, size_t size);

/* A stem's or folder's name as it is in the index: in lower case where the system does not distinguish case. Only ASCII
 * letters are converted, because features with other letters are never looked up. Returns `name` itself, or the
 * buffer. */
const char *
ws_index_fold(const ws_path_rules *rules, const char *name, size_t size, char buffer[WS_INDEX_NAME_MAXIMUM + 1]);

/* The number in FEATURES of a stem, or UINT32_MAX. */
uint32_t ws_index_tables_feature(const ws_index_tables *tables, const char *stem, size_t size);

/* Is the stem in the index because Ruby's own search found nothing under this name? Then no entry holds it. */
static inline bool
ws_index_is_missing(const ws_index_feature *feature)
{
    return feature->rb_count + feature->library_count == 0;
}

/* The entry's expanded path, never NULL after WS_OK. */
static inline const char *
ws_index_tables_expanded(const ws_index_tables *tables, uint32_t entry)
{
    return tables->segment->strings + tables->entries[entry].expanded_offset;
}

/* Is the folder, whose metadata these are, as this row says? (Of a portable index only whole seconds of the mtime are
 * known.) */
bool ws_index_holder_is_same(const ws_index_tables *tables, const ws_index_holder *holder, const ws_stat *stat);

#define WS_CANDIDATE_CAPACITY 8192u
/* Makes the path directory + "/" + stem + suffix, NUL-terminated. Returns its size, or 0 when it does not fit. */
size_t ws_index_path(char *buffer, size_t capacity, const char *directory, size_t directory_size, const char *stem,
                     size_t stem_size, const char *suffix, size_t suffix_size);

#endif
