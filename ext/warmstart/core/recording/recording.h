/* What a boot recorded, in C memory, and the native thread that turns it into a segment. There is no Ruby in here,
 * because the thread works while Ruby code goes on.
 *
 * A file is kept under two conditions. Its metadata are the same now, when it was compiled and before Ruby opened it.
 * And its mtime and ctime are older than the start of the recording by more than the file system's granularity. Then
 * its content is hashed. All other files wait for the next boot: hashing them later would bind new content to old code.
 *
 * Who calls: ruby/recorder/, with the GVL. */
#ifndef WARMSTART_CORE_RECORDING_H
#define WARMSTART_CORE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/error.h"
#include "core/index/feature_index_builder.h"
#include "core/system/file.h"
#include "core/image/image_format.h"
#include "core/image/store.h"

typedef struct ws_recording ws_recording;

/* All that it points to must live as long as the recording. */
typedef struct ws_recording_options {
    ws_store_options store;
    const char *key;
    size_t key_size;
    const char *dlext;
    const char *const *ignored; /* NULL: ws_scan_without_code */
    uint32_t idle_milliseconds; /* a commit begins after such a pause without a new file; 0: only on request */
    bool trusting_times;        /* build: young files are believed too, because no program runs that could write them */
} ws_recording_options;

ws_recording *ws_recording_new(const ws_recording_options *options);

/* A file is one of three kinds. Compiled by this process (a document: parsed): it has a payload. Revalidated: it has an
 * entry, whose payload stays where it is. Adopted: it has both. */
typedef struct ws_recorded_file {
    const char *path;
    size_t path_size;
    const char *realpath;
    size_t realpath_size;
    const void *payload; /* copied; NULL: the entry's payload */
    size_t payload_size;
    const ws_entry *entry;  /* copied. The file has been found to have this entry's contents; NULL: it is read when it
                               is written */
    uint64_t entry_segment; /* id of the segment that holds the entry's payload */
    ws_stat stat;
    uint32_t flags, warning_level;
    uint64_t useless_segment; /* id of a segment whose entry for this path could not be used, or 0. The file replaces
                                 that entry even if nothing else has changed */
} ws_recorded_file;

/* Copies the file and returns its number. UINT32_MAX: memory is short, or too much is waiting already
 * (512 MiB, or the image's maximum size); then the file waits for the next boot. Thread-safe. */
uint32_t ws_recording_add(ws_recording *recording, const ws_recorded_file *file);
/* Adds hints (WS_ENTRY_*) to a file that is not committed yet, and removes others (no_longer). */
void ws_recording_hint(ws_recording *recording, uint32_t number, uint32_t flags, uint32_t no_longer);
/* Sets the present load path for the index (absolute entries; copied). NULL, 0: the index stays as it is. */
void ws_recording_load_path(ws_recording *recording, const ws_index_source *sources, size_t count);
/* Ruby's own search found nothing under this name. The next index that is written has the name; copied. */
void ws_recording_missing(ws_recording *recording, const char *name, size_t size);
size_t ws_recording_missing_count(ws_recording *recording);
/* Sets the text of section STATISTICS for the next segment; copied. */
void ws_recording_statistics(ws_recording *recording, const char *text, size_t size, bool alone);

size_t ws_recording_pending(ws_recording *recording);

/* Starts the thread that writes, if there is none. false: no thread can be started now. */
bool ws_recording_start(ws_recording *recording);
/* Asks the thread to write what is pending, and starts the thread if there is none. Does not wait. */
void ws_recording_request_commit(ws_recording *recording);
/* Waits until everything that was asked for is written, or until the time is over. false: not everything is written.
 * The caller must not hold the GVL. */
bool ws_recording_wait(ws_recording *recording, uint32_t milliseconds);

/* The same, but gives up after a few milliseconds, whatever the clock says that the tests set. */
bool ws_recording_wait_a_moment(ws_recording *recording);

typedef struct ws_recording_result {
    uint64_t commits, written, unchanged, racy, failed;
    ws_published published;
    ws_error error; /* of the last commit; its code is WS_OK after a success */
} ws_recording_result;
ws_recording_result ws_recording_last(ws_recording *recording);

/* Called in a forked child, which then never writes and holds nothing of the parent's. Async-signal-safe. */
void ws_recording_abandon_after_fork(ws_recording *recording);
/* Waits for a commit in progress and frees everything. */
void ws_recording_free(ws_recording *recording);

#endif
