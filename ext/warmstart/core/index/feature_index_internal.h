/* Shared by the three parts of the run-time index: feature_index.c answers look-ups, feature_index_load_path.c follows
 * $LOAD_PATH, and feature_index_validation.c compares folders with the image. feature_index_ahead.c uses it too. No
 * other file includes this. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_INTERNAL_H
#define WARMSTART_CORE_FEATURE_INDEX_INTERNAL_H

#include "core/index/feature_index.h"
#include "core/index/feature_index_tables.h"
#include "core/system/file.h"
#include "core/validation/folder_watch.h"

#define WS_POSITION_NONE UINT32_MAX

/* The result of a validation, which is made once and remembered until ws_feature_index_forget. (WS_CHECK_LEADS: a link
 * leads to the same; that is looked at again for each load path.) */
typedef enum ws_check { WS_CHECK_UNDONE = 0, WS_CHECK_SAME, WS_CHECK_LEADS, WS_CHECK_CHANGED } ws_check;

/* An item of the present load path that every look-up must ask before it goes on to later items. */
typedef enum ws_ask_kind {
    WS_ASK_OPAQUE,    /* cannot be asked: Ruby has to search. bytes: not NULL if it is not in the index */
    WS_ASK_UNINDEXED, /* absolute, but not in the index */
    WS_ASK_OTHER      /* relative, failed its validation, or indexed but not stable */
} ws_ask_kind;

typedef struct ws_ask {
    uint32_t position;
    uint32_t size;
    const char *bytes; /* path of the folder, in index->text or in the image */
    ws_ask_kind kind;
} ws_ask;

/* What is known about a folder in the present load path (epoch): the entries whose part below this folder is not
 * believed. */
typedef struct ws_directory_state {
    uint32_t epoch;         /* the epoch in which this was settled; 0: never */
    uint32_t unknown_first; /* place in index->unknown */
    uint32_t unknown_count; /* above WS_FEATURE_ASK_MAXIMUM there are too many, and the list is not filled */
} ws_directory_state;

struct ws_feature_index {
    ws_index_tables tables;
    const ws_path_rules *rules;
    bool sealed;
    bool load_path_known;
    bool changed;            /* a validation found a difference, or a folder was too young when it was indexed */
    char library_suffix[16]; /* "." + DLEXT */
    size_t library_suffix_size;

    /* One allocation for the arrays below; feature_index.c divides it. */
    void *block;
    uint32_t *positions;    /* by entry: its first position in the present load path, or WS_POSITION_NONE */
    uint32_t *root_holders; /* by entry: its row in HOLDERS for the folder "", or UINT32_MAX */
    ws_directory_state *directories;
    uint8_t *name_checks;   /* ws_check by row of LOAD_PATH_NAMES */
    uint8_t *entry_checks;  /* ws_check by row of LOAD_PATH: is the path still that folder, without a link in it? */
    uint8_t *holder_checks; /* ws_check by row of HOLDERS */
    int32_t *name_watches;  /* by row of LOAD_PATH_NAMES: that of the folder in which a missing one would appear */
    int32_t *watches;       /* by row of HOLDERS: the number of the folder's watch, or WS_NOT_WATCHED */
    uint8_t *kept;          /* by row of LOAD_PATH: 1: its path is watched, so it is believed like a stable one */
    size_t load_path_size;  /* items */
    bool watching;          /* folders are watched from their first look on */
    bool met_links;         /* a link led to an item that is not in the index */
    uint32_t own_changes;   /* folders of an application's own that were not as recorded */

    uint32_t epoch; /* another number whenever what is settled has to be settled again, as by a new load path */
    ws_ask *asks;   /* sorted by position */
    uint32_t ask_count, ask_capacity;
    char *text; /* the paths in `asks` that are not in the image */
    size_t text_size, text_capacity;
    uint32_t *unknown;
    uint32_t unknown_count;
    size_t unknown_capacity;

    ws_feature_index_counters counters;
    char candidate[WS_CANDIDATE_CAPACITY];
};

/* Brings index->directories[directory] up to date with the present load path. In every stable entry that the load path
 * has it validates each folder from the root down to this one, unless that was done before. */
void ws_index_settle(ws_feature_index *index, uint32_t directory);

/* Is every folder that proves a name's absence from this one still as the index says, at this moment, in the entries
 * before `limit`? Makes one metadata call for each stable entry of the load path: for the deepest of its folders above
 * the name, because the times of that folder tell whether a name was added or removed. A folder that is watched needs
 * none, and when sealed, the answer is yes without a call. The folder is settled. */
bool ws_index_still_stands(ws_feature_index *index, uint32_t directory, uint32_t limit);

/* Compares the root folder of an entry with the image. The caller has just read *stat, which saves a call later. */
void ws_index_settle_root(ws_feature_index *index, uint32_t entry, const ws_stat *stat);

/* Begins to watch an entry: its folder and, if it is an application's own, all folders of its path. Called before it is
 * looked at, because a change between a look and the watch would be seen by neither. Returns whether its own folder may
 * be compared by what the caller then sees. */
bool ws_index_watch_entry(ws_feature_index *index, uint32_t entry);
/* What the watch of the entry tells does not count. */
void ws_index_drop_watch(ws_feature_index *index, uint32_t entry);

/* A watched folder has changed: what was concluded from it has to be concluded again. */
void ws_index_undo_watched(ws_feature_index *index, int number);

/* Up to this length a load path is not watched: looking at the folders each time costs less than a queue, for whose end
 * a process waits (docs/loading.md). */
#define WS_SHORT_LOAD_PATH 16u
bool ws_index_looks_each_time(const ws_feature_index *index);

/* Is this entry never believed without asking it? In checked mode this is true for an application's own folders, unless
 * they are watched. */
static inline bool
ws_index_is_always_asked(const ws_feature_index *index, uint32_t entry)
{
    if (index->root_holders[entry] == UINT32_MAX) return true;
    return !index->sealed && !(index->tables.entries[entry].flags & WS_LOAD_PATH_STABLE) && !index->kept[entry];
}

#endif
