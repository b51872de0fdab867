/* Turns recorded files into a published segment: looks at every file again, drops those that cannot be believed, and
 * hashes the others. Runs under the store's lock. Who calls: recording.c, in its own thread; adoption.c, in the thread
 * that adopts. */
#include "core/recording/recording_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/file_system/file_system.h"
#include "core/image/image.h"
#include "core/image/store_files.h"
#include "core/recording/source_encoding.h"
#include "core/system/clock.h"

/* ---- when did the recording start, by the clock of the file system? ---- */

/* The present time by the clock of the file system that holds the image's folder, read from the mtime of a temporary
 * file. 0: it cannot be found out. */
static int64_t
file_system_now(const char *directory, ws_error *error)
{
    int folder;
    int error_number = ws_file_open(directory, WS_OPEN_DIRECTORY_ITSELF, &folder);
    if (error_number != 0) return ws_error_set(error, WS_SYSTEM, error_number, "open", directory), 0;
    ws_temporary temporary;
    ws_stat stat = { 0 };
    if (ws_temporary_create(&temporary, folder, 0, false, directory, error) == WS_OK) {
        error_number = ws_file_stat_descriptor(temporary.descriptor, &stat);
        ws_temporary_discard(&temporary, folder);
        if (error_number != 0) ws_error_set(error, WS_SYSTEM, error_number, "fstat", directory);
    }
    ws_file_close(folder);
    return stat.mtime;
}

/* Files that changed after this moment are not believed. It is the earlier of two estimates, because somebody may have
 * set a clock meanwhile. 0: the file system's time is unknown, so no file may be believed. */
static int64_t
recording_started(const ws_recording_settings *settings, ws_error *error)
{
    int64_t now = file_system_now(settings->options.store.directory, error);
    if (!now) return 0;
    int64_t started = now - (ws_clock_now() - settings->started_monotonic);
    return settings->started_real < started ? settings->started_real : started;
}

/* ---- one file ---- */

/* Is the same entry in the image already, for example because another process has published it? */
static bool
is_known(const ws_image *image, const ws_recorded_file *file)
{
    if (!image) return false;
    ws_found found = ws_image_find(image, file->path, file->path_size);
    if (!found.entry || found.segment->header->segment_id == file->useless_segment) return false;
    const char *reason;
    bool portable = image->manifest.flags & WS_IMAGE_PORTABLE;
    if (ws_entry_freshness(found.entry, portable, &file->stat, &reason) != WS_FRESH) return false;
    if (!ws_warning_level_covers(found.entry->warning_level, file->warning_level)) return false;
    if ((found.entry->flags ^ file->flags) & WS_ENTRY_KIND) return false;
    const char *realpath = ws_segment_string(found.segment, found.entry->realpath_offset, found.entry->realpath_size);
    return realpath && found.entry->realpath_size == file->realpath_size &&
           memcmp(realpath, file->realpath, file->realpath_size) == 0;
}

/* On systems where listings return copies of a file's metadata, the copies under its other names may be outdated
 * (file_system.h). */
static bool
has_one_name(const ws_recorded_file *file)
{
    ws_stat stat;
    return ws_listings_tell_metadata && ws_file_stat_path(file->path, false, &stat) == 0 &&
           stat.type == WS_TYPE_REGULAR && stat.links == 1;
}

static void
fill_entry(ws_entry *entry, const ws_recorded_file *file, uint32_t order)
{
    entry->device = file->stat.device;
    entry->inode = file->stat.inode;
    entry->size = file->stat.size;
    entry->mtime = file->stat.mtime;
    entry->ctime = file->stat.ctime;
    entry->flags = file->flags & ~(uint32_t)(WS_ENTRY_ONE_NAME | WS_ENTRY_ACCESS_LIST);
    if (has_one_name(file)) entry->flags |= WS_ENTRY_ONE_NAME;
    if (ws_file_has_access_list(file->path)) entry->flags |= WS_ENTRY_ACCESS_LIST;
    entry->warning_level = file->warning_level;
    entry->order = order;
}

typedef struct ws_writing {
    const ws_recording_options *options;
    bool portable;
    const ws_image *image; /* the image that is on disk now, or NULL */
    ws_segment_writer *writer;
    ws_recording_result *result;
    int64_t started;
    bool out_of_memory;
} ws_writing;

static void
look_for_encoding(void *data, const uint8_t *bytes, size_t size)
{
    *(bool *)data = ws_source_loads_encoding(bytes, size);
}

static void
write_file(ws_writing *writing, const ws_recorded_file *file, uint32_t order)
{
    ws_stat now;
    if (is_known(writing->image, file)) {
        writing->result->unchanged++;
        return;
    }
    bool young =
        !writing->options->trusting_times && ws_stat_is_young(&file->stat, writing->started, writing->portable);
    if (young || ws_file_stat(file->path, &now) != 0 || !ws_stat_is_same(&now, &file->stat)) {
        writing->result->racy++;
        return;
    }

    ws_entry entry;
    bool encoded = file->entry && (file->entry->flags & WS_ENTRY_ENCODED);
    memset(&entry, 0, sizeof entry);
    if (file->entry && file->payload) { /* adopted */
        entry.content_low = file->entry->content_low;
        entry.content_high = file->entry->content_high;
    }
    else if (file->entry) { /* revalidated */
        const ws_segment *home = writing->image ? ws_image_segment_by_id(writing->image, file->entry_segment) : NULL;
        if (!home) {
            writing->result->racy++;
            return;
        }
        entry = *file->entry;
        if (!entry.payload_segment) entry.payload_segment = file->entry_segment;
    }
    else {
        ws_hash128 content;
        ws_content_callback look = file->flags & WS_ENTRY_DOCUMENT ? NULL : look_for_encoding;
        if (ws_file_hash_looking(file->path, &content, &now, look, &encoded, NULL) != WS_OK ||
            !ws_stat_is_same(&now, &file->stat)) {
            writing->result->racy++;
            return;
        }
        entry.content_low = content.low;
        entry.content_high = content.high;
    }
    fill_entry(&entry, file, order);
    if (encoded) entry.flags |= WS_ENTRY_ENCODED;
    if (ws_segment_writer_add(writing->writer, &entry, file->path, file->path_size, file->realpath, file->realpath_size,
                              file->payload, file->payload_size))
        writing->result->written++;
    else writing->out_of_memory = true;
}

/* ---- the whole ---- */

static bool
write_index(ws_writing *writing, const ws_recording_batch *batch)
{
    if (!batch->source_count) return false;
    ws_index_build_options options = {
        .dlext = writing->options->dlext,
        .ignored = writing->options->ignored,
        .young_at = writing->options->trusting_times ? 0 : writing->started,
        .portable = writing->portable,
        .missing = &batch->missing,
        .previous = writing->image ? ws_image_newest_with(writing->image, WS_SECTION_FEATURES) : NULL,
    };
    bool changed = false;
    ws_error error;
    ws_code code =
        ws_feature_index_build(writing->writer, batch->sources, batch->source_count, &options, &changed, &error);
    if (code != WS_OK) writing->result->error = error;
    return code == WS_OK && changed;
}

/* Returns whether a segment was published. */
static bool
write_locked(const ws_recording_settings *settings, const ws_recording_batch *batch, ws_store *store,
             ws_recording_result *result)
{
    const ws_recording_options *options = &settings->options;
    bool portable = options->store.image_flags & WS_IMAGE_PORTABLE;
    uint64_t written_before = result->written;
    ws_writing writing = {
        .options = options,
        .portable = portable,
        .image = ws_store_image(store),
        .writer = ws_segment_writer_new(options->key, options->key_size, portable ? WS_SEGMENT_PORTABLE : 0),
        .result = result,
        .started = options->trusting_times ? 0 : recording_started(settings, &result->error),
    };
    if (!writing.writer) ws_error_set(&result->error, WS_MEMORY, 0, "write", options->store.directory);
    if (result->error.code != WS_OK) {
        ws_segment_writer_free(writing.writer);
        return false;
    }
    for (uint32_t i = 0; i < batch->count && !writing.out_of_memory; i++)
        write_file(&writing, &batch->files[i], batch->first_number + i);
    bool index_changed = write_index(&writing, batch);
    bool published = false;

    if (writing.out_of_memory) ws_error_set(&result->error, WS_MEMORY, 0, "write", options->store.directory);
    else if (ws_segment_writer_count(writing.writer) || index_changed || batch->statistics_alone) {
        if (batch->statistics)
            ws_segment_writer_section(writing.writer, WS_SECTION_STATISTICS, batch->statistics, batch->statistics_size);
        ws_error error;
        published = ws_store_publish(store, writing.writer, &result->published, &error) == WS_OK;
        if (!published) result->error = error;
    }
    if (!published) result->written = written_before;
    ws_segment_writer_free(writing.writer);
    return published;
}

bool
ws_recording_write(const ws_recording_settings *settings, const ws_recording_batch *batch, ws_recording_result *result)
{
    ws_store *store = NULL;
    bool published = false;
    /* Not the result's: a successful opening may also fill it, with the reason why there was no image. */
    ws_error error;
    memset(&result->error, 0, sizeof result->error);
    if (ws_store_open(&store, &settings->options.store, &error) != WS_OK) result->error = error;
    else {
        published = write_locked(settings, batch, store, result);
        ws_store_close(store);
    }
    if (result->error.code != WS_OK) result->failed++;
    return published;
}
