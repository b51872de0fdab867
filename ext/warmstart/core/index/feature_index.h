/* The load-path index at run time: it turns a feature into the file that Ruby's own search would find, without
 * searching.
 *
 * The image says which load-path entries hold a stem (a feature's name without its extension) as .rb and which as a
 * DLEXT (image_format.h). Here each known entry also has its present position in $LOAD_PATH. A look-up is one hash
 * probe and a minimum over a few positions. It keeps Ruby's order (rb_find_file_ext: for each extension, for each
 * entry), so the .rb of the last entry beats the library of the first.
 *
 * Some entries are unknown: they are not in the image, relative, or changed since. From an unknown entry we may not
 * conclude that it does not hold a name. In checked mode the same is true for entries that are not STABLE
 * (WS_LOAD_PATH_STABLE; an application's own folders, into which programs write, are not). Such entries are asked for
 * the name, with one metadata call each. A folder of a stable entry is validated when a look-up first concludes an
 * absence from it: its times and inode are compared with the image's. On Linux that holds as long as it lasts: if the
 * load path is long, the folder is watched from then on (folder_watch.h), and so are the application's own, which are
 * believed then; if it is short, the folder is looked at each time. If no known entry holds a name, Ruby searches for
 * it, so a failed require gets Ruby's own LoadError.
 *
 * An answer says where Ruby's search ends, judged by names and folders. The caller checks the file itself (regular,
 * readable, unchanged). The file may be gone from an entry that is not stable, or be unreadable, and then Ruby goes on
 * to later entries.
 *
 * There is no Ruby in here. Who calls: ruby/load_path/load_path.c tells it $LOAD_PATH, and ruby/require/way.c asks it.
 * Not thread-safe: called with the GVL. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_H
#define WARMSTART_CORE_FEATURE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/validation/validation_ahead.h"
#include "core/path/path.h"
#include "core/image/segment.h"

typedef struct ws_feature_index ws_feature_index;

/* NULL: the segment has no index, memory is short, or a number in the index is out of bounds (then *error says so). The
 * segment must outlive the index. dlext: without the dot. sealed: the image is believed and nothing of it is
 * validated. */
ws_feature_index *ws_feature_index_new(const ws_segment *segment, bool sealed, const char *dlext, ws_error *error);
void ws_feature_index_free(ws_feature_index *index);

typedef enum ws_load_path_kind {
    WS_LOAD_PATH_ABSOLUTE,
    WS_LOAD_PATH_RELATIVE, /* asked relative to the current folder */
    WS_LOAD_PATH_OPAQUE    /* "~...", empty, not a String, an unusual encoding: only Ruby knows what it means */
} ws_load_path_kind;

typedef struct ws_load_path_item {
    const char *bytes;
    size_t size;
    ws_load_path_kind kind;
} ws_load_path_item;

/* Sets the present $LOAD_PATH. Copies the bytes of entries that the index does not know. false: memory is short, and
 * the index answers WS_ANSWER_SEARCH to everything. In checked mode an entry is validated when it first occurs. The
 * folder to which its name leads must have the recorded device and inode, and no component of its expanded path may
 * have become a link (a moved folder may have left a symlink in its place). A portable image has no inodes, so
 * realpath(3) is used for it. */
bool ws_feature_index_set_load_path(ws_feature_index *index, const ws_load_path_item *items, size_t count);

/* Notices what has happened to watched folders (folder_watch.h). Called before each look-up. false: the watch begins or
 * is over, and the index must forget. */
bool ws_feature_index_notice(ws_feature_index *index);

/* Makes the index validate everything again, because somebody may have changed the folders in the time that has passed.
 * What is watched stays as it is. The load path must be set again before the next look-up. */
void ws_feature_index_forget(ws_feature_index *index);

typedef enum ws_answer {
    WS_ANSWER_SEARCH, /* let Ruby search, because the answer is unknown or in doubt; reason says why */
    WS_ANSWER_RB,
    WS_ANSWER_LIBRARY
} ws_answer;

/* What keeps the index from answering: why an answer was WS_ANSWER_SEARCH. */
typedef enum ws_feature_reason {
    WS_FEATURE_CLEAR,     /* nothing, as far as was looked ("found" in an answer, after which nothing is searched) */
    WS_FEATURE_LOAD_PATH, /* no load path was set, or memory was short at that moment */
    WS_FEATURE_NOT_CANONICAL,        /* absolute, "./x", "a//b", "~x" ... */
    WS_FEATURE_UNKNOWN,              /* the index has no such stem */
    WS_FEATURE_ABSENT,               /* the index has it, but no entry of the present load path is known to hold it */
    WS_FEATURE_OPAQUE_ENTRY,         /* an entry that only Ruby understands comes first */
    WS_FEATURE_UNKNOWN_ENTRY,        /* an entry that was asked has something with this name */
    WS_FEATURE_MANY_UNKNOWN_ENTRIES, /* more than WS_FEATURE_ASK_MAXIMUM metadata calls would be needed */
    WS_FEATURE_TOO_LONG,             /* the path does not fit */
    WS_FEATURE_CHANGED,              /* a folder has changed since it was validated */
    WS_FEATURE_REASON_COUNT
} ws_feature_reason;

#define WS_FEATURE_ASK_MAXIMUM 64u

typedef struct ws_feature_answer {
    ws_answer answer;
    const char *reason; /* static, never NULL: a ws_feature_reason in lower-case words, such as "unknown_entry" */
    size_t path_size;   /* of the absolute path, which is in the buffer, NUL-terminated; 0 if Ruby is to search */
} ws_feature_answer;

/* feature: the argument of require, with or without an extension. */
ws_feature_answer
ws_feature_index_find(ws_feature_index *index, const char *feature, size_t size, char *path, size_t path_capacity);

/* Is it certain that no entry of the load path holds a .rb of this name? The name has no extension. May ask entries,
 * like a look-up. */
bool ws_feature_index_lacks_rb(ws_feature_index *index, const char *feature, size_t size);

/* Is it certain that Ruby's own search would find nothing? Two conditions must hold. First, Ruby found nothing under
 * this very name when the boot was recorded; folders alone do not tell, because Ruby can load features that have no
 * file (extensions that are linked into it). Second, no entry of the present load path holds the name now. Unlike a
 * look-up, this does not rely on what was seen earlier in the boot, since a program that misses a file may be about to
 * write it. Makes one metadata call for each entry, and none when sealed. */
bool ws_feature_index_lacks(ws_feature_index *index, const char *feature, size_t size);

/* Did Ruby's own search find nothing under this name when the boot was recorded? */
bool ws_feature_index_knows_missing(const ws_feature_index *index, const char *feature, size_t size);

/* Is the index worth writing again? Yes if an absolute entry of the present load path exists and is not in the index,
 * if something that was validated had changed, or if the index met a folder that was too young to be read when the
 * index was made. Makes one metadata call for each entry that is not in the index, so ask once, at the end of the
 * boot. */
bool ws_feature_index_outdated(const ws_feature_index *index);

/* For validation ahead of use (validation_ahead.h). The first function adds the paths that set_load_path will look at.
 * The second adds the folders that a look-up of this stem will validate. It leaves out those that are marked in `seen`,
 * which has a byte for each folder (folder_count), and marks the others. false: the list is full. */
bool ws_feature_index_ahead_entries(const ws_feature_index *index, ws_ahead_list *list);
bool ws_feature_index_ahead_folders(const ws_feature_index *index, const char *stem, size_t size, uint8_t *seen,
                                    ws_ahead_list *list);
uint32_t ws_feature_index_folder_count(const ws_feature_index *index);
/* Is the entry under Ruby's own root or a gem's? Also returns its expanded path. */
bool ws_feature_index_is_stable(const ws_feature_index *index, uint32_t entry, const char **expanded, size_t *size);
uint32_t ws_feature_index_entry_count(const ws_feature_index *index);

/* The metadata calls that were made, for the tests. */
typedef struct ws_feature_index_counters {
    uint64_t entry_calls;  /* validated load-path entries (a realpath(3) counts once) */
    uint64_t folder_calls; /* validated folders */
    uint64_t ask_calls;    /* asked an entry for a name */
} ws_feature_index_counters;

const ws_feature_index_counters *ws_feature_index_counters_get(const ws_feature_index *index);

#endif
