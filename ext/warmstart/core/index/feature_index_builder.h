/* Makes the index's sections for a new segment: scans load-path entries, merges what an older index knows about others.
 * Runs in the recorder's native thread and in `build`: no Ruby. */
#ifndef WARMSTART_CORE_FEATURE_INDEX_BUILDER_H
#define WARMSTART_CORE_FEATURE_INDEX_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/image/segment.h"
#include "core/image/segment_writer.h"
#include "core/bytes/string_pool.h"

typedef struct ws_index_source {
    const char *given;
    size_t given_size; /* the load-path entry as it stands in $LOAD_PATH: absolute */
    bool stable;       /* under a gem's or Ruby's own root, on a file system whose names are compared
                          byte by byte (on others no absence means anything: leave it false) */
} ws_index_source;

typedef struct ws_index_build_options {
    const char *dlext;
    const char *const *ignored;    /* folder names never entered; NULL: the default list */
    int64_t racy_after;            /* a folder whose mtime or ctime (ns) is not older than this is UNREAD; 0: none.
                                      A sealed image asks for what lies in such folders: build it with 0 */
    bool portable;                 /* no inodes, devices, ctimes, parts of seconds */
    bool sorted;                   /* by name, not by the order given (reproducible) */
    const ws_string_pool *missing; /* names for which Ruby's own search found nothing; NULL: none */
    const ws_segment *previous;    /* entries of this index that are not among `sources` are carried over when
                                      their folder still exists; NULL: none */
} ws_index_build_options;

/* Scans every source, writes the sections into `writer`. *changed: does the result differ from previous? (When it does
 * not, nothing is added to writer.)
 *
 * A source is left out when it is not absolute, or when its folder does not exist now, unless it is stable: then it is
 * an entry that is MISSING. Several names of one folder make one entry. Entries keep the numbers' order that they have
 * in `previous`, new ones follow in the order given; of what is carried over the first go when there are more than
 * WS_INDEX_ENTRY_MAXIMUM. A folder that could not be read, or that was too young (then with its times, so that a later
 * look-up knows that a new try is worth while), is UNREAD; so is the root of an entry whose scan failed. */
ws_code ws_feature_index_build(ws_segment_writer *writer, const ws_index_source *sources, size_t count,
                               const ws_index_build_options *options, bool *changed, ws_error *error);

/* Adds the names that this segment's index knows to be missing, for another index's options. False when memory is
 * short. */
bool ws_feature_index_missing_names(const ws_segment *segment, ws_string_pool *names);

#endif
