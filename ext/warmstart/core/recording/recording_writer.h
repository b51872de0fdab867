/* Internals of the recording: the batch of pending files, and the writer that turns it into a segment. Only recording.c
 * calls. */
#ifndef WARMSTART_CORE_RECORDING_WRITER_H
#define WARMSTART_CORE_RECORDING_WRITER_H

#include "core/recording/recording.h"
#include "core/bytes/string_pool.h"

typedef struct ws_pending_file {
    char *path, *realpath; /* one allocation each; NUL-terminated */
    uint32_t path_size, realpath_size;
    void *payload;
    size_t payload_size;
    ws_entry entry;
    uint64_t entry_segment;
    bool revalidated;
    ws_stat stat;
    uint32_t flags, warning_level;
    uint64_t useless_segment;
} ws_pending_file;

typedef struct ws_recording_batch {
    ws_pending_file *files;
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
    ws_store_options store;
    char *directory, *root, *key, *dlext;
    size_t key_size;
    char **ignored;
    ws_manifest_fingerprint *fingerprints;
    bool trusting_times;
    int64_t started_real, started_monotonic;
} ws_recording_settings;

bool ws_recording_settings_copy(ws_recording_settings *settings, const ws_recording_options *options);
void ws_recording_settings_free(ws_recording_settings *settings);

/* The bytes of memory that this file would take. */
size_t ws_recording_batch_cost(const ws_recorded_file *file);
uint32_t ws_recording_batch_add(ws_recording_batch *batch, const ws_recorded_file *file);
void ws_recording_batch_hint(ws_recording_batch *batch, uint32_t number, uint32_t flags, uint32_t no_longer);
void ws_recording_batch_load_path(ws_recording_batch *batch, const ws_index_source *sources, size_t count);
void ws_recording_batch_statistics(ws_recording_batch *batch, const char *text, size_t size, bool alone);
void ws_recording_batch_missing(ws_recording_batch *batch, const char *name, size_t size);
void ws_recording_batch_free(ws_recording_batch *batch);

/* Looks at every file again, hashes and publishes. Adds to *result. true: a new segment was published. */
bool
ws_recording_write(const ws_recording_settings *settings, const ws_recording_batch *batch, ws_recording_result *result);

#endif
