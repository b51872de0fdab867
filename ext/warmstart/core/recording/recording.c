/* The recording and its thread; see recording.h. One mutex guards the batch of pending files. The thread takes the
 * whole batch before it works on it, so Ruby never waits for the disk. */
#include "core/recording/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/vector.h"
#include "core/recording/recording_writer.h"
#include "core/system/clock.h"
#include "core/system/thread.h"

/* The most bytes that may be in memory because they wait for a commit or are being written. */
#define PENDING_MAXIMUM ((size_t)512 << 20)
/* The most names of missing files in one commit, and the most bytes of a name. They keep a program that makes names up
 * from filling the memory. */
#define MISSING_MAXIMUM 4096u
#define MISSING_NAME_MAXIMUM 1000u

struct ws_recording {
    ws_mutex mutex;
    ws_condition wake, done;
    ws_thread thread;
    bool running, stop, abandoned;
    uint64_t asked, finished;          /* numbers of commits */
    int64_t last_add;                  /* monotonic clock, in ns */
    ws_recording_batch batch;          /* files that wait for a commit */
    size_t written_size, maximum_size; /* bytes being written; limit of the bytes in memory, including these */
    uint64_t indexed;                  /* the thread's: the load path of the last index, as a hash; 0: none */
    ws_recording_settings settings;
    ws_recording_result result;
};

/* The shortest time between two commits that begin because of a pause. It keeps the segments few when a server loads
 * its code bit by bit. */
#define IDLE_COMMIT_INTERVAL_NS (INT64_C(10) * 1000000000)

ws_recording *
ws_recording_new(const ws_recording_options *options)
{
    ws_recording *recording = calloc(1, sizeof *recording);
    if (!recording) return NULL;
    recording->settings = (ws_recording_settings){ *options, ws_clock_wall(), ws_clock_now() };
    recording->settings.options.store.began = recording->settings.started_real / 1000000000;
    /* An image may not become larger than this anyway. */
    uint64_t image_size = options->store.maximum_size;
    recording->maximum_size = image_size && image_size < PENDING_MAXIMUM ? (size_t)image_size : PENDING_MAXIMUM;
    ws_mutex_init(&recording->mutex);
    ws_condition_init(&recording->wake);
    ws_condition_init(&recording->done);
    recording->last_add = ws_clock_now();
    return recording;
}

/* ---- the batch ---- */

static void
free_file(ws_recorded_file *file)
{
    free((void *)file->path);
    free((void *)file->realpath);
    free((void *)file->payload);
    free((void *)file->entry);
}

static bool
copy_file(ws_recorded_file *copy, const ws_recorded_file *file)
{
    *copy = *file;
    copy->path = ws_bytes_copy(file->path, file->path_size);
    copy->realpath = ws_bytes_copy(file->realpath, file->realpath_size);
    copy->payload = file->payload ? ws_bytes_copy(file->payload, file->payload_size) : NULL;
    copy->entry = file->entry ? ws_bytes_copy(file->entry, sizeof *file->entry) : NULL;
    if (copy->path && copy->realpath && (copy->payload || copy->entry)) return true;
    free_file(copy);
    return false;
}

/* Counts three rows for a file, because a full list is copied into one of twice the size. */
static size_t
cost_of(const ws_recorded_file *file)
{
    return 3 * sizeof *file + file->path_size + file->realpath_size +
           (file->payload ? file->payload_size : sizeof *file->entry);
}

static void
free_sources(ws_recording_batch *batch)
{
    for (size_t i = 0; i < batch->source_count; i++) free((char *)batch->sources[i].given);
    free(batch->sources);
    batch->sources = NULL;
    batch->source_count = 0;
}

static void
free_batch(ws_recording_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) free_file(&batch->files[i]);
    free(batch->files);
    free_sources(batch);
    ws_string_pool_free(&batch->missing);
    free(batch->statistics);
    memset(batch, 0, sizeof *batch);
}

/* ---- the thread ---- */

static bool
idle_for_long_enough(const ws_recording *recording, int64_t last_commit)
{
    if (!recording->settings.options.idle_milliseconds || !recording->batch.count) return false;
    int64_t now = ws_clock_now();
    if (last_commit && now - last_commit < IDLE_COMMIT_INTERVAL_NS) return false;
    return now - recording->last_add >= (int64_t)recording->settings.options.idle_milliseconds * 1000000;
}

static uint64_t
hash_of_load_path(const ws_recording_batch *batch)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < batch->source_count; i++)
        hash = ws_hash64(batch->sources[i].given, batch->sources[i].given_size, hash + batch->sources[i].stable + 1);
    return hash;
}

/* Called with the mutex held; releases it while it writes. A program that ends when its boot is over asks for a second
 * index at once, because the one that it uses is still the first: where that would be the same, it is not made. */
static void
commit(ws_recording *recording)
{
    uint64_t asked = recording->asked;
    ws_recording_batch batch = recording->batch;
    memset(&recording->batch, 0, sizeof recording->batch);
    recording->batch.first_number = batch.first_number + batch.count;
    recording->written_size = batch.size;
    ws_recording_result result = recording->result;
    ws_mutex_unlock(&recording->mutex);

    uint64_t load_path = hash_of_load_path(&batch);
    if (load_path == recording->indexed && batch.missing.count == 0) free_sources(&batch);
    bool published = (batch.count || batch.source_count || batch.statistics_alone) &&
                     ws_recording_write(&recording->settings, &batch, &result);
    if (published) {
        ws_store_options *store = &recording->settings.options.store;
        store->anchor = ws_anchor_take(store->directory);
        if (batch.source_count && result.error.code == WS_OK) recording->indexed = load_path;
    }
    free_batch(&batch);

    ws_mutex_lock(&recording->mutex);
    result.commits++;
    recording->written_size = 0;
    recording->result = result;
    recording->finished = asked;
    ws_condition_broadcast(&recording->done);
}

static void *
work(void *argument)
{
    ws_recording *recording = argument;
    int64_t last_commit = 0;
    recording->settings.options.store.own_descriptors = ws_thread_own_descriptors();
    ws_mutex_lock(&recording->mutex);
    while (!recording->stop) {
        bool idle = idle_for_long_enough(recording, last_commit);
        if (idle) recording->asked++; /* so that the end of the program waits for this commit */
        if (recording->asked > recording->finished) {
            commit(recording);
            last_commit = ws_clock_now();
        }
        else if (recording->settings.options.idle_milliseconds)
            ws_condition_wait(&recording->wake, &recording->mutex, 200);
        else ws_condition_wait(&recording->wake, &recording->mutex, UINT32_MAX);
    }
    ws_mutex_unlock(&recording->mutex);
    return NULL;
}

/* Called with the mutex held. */
static void
start_thread(ws_recording *recording)
{
    if (recording->running || recording->abandoned) return;
    recording->running = ws_thread_start(&recording->thread, work, recording, 0);
}

/* ---- what the bindings call ---- */

uint32_t
ws_recording_add(ws_recording *recording, const ws_recorded_file *file)
{
    ws_recording_batch *batch = &recording->batch;
    uint32_t number = UINT32_MAX;

    ws_mutex_lock(&recording->mutex);
    size_t cost = cost_of(file), taken = batch->size + recording->written_size;
    bool has_room = taken <= recording->maximum_size && cost <= recording->maximum_size - taken;
    if (!recording->abandoned && has_room) {
        if (WS_RESERVE(batch->files, batch->capacity, batch->count + 1) &&
            copy_file(&batch->files[batch->count], file)) {
            batch->size += cost;
            number = batch->first_number + batch->count++;
        }
        recording->last_add = ws_clock_now();
        if (recording->settings.options.idle_milliseconds) start_thread(recording);
    }
    ws_mutex_unlock(&recording->mutex);
    return number;
}

void
ws_recording_hint(ws_recording *recording, uint32_t number, uint32_t flags, uint32_t no_longer)
{
    ws_recording_batch *batch = &recording->batch;

    ws_mutex_lock(&recording->mutex);
    if (number >= batch->first_number && number - batch->first_number < batch->count) {
        ws_recorded_file *file = &batch->files[number - batch->first_number];
        file->flags = (file->flags | flags) & ~no_longer;
    }
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_load_path(ws_recording *recording, const ws_index_source *sources, size_t count)
{
    ws_recording_batch *batch = &recording->batch;

    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) {
        free_sources(batch);
        batch->sources = calloc(count ? count : 1, sizeof *batch->sources);
        for (; batch->sources && batch->source_count < count; batch->source_count++) {
            ws_index_source source = sources[batch->source_count];
            source.given = ws_bytes_copy(source.given, source.given_size);
            if (!source.given) break;
            batch->sources[batch->source_count] = source;
        }
    }
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_missing(ws_recording *recording, const char *name, size_t size)
{
    ws_string_pool *missing = &recording->batch.missing;

    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned && missing->count < MISSING_MAXIMUM && size <= MISSING_NAME_MAXIMUM)
        ws_string_pool_intern(missing, name, size);
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_statistics(ws_recording *recording, const char *text, size_t size, bool alone)
{
    ws_recording_batch *batch = &recording->batch;

    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) {
        free(batch->statistics);
        batch->statistics = ws_bytes_copy(text, size);
        batch->statistics_size = batch->statistics ? size : 0;
        batch->statistics_alone = alone && batch->statistics;
    }
    ws_mutex_unlock(&recording->mutex);
}

size_t
ws_recording_missing_count(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    size_t count = recording->batch.missing.count;
    ws_mutex_unlock(&recording->mutex);
    return count;
}

size_t
ws_recording_pending(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    size_t count = recording->batch.count;
    ws_mutex_unlock(&recording->mutex);
    return count;
}

bool
ws_recording_start(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    start_thread(recording);
    bool running = recording->running;
    ws_mutex_unlock(&recording->mutex);
    return running;
}

void
ws_recording_request_commit(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) {
        recording->asked++;
        start_thread(recording);
        if (!recording->running) { /* without a thread nothing is written, and nobody must wait for it */
            recording->finished = recording->asked;
            ws_error_set(&recording->result.error, WS_SYSTEM, EAGAIN, "start a thread for", "the boot image");
        }
        ws_condition_broadcast(&recording->wake);
    }
    ws_mutex_unlock(&recording->mutex);
}

bool
ws_recording_wait(ws_recording *recording, uint32_t milliseconds)
{
    int64_t until = ws_clock_now() + (int64_t)milliseconds * 1000000;

    ws_mutex_lock(&recording->mutex);
    while (!recording->abandoned && recording->finished < recording->asked) {
        int64_t left = until - ws_clock_now();
        if (left <= 0) break;
        ws_condition_wait(&recording->done, &recording->mutex, (uint32_t)(left / 1000000) + 1);
    }
    bool finished = recording->finished >= recording->asked;
    ws_mutex_unlock(&recording->mutex);
    return finished;
}

bool
ws_recording_wait_a_moment(ws_recording *recording)
{
    enum { MOMENT = 5 }; /* milliseconds */

    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned && recording->finished < recording->asked)
        ws_condition_wait(&recording->done, &recording->mutex, MOMENT);
    bool finished = recording->abandoned || recording->finished >= recording->asked;
    ws_mutex_unlock(&recording->mutex);
    return finished;
}

ws_recording_result
ws_recording_last(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    ws_recording_result result = recording->result;
    ws_mutex_unlock(&recording->mutex);
    return result;
}

void
ws_recording_abandon_after_fork(ws_recording *recording)
{
    /* The child does not have the thread, which may have held the mutex, so we make a new mutex. The pending files are
     * the parent's. */
    ws_mutex_init(&recording->mutex);
    recording->abandoned = true;
    recording->running = false;
    ws_store_abandon_after_fork();
}

void
ws_recording_free(ws_recording *recording)
{
    if (!recording) return;
    ws_mutex_lock(&recording->mutex);
    recording->stop = true;
    bool running = recording->running;
    ws_condition_broadcast(&recording->wake);
    ws_mutex_unlock(&recording->mutex);
    if (running) ws_thread_join(recording->thread);
    free_batch(&recording->batch);
    free(recording);
}
