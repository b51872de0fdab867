/* What the three parts of the run-time index share: feature_index.c answers look-ups, feature_index_load_path.c follows
 * $LOAD_PATH, feature_index_validation.c compares folders with the image. Nobody else includes this. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_INTERNAL_H
#define WARMSTART_CORE_FEATURE_INDEX_INTERNAL_H

#include "core/index/feature_index.h"
#include "core/index/feature_index_tables.h"
#include "core/system/file.h"

#define WS_POSITION_NONE UINT32_MAX
#define WS_CANDIDATE_CAPACITY 8192u

/* Something is looked at once in a process's life, and what was seen is remembered. */
typedef enum ws_check { WS_CHECK_UNDONE = 0, WS_CHECK_SAME, WS_CHECK_CHANGED } ws_check;

/* An item of the present load path that is asked in each look-up that passes it. */
typedef enum ws_ask_kind {
    WS_ASK_OPAQUE,    /* cannot be asked: whoever passes it goes to Ruby */
    WS_ASK_UNINDEXED, /* absolute, not in the index */
    WS_ASK_OTHER      /* relative, failed its validation, or indexed but not stable */
} ws_ask_kind;

typedef struct ws_ask {
    uint32_t position;
    uint32_t size;
    const char *bytes; /* of the folder; in index->text, or in the image */
    ws_ask_kind kind;
} ws_ask;

/* What is known about a folder in the present load path (epoch): the entries whose part below it is not to be believed.
 */
typedef struct ws_directory_state {
    uint32_t epoch;         /* settled in this one; 0: never */
    uint32_t unknown_first; /* in index->unknown */
    uint32_t unknown_count; /* more than WS_FEATURE_ASK_MAXIMUM: too many to name, the list is not filled */
} ws_directory_state;

struct ws_feature_index {
    ws_index_tables tables;
    const ws_path_rules *rules;
    bool sealed;
    bool load_path_known;
    bool changed;            /* something validated differed, or a folder was too young when it was indexed */
    char library_suffix[16]; /* "." + DLEXT */
    size_t library_suffix_size;

    /* One allocation, carved up in feature_index.c. */
    void *block;
    uint32_t *positions;    /* by entry: first position in the present load path, or WS_POSITION_NONE */
    uint32_t *root_holders; /* by entry: its row in HOLDERS for the folder "" or UINT32_MAX */
    ws_directory_state *directories;
    uint8_t *name_checks;   /* ws_check by row of LOAD_PATH_NAMES */
    uint8_t *entry_checks;  /* ws_check by row of LOAD_PATH: is the expanded path still that folder, without detour? */
    uint8_t *holder_checks; /* ws_check by row of HOLDERS */

    uint32_t epoch; /* counts the load paths set */
    ws_ask *asks;
    uint32_t ask_count, ask_capacity; /* by position */
    char *text;
    size_t text_size, text_capacity; /* bytes of asks that are not in the image */
    uint32_t *unknown;
    uint32_t unknown_count, unknown_capacity;

    ws_feature_index_counters counters;
    char candidate[WS_CANDIDATE_CAPACITY];
};

/* directory + "/" + stem + suffix, NUL-terminated; the size, or 0 when it does not fit. */
size_t ws_index_path(char *buffer, size_t capacity, const char *directory, size_t directory_size, const char *stem,
                     size_t stem_size, const char *suffix, size_t suffix_size);

/* Makes index->directories[directory] true for the present load path: validates each folder from the root down to this
 * one in every stable entry that is present, unless that was done before. */
void ws_index_settle(ws_feature_index *index, uint32_t directory);

/* Is every folder that proves a name's absence from this one as the index says, at this moment? One metadata call for
 * each stable entry that is present: the deepest of its folders on the way, whose times tell of a name that came or
 * went. (In a sealed index: yes, without a call.) The folder is settled. */
bool ws_index_still_stands(ws_feature_index *index, uint32_t directory);

/* Compares the root folder of an entry, seen just now as *stat, with the image's: saves the metadata call later. */
void ws_index_settle_root(ws_feature_index *index, uint32_t entry, const ws_stat *stat);

/* Is nothing of this entry believed without asking? True in checked mode for an application's own folders. */
static inline bool
ws_index_is_always_asked(const ws_feature_index *index, uint32_t entry)
{
    if (index->root_holders[entry] == UINT32_MAX) return true;
    return !index->sealed && !(index->tables.entries[entry].flags & WS_LOAD_PATH_STABLE);
}

#endif
