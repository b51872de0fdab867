/* What a boot recorded, in C memory, and the native thread that turns it into a segment. No Ruby: the thread works
 * while Ruby code goes on, and a file is believed only after a second look at it.
 *
 * A file is kept when its metadata before Ruby opened it, when it was compiled and now are the same, and when its mtime
 * and ctime are older than the recording's start by more than the file system's granularity; then its content is
 * hashed. Everything else waits for the next boot: hashing it later would bind new content to old code.
 *
 * Who calls: ruby/recorder/recorder.c, ruby/command_line/builder.c. */
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

typedef struct ws_recording_options {
    ws_store_options store; /* strings are copied */
    const char *key;
    size_t key_size;
    const char *dlext;
    const char *const *ignored; /* NULL: the default list; copied */
    uint32_t idle_milliseconds; /* a pause that long without a new file begins a commit; 0: only when asked */
    bool trusting_times;        /* build: no rule about young files (nothing runs that could write them) */
} ws_recording_options;

ws_recording *ws_recording_new(const ws_recording_options *options);

typedef struct ws_recorded_file {
    const char *path;
    size_t path_size;
    const char *realpath;
    size_t realpath_size;
    const void *payload;
    size_t payload_size; /* copied; NULL: an entry revalidated, see `entry` */
    const ws_entry *entry;
    uint64_t entry_segment; /* revalidated: the entry and the id of the segment with its payload */
    ws_stat stat;
    uint32_t flags, warning_level;
    uint64_t useless_segment; /* 0: none; else the id of the segment whose entry for this path gave nothing that could
                                 be used: the file takes its place, although nothing else has changed */
} ws_recorded_file;

/* Copies. The file's number, or UINT32_MAX when memory is short or too much waits already (WS_PENDING_MAXIMUM, or what
 * an image may take): then the file waits for the next boot. Thread-safe. */
uint32_t ws_recording_add(ws_recording *recording, const ws_recorded_file *file);
/* Adds hints (WS_ENTRY_*) to a file that was added before and is not committed yet, and takes others back. */
void ws_recording_hint(ws_recording *recording, uint32_t number, uint32_t flags, uint32_t no_longer);
/* The load path as it is now (absolute entries; copied), for the index. NULL, 0: leave the index alone. */
void ws_recording_load_path(ws_recording *recording, const ws_index_source *sources, size_t count);
/* Ruby's own search found nothing under this name (copied). The next index that is written says so. */
void ws_recording_missing(ws_recording *recording, const char *name, size_t size);
size_t ws_recording_missing_count(ws_recording *recording);
/* Text of section STATISTICS for the segment that is written next; copied. */
void ws_recording_statistics(ws_recording *recording, const char *text, size_t size, bool alone);

size_t ws_recording_pending(ws_recording *recording);

/* Bytes in memory that wait for a commit or are being written: no more than this. */
#define WS_PENDING_MAXIMUM ((size_t)512 << 20)
size_t ws_recording_pending_size(ws_recording *recording);

/* Starts the thread when there is none, asks it to write what is pending. Does not wait. */
void ws_recording_commit(ws_recording *recording);
/* Waits until what was asked for is written, at most that long, or until it is called off. false: not finished. Call
 * without the GVL. called_off: false at first, and only ws_recording_call_off makes it true; NULL: nobody will. */
bool ws_recording_wait(ws_recording *recording, uint32_t milliseconds, const bool *called_off);
/* Ends a wait, which may not have begun. (Whatever is being written goes on.) */
void ws_recording_call_off(ws_recording *recording, bool *called_off);

typedef struct ws_recording_result {
    uint64_t commits, written, unchanged, racy, failed;
    ws_published published;
    ws_error error; /* of the last commit; code WS_OK when it went well */
} ws_recording_result;
ws_recording_result ws_recording_last(ws_recording *recording);

/* In a fork's child: never writes again, holds nothing of the parent's. Async-signal-safe. */
void ws_recording_abandon_after_fork(ws_recording *recording);
/* Waits for a commit in progress, frees everything. */
void ws_recording_free(ws_recording *recording);

#endif
