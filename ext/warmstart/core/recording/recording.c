/* The recording and its thread; see recording.h. One mutex guards the batch of pending files. The thread takes the
 * whole batch before it works on it, so Ruby never waits for the disk. */
#include "core/recording/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/recording/recording_writer.h"
#include "core/system/clock.h"
#include "core/system/thread.h"

struct ws_recording {
    ws_mutex mutex;
    ws_condition wake, done;
    ws_thread thread;
    bool running, stop, abandoned;
    uint64_t asked, finished;          /* numbers of commits */
    int64_t last_add;                  /* monotonic clock, in ns */
    ws_recording_batch batch;          /* files that wait for a commit */
    size_t written_size, maximum_size; /* bytes being written; limit of the bytes in memory, including these */
    ws_recording_settings settings;
    uint32_t idle_milliseconds;
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
    if (!ws_recording_settings_copy(&recording->settings, options)) {
        free(recording);
        return NULL;
    }
    recording->idle_milliseconds = options->idle_milliseconds;
    /* An image may not become larger than this anyway. */
    uint64_t image_size = options->store.maximum_size;
    recording->maximum_size = image_size && image_size < WS_PENDING_MAXIMUM ? (size_t)image_size : WS_PENDING_MAXIMUM;
    ws_mutex_init(&recording->mutex);
    ws_condition_init(&recording->wake);
    ws_condition_init(&recording->done);
    recording->last_add = ws_clock_now();
    return recording;
}

/* ---- the thread ---- */

static void
wait_a_little(ws_recording *recording)
{
    ws_condition_wait(&recording->wake, &recording->mutex, 200);
}

static bool
idle_for_long_enough(const ws_recording *recording, int64_t last_commit)
{
    if (!recording->idle_milliseconds || !recording->batch.count) return false;
    int64_t now = ws_clock_now();
    if (last_commit && now - last_commit < IDLE_COMMIT_INTERVAL_NS) return false;
    return now - recording->last_add >= (int64_t)recording->idle_milliseconds * 1000000;
}

/* Called with the mutex held; releases it while it writes. */
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

    bool published = (batch.count || batch.source_count || batch.statistics_alone) &&
                     ws_recording_write(&recording->settings, &batch, &result);
    if (published) {
        recording->settings.store.replace = false; /* otherwise the next commit would replace this one */
        recording->settings.store.anchor = ws_anchor_take(recording->settings.directory);
    }
    ws_recording_batch_free(&batch);

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
    ws_mutex_lock(&recording->mutex);
    while (!recording->stop) {
        bool idle = idle_for_long_enough(recording, last_commit);
        if (idle) recording->asked++; /* so that the end of the program waits for this commit */
        if (recording->asked > recording->finished) {
            commit(recording);
            last_commit = ws_clock_now();
        }
        else if (recording->idle_milliseconds) wait_a_little(recording);
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

/* Called with the mutex held. */
static bool
has_room(const ws_recording *recording, const ws_recorded_file *file)
{
    size_t taken = recording->batch.size + recording->written_size;
    return taken <= recording->maximum_size && ws_recording_batch_cost(file) <= recording->maximum_size - taken;
}

uint32_t
ws_recording_add(ws_recording *recording, const ws_recorded_file *file)
{
    ws_mutex_lock(&recording->mutex);
    uint32_t number = UINT32_MAX;
    if (!recording->abandoned && has_room(recording, file)) {
        number = ws_recording_batch_add(&recording->batch, file);
        recording->last_add = ws_clock_now();
        if (recording->idle_milliseconds) start_thread(recording);
    }
    ws_mutex_unlock(&recording->mutex);
    return number;
}

void
ws_recording_hint(ws_recording *recording, uint32_t number, uint32_t flags, uint32_t no_longer)
{
    ws_mutex_lock(&recording->mutex);
    ws_recording_batch_hint(&recording->batch, number, flags, no_longer);
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_load_path(ws_recording *recording, const ws_index_source *sources, size_t count)
{
    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) ws_recording_batch_load_path(&recording->batch, sources, count);
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_missing(ws_recording *recording, const char *name, size_t size)
{
    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) ws_recording_batch_missing(&recording->batch, name, size);
    ws_mutex_unlock(&recording->mutex);
}

void
ws_recording_statistics(ws_recording *recording, const char *text, size_t size, bool alone)
{
    ws_mutex_lock(&recording->mutex);
    if (!recording->abandoned) ws_recording_batch_statistics(&recording->batch, text, size, alone);
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

size_t
ws_recording_pending_size(ws_recording *recording)
{
    ws_mutex_lock(&recording->mutex);
    size_t size = recording->batch.size + recording->written_size;
    ws_mutex_unlock(&recording->mutex);
    return size;
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
ws_recording_commit(ws_recording *recording)
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
    enum { MOMENT = 5 };

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
    ws_recording_batch_free(&recording->batch);
    ws_recording_settings_free(&recording->settings);
    free(recording);
}
