/* A load-path index that is being made: what has been found, in the order in which it was found. Filled by
 * feature_index_builder.c (what is scanned) and feature_index_carry.c (what an older index knows); numbered and sorted
 * by feature_index_layout.c, compared and written by feature_index_output.c. Nobody else includes this. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_DRAFT_H
#define WARMSTART_CORE_FEATURE_INDEX_DRAFT_H

#include "core/index/feature_index_tables.h"
#include "core/image/segment_writer.h"
#include "core/bytes/string_pool.h"

/* An entry has two numbers. Found: in draft->expanded and draft->entries. Final: its row in LOAD_PATH, or
 * WS_DRAFT_DROPPED. */
#define WS_DRAFT_DROPPED UINT32_MAX

typedef struct ws_draft_entry {
    uint64_t device, inode;
    uint32_t flags;      /* WS_LOAD_PATH_* */
    uint32_t previous;   /* its row in the older index, or UINT32_MAX */
    bool source;         /* is scanned now; else its rows are carried over from the older index */
    uint32_t name_count; /* 0: nobody would ever find it, so it is left out */
    uint32_t final;
} ws_draft_entry;

typedef struct ws_draft_name {
    uint32_t given, entry;
} ws_draft_name; /* number in givens; found number of the entry */
typedef struct ws_draft_holder {
    uint32_t directory;
    ws_index_holder row;
} ws_draft_holder; /* row with the final number */
typedef struct ws_draft_presence {
    uint32_t stem;
    uint32_t entry;
    bool library;
} ws_draft_presence; /* final number */

typedef struct ws_index_draft {
    ws_string_pool expanded, givens, directories, stems;
    ws_draft_entry *entries;
    uint32_t entry_count, entry_capacity;
    ws_draft_name *names;
    uint32_t name_count, name_capacity;
    ws_draft_holder *holders;
    uint32_t holder_count, holder_capacity;
    ws_draft_presence *presences;
    uint32_t presence_count, presence_capacity;
    uint32_t *missing;
    uint32_t missing_count, missing_capacity; /* stems for which Ruby's own search found nothing */
    uint32_t *order;
    uint32_t final_count; /* final number -> found number */
    bool portable;
} ws_index_draft;

void ws_index_draft_free(ws_index_draft *draft);

/* Each adds one row; false when memory is short. */
bool ws_index_draft_entry(ws_index_draft *draft, const ws_draft_entry *entry);
bool ws_index_draft_name(ws_index_draft *draft, uint32_t given, uint32_t entry);
bool ws_index_draft_holder(ws_index_draft *draft, const char *directory, size_t size, const ws_index_holder *row);
bool ws_index_draft_presence(ws_index_draft *draft, const char *stem, size_t size, uint32_t entry, bool library);
bool ws_index_draft_missing(ws_index_draft *draft, const char *stem, size_t size);

/* The folder that a relative name lies in; "" lies in itself. */
size_t ws_index_parent_size(const char *name, size_t size);

/* An older index's entries and names that are not the draft's own and whose folders still exist. found_of: room for a
 * found number for each row of the older LOAD_PATH; WS_DRAFT_DROPPED where the folder is gone. */
bool ws_index_carry_entries(ws_index_draft *draft, const ws_index_tables *previous, uint32_t *found_of);
/* What those of them hold that stayed. */
bool ws_index_carry_contents(ws_index_draft *draft, const ws_index_tables *previous, const uint32_t *found_of);

/* The draft as the sections will have it, strings in a pool of its own. */
typedef struct ws_index_layout {
    ws_string_pool strings;
    ws_load_path_entry *entries;
    ws_load_path_name *names;
    ws_index_directory *directories;
    ws_index_holder *holders;
    ws_index_feature *features;
    uint32_t *lists;
    ws_segment segment;     /* nothing but the strings, for `tables` */
    ws_index_tables tables; /* a view of the above; without FEATURE_TABLE */
} ws_index_layout;

/* Same draft, same layout, whatever the order in which folders were listed. false when memory is short. */
bool ws_index_layout_make(ws_index_layout *layout, ws_index_draft *draft);
void ws_index_layout_free(ws_index_layout *layout);

/* Do two indexes say the same? Where their strings lie does not matter. */
bool ws_index_tables_equal(const ws_index_tables *left, const ws_index_tables *right);

/* Adds the sections to the writer; the layout's offsets are the writer's afterwards. false when memory is short. */
bool ws_index_layout_write(ws_index_layout *layout, ws_segment_writer *writer);

#endif
