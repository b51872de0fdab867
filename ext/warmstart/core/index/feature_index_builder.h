/* Makes the index's sections for a new segment: scans load-path entries and merges what an older index knows about
 * other entries. Runs in the recorder's native thread and in `build`, without Ruby. */
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
    const char *given; /* the entry as it is in $LOAD_PATH; absolute */
    size_t given_size;
    bool stable; /* under a gem's or Ruby's own root, on a file system that compares names byte by byte (on others the
                    absence of a name means nothing, so leave it false) */
} ws_index_source;

typedef struct ws_index_build_options {
    const char *dlext;
    const char *const *ignored; /* names of folders that are never entered; NULL: ws_scan_without_code */
    int64_t young_at; /* a folder that was young (ws_stat_is_young) at this moment is UNREAD; 0: no folder is. A
                         sealed image makes metadata calls for names in such folders, so build it with 0 */
    bool portable;    /* no inodes, devices, ctimes or parts of seconds */
    bool sorted;      /* entries in the order of their names (reproducible), not in the order given */
    const ws_string_pool *missing; /* names for which Ruby's own search found nothing; NULL: none */
    const ws_segment *previous;    /* an older index: its entries that are not among `sources` are carried over if their
                                      folders still exist; NULL: none */
} ws_index_build_options;

/* Scans every source and writes the sections into `writer`. *changed: does the result differ from `previous`? If not,
 * nothing is added to `writer`.
 *
 * A source is left out when it is not absolute, or when its folder does not exist now; but a stable source whose folder
 * does not exist becomes an entry that is MISSING. Several names of one folder make one entry. Entries that are in
 * `previous` keep their order, and new ones follow in the order given. If there are more than WS_INDEX_ENTRY_MAXIMUM,
 * the first of the carried entries are dropped. A folder is UNREAD if it could not be read, if it is the root of an
 * entry whose scan failed, or if it was too young. A too young folder has its times nevertheless, so that a later
 * look-up knows that another try is worthwhile. */
ws_code ws_feature_index_build(ws_segment_writer *writer, const ws_index_source *sources, size_t count,
                               const ws_index_build_options *options, bool *changed, ws_error *error);

/* Adds the names that this segment's index knows to be missing to a pool for another index's options. false: memory is
 * short. */
bool ws_feature_index_missing_names(const ws_segment *segment, ws_string_pool *names);

#endif
