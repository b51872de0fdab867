/* The batch of recorded files that wait for a commit, and the copied settings of a recording. Only recording.c
 * calls. */
#include "core/recording/recording_writer.h"
#include "core/bytes/vector.h"
#include "core/system/clock.h"

#include <stdlib.h>
#include <string.h>

/* The most names of missing files in one commit, and the most bytes of a name. They keep a program that makes names up
 * from filling the memory. */
#define MISSING_MAXIMUM 4096u
#define MISSING_NAME_MAXIMUM 1000u

static char *
copy_text(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, bytes, size);
    copy[size] = 0;
    return copy;
}

static void
free_file(ws_pending_file *file)
{
    free(file->path);
    free(file->realpath);
    free(file->payload);
}

static bool
copy_file(ws_pending_file *copy, const ws_recorded_file *file)
{
    memset(copy, 0, sizeof *copy);
    copy->path = copy_text(file->path, file->path_size);
    copy->realpath = copy_text(file->realpath, file->realpath_size);
    copy->path_size = (uint32_t)file->path_size;
    copy->realpath_size = (uint32_t)file->realpath_size;
    copy->revalidated = file->payload == NULL;
    if (file->payload) {
        copy->payload = malloc(file->payload_size ? file->payload_size : 1);
        if (copy->payload) memcpy(copy->payload, file->payload, file->payload_size);
        copy->payload_size = file->payload_size;
    }
    else {
        copy->entry = *file->entry;
        copy->entry_segment = file->entry_segment;
    }
    copy->stat = file->stat;
    copy->flags = file->flags;
    copy->warning_level = file->warning_level;
    copy->useless_segment = file->useless_segment;
    if (copy->path && copy->realpath && (copy->revalidated || copy->payload)) return true;
    free_file(copy);
    return false;
}

/* Counts three rows for a file, because a full list is copied into one of twice the size. */
size_t
ws_recording_batch_cost(const ws_recorded_file *file)
{
    return 3 * sizeof(ws_pending_file) + file->path_size + file->realpath_size +
           (file->payload ? file->payload_size : 0);
}

uint32_t
ws_recording_batch_add(ws_recording_batch *batch, const ws_recorded_file *file)
{
    if (!WS_RESERVE(batch->files, batch->capacity, batch->count + 1)) return UINT32_MAX;
    if (!copy_file(&batch->files[batch->count], file)) return UINT32_MAX;
    batch->size += ws_recording_batch_cost(file);
    return batch->first_number + batch->count++;
}

void
ws_recording_batch_hint(ws_recording_batch *batch, uint32_t number, uint32_t flags, uint32_t no_longer)
{
    if (number < batch->first_number || number - batch->first_number >= batch->count) return;
    ws_pending_file *file = &batch->files[number - batch->first_number];
    file->flags = (file->flags | flags) & ~no_longer;
}

static void
free_sources(ws_recording_batch *batch)
{
    for (size_t i = 0; i < batch->source_count; i++) free((char *)batch->sources[i].given);
    free(batch->sources);
    batch->sources = NULL;
    batch->source_count = 0;
}

void
ws_recording_batch_load_path(ws_recording_batch *batch, const ws_index_source *sources, size_t count)
{
    free_sources(batch);
    batch->sources = calloc(count ? count : 1, sizeof *batch->sources);
    if (!batch->sources) return;
    for (size_t i = 0; i < count; i++) {
        char *given = copy_text(sources[i].given, sources[i].given_size);
        if (!given) break;
        batch->sources[i] = sources[i];
        batch->sources[i].given = given;
        batch->source_count = i + 1;
    }
}

void
ws_recording_batch_statistics(ws_recording_batch *batch, const char *text, size_t size, bool alone)
{
    free(batch->statistics);
    batch->statistics = copy_text(text, size);
    batch->statistics_size = batch->statistics ? size : 0;
    batch->statistics_alone = alone && batch->statistics;
}

void
ws_recording_batch_missing(ws_recording_batch *batch, const char *name, size_t size)
{
    if (batch->missing.count < MISSING_MAXIMUM && size <= MISSING_NAME_MAXIMUM)
        ws_string_pool_intern(&batch->missing, name, size);
}

void
ws_recording_batch_free(ws_recording_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) free_file(&batch->files[i]);
    free(batch->files);
    free_sources(batch);
    ws_string_pool_free(&batch->missing);
    free(batch->statistics);
    memset(batch, 0, sizeof *batch);
}

static char **
copy_list(const char *const *list)
{
    size_t count = 0;
    while (list[count]) count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) copy[i] = copy_text(list[i], strlen(list[i]));
    return copy;
}

bool
ws_recording_settings_copy(ws_recording_settings *settings, const ws_recording_options *options)
{
    memset(settings, 0, sizeof *settings);
    settings->store = options->store;
    settings->store.directory = settings->directory =
        copy_text(options->store.directory, strlen(options->store.directory));
    const char *root = options->store.root ? options->store.root : "";
    settings->store.root = settings->root = copy_text(root, strlen(root));
    settings->key = copy_text(options->key, options->key_size);
    settings->key_size = options->key_size;
    settings->dlext = copy_text(options->dlext, strlen(options->dlext));
    if (options->ignored) settings->ignored = copy_list(options->ignored);
    if (options->store.fingerprint_count) {
        size_t size = options->store.fingerprint_count * sizeof *settings->fingerprints;
        settings->fingerprints = malloc(size);
        if (settings->fingerprints) memcpy(settings->fingerprints, options->store.fingerprints, size);
        settings->store.fingerprints = settings->fingerprints;
    }
    settings->trusting_times = options->trusting_times;
    settings->started_real = ws_clock_wall();
    settings->started_monotonic = ws_clock_now();
    if (settings->directory && settings->root && settings->key && settings->dlext &&
        (settings->fingerprints || !options->store.fingerprint_count))
        return true;
    ws_recording_settings_free(settings);
    return false;
}

void
ws_recording_settings_free(ws_recording_settings *settings)
{
    free(settings->directory);
    free(settings->root);
    free(settings->key);
    free(settings->dlext);
    free(settings->fingerprints);
    for (char **name = settings->ignored; name && *name; name++) free(*name);
    free(settings->ignored);
    memset(settings, 0, sizeof *settings);
}
