/* The batch of pending files, and the writer that turns it into a segment. Who calls: recording.c, in its own thread;
 * adoption.c, in the thread that adopts. */
#ifndef WARMSTART_CORE_RECORDING_WRITER_H
#define WARMSTART_CORE_RECORDING_WRITER_H

#include "core/recording/recording.h"
#include "core/bytes/string_pool.h"

typedef struct ws_recording_batch {
    ws_recorded_file *files; /* with copies of what they point to */
    uint32_t count;
    size_t capacity;
    size_t size;           /* bytes of memory that the files take */
    uint32_t first_number; /* number of files[0]; earlier files are already committed */
    ws_index_source *sources;
    size_t source_count;
    ws_string_pool missing; /* names that Ruby's own search did not find */
    char *statistics;
    size_t statistics_size;
    bool statistics_alone; /* they are worth a segment even if nothing else has changed */
} ws_recording_batch;

typedef struct ws_recording_settings {
    ws_recording_options options;
    int64_t started_real, started_monotonic;
} ws_recording_settings;

/* Looks at every file again, hashes and publishes. Adds to *result. true: a new segment was published. */
bool
ws_recording_write(const ws_recording_settings *settings, const ws_recording_batch *batch, ws_recording_result *result);

#endif
