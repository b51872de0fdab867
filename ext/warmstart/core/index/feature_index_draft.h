/* A load-path index under construction: what was found, in the order in which it was found. feature_index_builder.c
 * (scans) and feature_index_carry.c (an older index) fill it, feature_index_layout.c numbers and sorts it, and
 * feature_index_output.c compares and writes it. No other file includes this. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_DRAFT_H
#define WARMSTART_CORE_FEATURE_INDEX_DRAFT_H

#include "core/index/feature_index_tables.h"
#include "core/image/segment_writer.h"
#include "core/bytes/string_pool.h"

/* An entry has two numbers. The found number is its place in draft->expanded and draft->entries. The final number is
 * its row in LOAD_PATH, or WS_DRAFT_DROPPED. */
#define WS_DRAFT_DROPPED UINT32_MAX

typedef struct ws_draft_entry {
    uint64_t device, inode;
    uint32_t flags;      /* WS_LOAD_PATH_* */
    uint32_t previous;   /* its row in the older index, or UINT32_MAX */
    bool source;         /* it is on the load path now */
    bool scanned;        /* its folders are read now; otherwise its rows are carried over from the older index */
    uint32_t name_count; /* 0: no look-up could find it, so it is left out */
    uint32_t final;
} ws_draft_entry;

typedef struct ws_draft_name {
    uint32_t given, entry; /* number in givens; found number */
} ws_draft_name;
typedef struct ws_draft_holder {
    uint32_t directory;
    ws_index_holder row; /* with the final number of the entry */
} ws_draft_holder;
typedef struct ws_draft_presence {
    uint32_t stem;
    uint32_t entry; /* final number */
    bool library;
} ws_draft_presence;

typedef struct ws_index_draft {
    ws_string_pool expanded, givens, directories, stems;
    ws_draft_entry *entries;
    uint32_t entry_count;
    size_t entry_capacity;
    ws_draft_name *names;
    uint32_t name_count;
    size_t name_capacity;
    ws_draft_holder *holders;
    uint32_t holder_count;
    size_t holder_capacity;
    ws_draft_presence *presences;
    uint32_t presence_count;
    size_t presence_capacity;
    uint32_t *missing; /* stems for which Ruby's own search found nothing */
    uint32_t missing_count;
    size_t missing_capacity;
    uint32_t *order; /* final number -> found number */
    uint32_t final_count;
    bool portable;
} ws_index_draft;

void ws_index_draft_free(ws_index_draft *draft);

/* Each adds one row. false: memory is short. */
bool ws_index_draft_entry(ws_index_draft *draft, const ws_draft_entry *entry);
bool ws_index_draft_name(ws_index_draft *draft, uint32_t given, uint32_t entry);
bool ws_index_draft_holder(ws_index_draft *draft, const char *directory, size_t size, const ws_index_holder *row);
bool ws_index_draft_presence(ws_index_draft *draft, const char *stem, size_t size, uint32_t entry, bool library);
bool ws_index_draft_missing(ws_index_draft *draft, const char *stem, size_t size);

/* The size of the name of the folder in which a relative name lies. The parent of "" is "". */
size_t ws_index_parent_size(const char *name, size_t size);

/* Takes over an older index's entries and names that the draft does not have and whose folders still exist. found_of:
 * has room for a found number for each row of the older LOAD_PATH; WS_DRAFT_DROPPED where the folder is gone. */
bool ws_index_carry_entries(ws_index_draft *draft, const ws_index_tables *previous, uint32_t *found_of);
/* Takes over what those entries hold, if they stayed. */
bool ws_index_carry_contents(ws_index_draft *draft, const ws_index_tables *previous, const uint32_t *found_of);

/* The draft in the form of the sections, with its own pool of strings. */
typedef struct ws_index_layout {
    ws_string_pool strings;
    ws_load_path_entry *entries;
    ws_load_path_name *names;
    ws_index_directory *directories;
    ws_index_holder *holders;
    ws_index_feature *features;
    uint32_t *lists;
    ws_segment segment;     /* has only the strings, for `tables` */
    ws_index_tables tables; /* a view of the above; without FEATURE_TABLE */
} ws_index_layout;

/* Makes the same layout from the same draft, whatever the order in which folders were listed. false: memory is
 * short. */
bool ws_index_layout_make(ws_index_layout *layout, ws_index_draft *draft);
void ws_index_layout_free(ws_index_layout *layout);

/* Do two indexes have the same contents? The places of their strings do not matter. */
bool ws_index_tables_equal(const ws_index_tables *left, const ws_index_tables *right);

/* Adds the sections to the writer. Afterwards the layout's offsets refer to the writer's strings. false: memory is
 * short. */
bool ws_index_layout_write(ws_index_layout *layout, ws_segment_writer *writer);

#endif
