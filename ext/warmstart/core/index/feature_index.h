/* The load-path index at run time: feature -> the file that Ruby's own search would find, without searching.
 *
 * The image says which load-path entries hold a stem as .rb and which as a DLEXT (image_format.h). Here each known
 * entry gets its present position in $LOAD_PATH; a look-up is one hash probe and a minimum over a few positions. Ruby's
 * own order (rb_find_file_ext: for each extension, for each entry) is kept: the .rb of the last entry beats the library
 * of the first.
 *
 * What an entry does NOT hold may only be concluded where it is known: entries that the index does not know ("unknown":
 * not in the image, relative, changed since) and, in checked mode, entries that are not STABLE (an application's own
 * folders, which programs write into) are asked with one metadata call each, for the very name. A folder of a stable
 * entry is validated once, when a look-up first concludes an absence from it (its times and inode against the image's).
 * A name that nothing known holds is Ruby's to search: whoever gets no path here gets Ruby's own LoadError.
 *
 * An answer says where Ruby's search ends as far as names and folders tell. The file itself is the caller's to check
 * (regular, readable, unchanged): it may be gone from an entry that is not stable, or be unreadable, which makes Ruby
 * go on to later entries.
 *
 * No Ruby in here. Who calls: ruby/load_path/load_path.c (which watches $LOAD_PATH). Not thread-safe: called with the
 * GVL. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_H
#define WARMSTART_CORE_FEATURE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/validation/validation_ahead.h"
#include "core/path/path.h"
#include "core/image/segment.h"

typedef struct ws_feature_index ws_feature_index;

/* NULL when the segment has no index, memory is short, or its numbers point outside (then *error says so). The segment
 * must outlive the index. dlext: without the dot. sealed: what the image says is believed, nothing of it is validated.
 */
ws_feature_index *ws_feature_index_new(const ws_segment *segment, bool sealed, const char *dlext, ws_error *error);
void ws_feature_index_free(ws_feature_index *index);

typedef enum ws_load_path_kind {
    WS_LOAD_PATH_ABSOLUTE,
    WS_LOAD_PATH_RELATIVE, /* asked relative to the current folder */
    WS_LOAD_PATH_OPAQUE    /* "~...", empty, not a String, an odd encoding: only Ruby knows what it means */
} ws_load_path_kind;

typedef struct ws_load_path_item {
    const char *bytes;
    size_t size;
    ws_load_path_kind kind;
} ws_load_path_item;

/* $LOAD_PATH is now this (bytes are copied for entries that the index does not know). false when memory is short: the
 * index then answers WS_ANSWER_NATIVE to everything. In checked mode an entry that comes up for the first time is
 * validated by device and inode of the folder that its name leads to now, and by its expanded path having become no
 * detour (a moved folder with a symlink left in its place); a portable image, which has no inodes, by realpath(3). */
bool ws_feature_index_set_load_path(ws_feature_index *index, const ws_load_path_item *items, size_t count);

/* What was validated is to be validated again: time has passed in which somebody may have changed the folders. The load
 * path must be set again before the next look-up. */
void ws_feature_index_forget(ws_feature_index *index);

typedef enum ws_answer {
    WS_ANSWER_NATIVE, /* let Ruby search: not known, or in doubt; reason says why */
    WS_ANSWER_RB,
    WS_ANSWER_LIBRARY
} ws_answer;

/* Why an answer was WS_ANSWER_NATIVE. The names (ws_feature_reason_name) are lower-case words: "unknown_entry" ... */
typedef enum ws_feature_reason {
    WS_FEATURE_FOUND,                /* not native */
    WS_FEATURE_LOAD_PATH,            /* no load path was set, or memory was short when it was */
    WS_FEATURE_NOT_CANONICAL,        /* absolute, "./x", "a//b", "~x" ... */
    WS_FEATURE_UNKNOWN,              /* the index has no such stem */
    WS_FEATURE_ABSENT,               /* known, but no entry of the present load path is known to hold it */
    WS_FEATURE_OPAQUE_ENTRY,         /* an entry that only Ruby understands comes first */
    WS_FEATURE_UNKNOWN_ENTRY,        /* an entry that was asked has something under that name */
    WS_FEATURE_MANY_UNKNOWN_ENTRIES, /* asking would take more than WS_FEATURE_ASK_MAXIMUM metadata calls */
    WS_FEATURE_TOO_LONG,             /* the path does not fit */
    WS_FEATURE_REASON_COUNT
} ws_feature_reason;

#define WS_FEATURE_ASK_MAXIMUM 64u

typedef struct ws_feature_answer {
    ws_answer answer;
    const char *reason; /* static, never NULL: ws_feature_reason_name */
    size_t path_size;   /* of the absolute path, NUL-terminated in the buffer given; 0 when native */
} ws_feature_answer;

/* feature: as require is given it, with or without an extension. */
ws_feature_answer
ws_feature_index_find(ws_feature_index *index, const char *feature, size_t size, char *path, size_t path_capacity);

/* Is there surely no .rb of that name (given without an extension) in the whole load path? May ask entries, like a
 * look-up. */
bool ws_feature_index_lacks_rb(ws_feature_index *index, const char *feature, size_t size);

/* Would Ruby's own search find nothing at all? Only where it found nothing under this very name while the boot was
 * recorded: Ruby can load what has no file (extensions that are linked into it), which no look at folders tells. And
 * only where no entry of the present load path holds the name now. Unlike a look-up this does not rest on what was seen
 * earlier in the boot: who misses a file may be about to write it. One metadata call for each entry (none when sealed).
 */
bool ws_feature_index_lacks(ws_feature_index *index, const char *feature, size_t size);

/* Did Ruby's own search find nothing under this name when the boot was recorded? */
bool ws_feature_index_knows_missing(const ws_feature_index *index, const char *feature, size_t size);

const char *ws_feature_reason_name(ws_feature_reason reason);

/* Is the index worth writing again? True when an absolute entry of the present load path exists and is not in the
 * index, when something validated had changed, or when a folder was met that was too young to be read when the index
 * was made. Makes one metadata call for each entry that is not in the index: ask once, at the end of the boot. */
bool ws_feature_index_outdated(const ws_feature_index *index);

/* For validation ahead of use (validation_ahead.h): adds what set_load_path is going to look at; what a look-up of that
 * stem is going to validate, but for folders that are marked in `seen` (a byte for each of folder_count) and then are.
 * False: the list is full. */
bool ws_feature_index_ahead_entries(const ws_feature_index *index, ws_ahead_list *list);
bool ws_feature_index_ahead_folders(const ws_feature_index *index, const char *stem, size_t size, uint8_t *seen,
                                    ws_ahead_list *list);
uint32_t ws_feature_index_folder_count(const ws_feature_index *index);
/* Is that entry under Ruby's own root or a gem's? Its expanded path, too. */
bool ws_feature_index_is_stable(const ws_feature_index *index, uint32_t entry, const char **expanded, size_t *size);
uint32_t ws_feature_index_entry_count(const ws_feature_index *index);

typedef struct ws_feature_index_counters {
    uint64_t load_paths; /* calls of set_load_path */
    uint64_t lookups;
    uint64_t rb, library;                      /* answered with a path */
    uint64_t reasons[WS_FEATURE_REASON_COUNT]; /* native answers by reason; [WS_FEATURE_FOUND] is rb + library */
    uint64_t entry_calls;  /* metadata calls that validated load-path entries (a realpath(3) counts once) */
    uint64_t folder_calls; /* ... that validated folders */
    uint64_t ask_calls;    /* ... that asked an entry for a name */
} ws_feature_index_counters;

const ws_feature_index_counters *ws_feature_index_counters_get(const ws_feature_index *index);

#endif
