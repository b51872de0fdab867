#include "core/adoption/adoption.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/adoption/relocation.h"
#include "core/adoption/spelling.h"
#include "core/bytes/vector.h"
#include "core/image/image.h"
#include "core/index/feature_index_tables.h"
#include "core/index/real_folders.h"
#include "core/recording/recording_writer.h"
#include "core/system/clock.h"
#include "core/system/thread.h"

enum { PATH_MAXIMUM = 4096, THREADS_MAXIMUM = 8 };

typedef enum outcome { TAKEN, GONE, CHANGED, FIXED } outcome;

/* A file of the other image. */
typedef struct candidate {
    ws_found found;
    const char *old_path, *old_realpath;
    char *path, *realpath; /* here */
    size_t path_size;      /* of a document: with the call behind the NUL */
    bool moved;
    outcome outcome;
    ws_stat stat;
    uint8_t *payload;
    size_t payload_size;
    bool relocated;
} candidate;

typedef struct adopting {
    const ws_adoption *adoption;
    ws_image image; /* the other one */
    bool portable;  /* is it? Then metadata say less than contents */
    bool own;       /* is it the own image? */
    candidate *candidates;
    size_t count, capacity;
    size_t next; /* of the candidates, for the threads */
} adopting;

/* ---- where does a path lie here? ---- */

/* Returns the part of a gem's path that is the same in every home of gems, "/gems/rack-3.1.8/lib/rack.rb", or NULL. The
 * home's own path may have such folders, too ("/usr/lib/ruby/gems/3.1.0"). */
static const char *
part_in_home(const char *path)
{
    static const char folder[] = "/gems/";
    for (const char *part = path; (part = strstr(part, folder)); part++)
        for (const char *at = part + sizeof folder - 1; *at && *at != '/'; at++)
            if (at[0] == '-' && at[1] >= '0' && at[1] <= '9') return part;
    return NULL;
}

static bool
join(char here[PATH_MAXIMUM], const char *folder, const char *rest)
{
    return (size_t)snprintf(here, PATH_MAXIMUM, "%s%s", folder, rest) < PATH_MAXIMUM;
}

/* Is the path that of the other image's application, or below its folder? *rest: what follows. */
static bool
is_of_application(const adopting *work, const char *path, const char **rest)
{
    const char *root = work->image.manifest.root;
    size_t size = strlen(root);
    *rest = path + size;
    return size > 1 && strncmp(path, root, size) == 0 && (**rest == '/' || **rest == 0);
}

/* Writes into `here` where a path of the other image lies here: in our application if it lay in that one, in a home of
 * gems if it does not exist and lay in one, or where it was. Returns false if it does not fit. */
static bool
place_here(const adopting *work, const char *path, char here[PATH_MAXIMUM])
{
    const ws_adoption *adoption = work->adoption;
    const char *rest, *root = adoption->own->store.root;
    ws_stat stat;
    if (root && is_of_application(work, path, &rest)) return join(here, root, rest);
    const char *in_home = part_in_home(path);
    if (in_home && ws_file_stat_named(path, &stat) != 0)
        for (const char *const *home = adoption->gem_homes; *home; home++)
            if (join(here, *home, in_home) && ws_file_stat_named(here, &stat) == 0) return true;
    return join(here, "", path);
}

/* Is this a file of a gem that nobody wants? (The folders of git's gems, in bundler/gems, are not named by versions. A
 * lockfile does not decide which Bundler runs, so each one is wanted.) */
static bool
is_unwanted(const adopting *work, const char *path)
{
    const char *part = part_in_home(path), *gems = work->adoption->gems;
    if (!part || !gems || strstr(path, "/bundler/gems/")) return false;
    char name[PATH_MAXIMUM];
    static const char bundler[] = "bundler-";
    const char *start = part + strlen("/gems/"), *end = strchr(start, '/');
    if (strncmp(start, bundler, sizeof bundler - 1) == 0 && start[sizeof bundler - 1] >= '0' &&
        start[sizeof bundler - 1] <= '9')
        return false;
    return end && (size_t)snprintf(name, sizeof name, "\n%.*s\n", (int)(end - start), start) < sizeof name &&
           !strstr(gems, name);
}

/* Would Ruby find this realpath here? A path without links may lead through one now. */
static bool
is_realpath(const char *path, const char *realpath)
{
    if (strcmp(path, realpath) == 0) {
        const char *base = strrchr(path, '/');
        return base && ws_is_real_folder(path, base == path ? 1 : (size_t)(base - path));
    }
    char *real = ws_file_real_path(path);
    bool same = real && strcmp(real, realpath) == 0;
    free(real);
    return same;
}

/* Adds the entry to the candidates, or counts it. Returns false without memory. */
static bool
consider(adopting *work, ws_found found, ws_adopted *adopted)
{
    const ws_entry *entry = found.entry;
    const char *path = ws_segment_string(found.segment, entry->path_offset, entry->path_size);
    const char *realpath = ws_segment_string(found.segment, entry->realpath_offset, entry->realpath_size);
    char here[PATH_MAXIMUM], real[PATH_MAXIMUM];
    adopted->entries++;
    if (path && is_unwanted(work, path)) {
        adopted->unwanted++;
        return true;
    }
    if (!path || !realpath || !place_here(work, path, here) || !place_here(work, realpath, real)) {
        adopted->gone++;
        return true;
    }
    bool moved = strcmp(path, here) != 0 || strcmp(realpath, real) != 0;
    if (work->own && !moved) return true;
    if (!WS_RESERVE(work->candidates, work->capacity, work->count + 1)) return false;
    candidate *file = &work->candidates[work->count];
    *file = (candidate){ .found = found, .old_path = path, .old_realpath = realpath, .moved = moved, .outcome = GONE };
    /* A document's path ends with a NUL and its call. */
    size_t old_size = strlen(path), size = strlen(here), rest = entry->path_size - old_size;
    file->path_size = size + rest;
    file->path = malloc(file->path_size + 1);
    file->realpath = ws_bytes_copy(real, strlen(real));
    if (!file->path || !file->realpath) {
        free(file->path);
        free(file->realpath);
        return false;
    }
    memcpy(file->path, here, size);
    memcpy(file->path + size, path + old_size, rest + 1);
    bool known = work->own && ws_image_find(&work->image, file->path, file->path_size).entry;
    if (!known && is_realpath(here, real)) {
        work->count++;
        return true;
    }
    adopted->gone += !known;
    free(file->path);
    free(file->realpath);
    return true;
}

static bool
collect(adopting *work, ws_adopted *adopted)
{
    const ws_image *image = &work->image;
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        const ws_segment *segment = &image->segments[i];
        for (uint32_t row = 0; row < segment->entry_count; row++) {
            const ws_entry *entry = &segment->entries[row];
            if (!ws_image_is_newest(image, segment, entry)) continue;
            if (!consider(work, (ws_found){ entry, segment }, adopted)) return false;
        }
    }
    return true;
}

/* ---- one file, in a thread ---- */

typedef struct source {
    uint8_t *bytes;
    size_t size;
    ws_hash128 hash;
} source;

/* Reads the file that has this stat. The caller frees read->bytes. */
static bool
read_source(const char *path, const ws_stat *stat, source *read)
{
    int descriptor;
    ws_stat opened, after;
    size_t size = (size_t)stat->size;
    *read = (source){ .bytes = malloc(size + 1), .size = size };
    if (!read->bytes || ws_file_open(path, WS_OPEN_FILE, &descriptor) != 0) return false;
    bool whole = ws_file_stat_descriptor(descriptor, &opened) == 0 && ws_stat_is_same(&opened, stat) &&
                 ws_file_read(descriptor, read->bytes, size + 1, &read->size) == 0 && read->size == size &&
                 ws_file_stat_descriptor(descriptor, &after) == 0 && ws_stat_is_same(&after, stat);
    ws_file_close(descriptor);
    read->hash = ws_hash128_bytes(read->bytes, read->size);
    return whole;
}

/* Copies the payload and verifies it. */
static bool
copy_payload(const adopting *work, candidate *file)
{
    const ws_entry *entry = file->found.entry;
    const ws_segment *segment = entry->payload_segment == 0
                                    ? file->found.segment
                                    : ws_image_segment_by_id(&work->image, entry->payload_segment);
    const uint8_t *bytes = segment ? ws_segment_payload(segment, entry) : NULL;
    file->payload_size = (size_t)entry->payload_size;
    file->payload = bytes ? malloc(file->payload_size + 1) : NULL;
    return file->payload && ws_mapping_read_out(file->payload, bytes, file->payload_size) == WS_OK &&
           ws_hash64(file->payload, file->payload_size, WS_SEED_PAYLOAD) == entry->payload_checksum;
}

/* Moves the code to its new path. Returns false if that cannot be done exactly. */
static bool
relocate(candidate *file, const source *read)
{
    const char *reason;
    ws_place from = { file->old_path, file->old_realpath }, to = { file->path, file->realpath };
    if (ws_may_spell(read->bytes, read->size, from.path) || ws_may_spell(read->bytes, read->size, from.realpath))
        return false;
    size_t size;
    uint8_t *payload = ws_relocate(file->payload, file->payload_size, from, to, &size, &reason);
    if (!payload) return false;
    free(file->payload);
    file->payload = payload;
    file->payload_size = size;
    file->relocated = true;
    return true;
}

static outcome
compare(const adopting *work, candidate *file)
{
    const char *reason;
    const ws_entry *entry = file->found.entry;
    if (ws_file_stat_named(file->path, &file->stat) != 0) return GONE;
    if (file->stat.is_link && strcmp(file->path, file->realpath) == 0) return CHANGED;
    ws_freshness freshness = ws_entry_freshness(entry, work->portable, &file->stat, &reason);
    if (freshness == WS_STALE_SIZE || freshness == WS_STALE_TYPE) return CHANGED;
    if (!copy_payload(work, file)) return CHANGED;
    if (freshness == WS_FRESH && !work->portable && !file->moved) return TAKEN;

    source read;
    outcome result = CHANGED;
    if (read_source(file->path, &file->stat, &read) && read.hash.low == entry->content_low &&
        read.hash.high == entry->content_high)
        result = file->moved && !(entry->flags & WS_ENTRY_DOCUMENT) && !relocate(file, &read) ? FIXED : TAKEN;
    free(read.bytes);
    return result;
}

static void *
compare_some(void *argument)
{
    adopting *work = argument;
    for (;;) {
        size_t number = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
        if (number >= work->count) return NULL;
        work->candidates[number].outcome = compare(work, &work->candidates[number]);
    }
}

static void
compare_all(adopting *work)
{
    ws_thread threads[THREADS_MAXIMUM];
    uint32_t count = 0;
    ws_mapping_guard_install();
    while (count + 1 < work->adoption->threads && count < THREADS_MAXIMUM &&
           ws_thread_start(&threads[count], compare_some, work, 0))
        count++;
    compare_some(work);
    while (count > 0) ws_thread_join(threads[--count]);
}

/* ---- writing ---- */

static ws_recorded_file
recorded_file(const candidate *file)
{
    return (ws_recorded_file){
        .path = file->path,
        .path_size = file->path_size,
        .realpath = file->realpath,
        .realpath_size = strlen(file->realpath),
        .payload = file->payload,
        .payload_size = file->payload_size,
        .entry = file->found.entry,
        .stat = file->stat,
        .flags = file->found.entry->flags,
        .warning_level = file->found.entry->warning_level,
    };
}

/* Adds the load path of the other image, as it is here, so that the new index knows its folders. */
static void
add_load_path(const adopting *work, ws_recording_batch *batch)
{
    const ws_segment *segment = ws_image_newest_with(&work->image, WS_SECTION_LOAD_PATH);
    ws_index_tables tables;
    ws_error error;
    if (!segment || ws_index_tables_load(&tables, segment, &error) != WS_OK) return;
    batch->sources = calloc(tables.name_count + 1, sizeof *batch->sources);
    for (uint32_t i = 0; batch->sources && i < tables.name_count; i++) {
        const ws_load_path_name *name = &tables.names[i];
        ws_index_source *entry = &batch->sources[batch->source_count];
        char here[PATH_MAXIMUM];
        if (!place_here(work, segment->strings + name->name_offset, here)) continue;
        entry->given_size = strlen(here);
        entry->given = ws_bytes_copy(here, entry->given_size);
        entry->stable = tables.entries[name->entry].flags & WS_LOAD_PATH_STABLE;
        if (entry->given) batch->source_count++;
    }
}

/* They tell how large a boot grows (docs/gc.md), among other things. */
static void
add_statistics(const adopting *work, ws_recording_batch *batch)
{
    const ws_segment *segment = ws_image_newest_with(&work->image, WS_SECTION_STATISTICS);
    if (!segment) return;
    ws_section_view text = ws_segment_section(segment, WS_SECTION_STATISTICS);
    batch->statistics = ws_bytes_copy(text.bytes, text.size);
    batch->statistics_size = text.size;
}

static void
count_outcome(const candidate *file, ws_adopted *adopted)
{
    switch (file->outcome) {
        case TAKEN:
            adopted->taken++;
            if (file->relocated) adopted->relocated++;
            break;
        case GONE: adopted->gone++; break;
        case CHANGED: adopted->changed++; break;
        case FIXED: adopted->fixed++; break;
    }
}

static ws_code
write_taken(const adopting *work, ws_adopted *adopted, ws_error *error)
{
    ws_recording_settings settings = { .options = *work->adoption->own,
                                       .started_real = ws_clock_wall(),
                                       .started_monotonic = ws_clock_now() };
    ws_recording_batch batch = { .files = calloc(work->count + 1, sizeof *batch.files) };
    ws_recording_result result = { 0 };
    for (size_t i = 0; batch.files && i < work->count; i++) {
        count_outcome(&work->candidates[i], adopted);
        if (work->candidates[i].outcome == TAKEN) batch.files[batch.count++] = recorded_file(&work->candidates[i]);
    }
    if (!batch.files) ws_error_set(&result.error, WS_MEMORY, 0, "adopt", work->adoption->directory);
    if (batch.count) {
        add_load_path(work, &batch);
        add_statistics(work, &batch);
        ws_recording_write(&settings, &batch, &result);
    }
    adopted->young = (uint32_t)result.racy;
    adopted->taken -= adopted->young;
    while (batch.source_count > 0) free((char *)batch.sources[--batch.source_count].given);
    free(batch.sources);
    free(batch.statistics);
    free(batch.files);
    if (result.error.code != WS_OK) *error = result.error;
    return result.error.code;
}

ws_code
ws_adopt(const ws_adoption *adoption, ws_adopted *adopted, ws_error *error)
{
    adopting *work = calloc(1, sizeof *work);
    memset(adopted, 0, sizeof *adopted);
    if (!work) return ws_error_set(error, WS_MEMORY, 0, "adopt", adoption->directory);
    ws_image_options options = { .directory = adoption->directory,
                                 .key_hash = adoption->own->store.key_hash,
                                 .trust = adoption->trust };
    ws_code code = ws_image_open(&work->image, &options, error);
    if (code == WS_OK) {
        work->adoption = adoption;
        work->own = strcmp(adoption->directory, adoption->own->store.directory) == 0 &&
                    (adoption->trust.secret == NULL) == (adoption->own->store.trust.secret == NULL);
        work->portable = work->image.manifest.flags & WS_IMAGE_PORTABLE;
        if (collect(work, adopted)) {
            compare_all(work);
            code = write_taken(work, adopted, error);
        }
        else code = ws_error_set(error, WS_MEMORY, 0, "adopt", adoption->directory);
        ws_real_folders_forget();
        ws_image_close(&work->image);
    }
    for (size_t i = 0; i < work->count; i++) {
        free(work->candidates[i].path);
        free(work->candidates[i].realpath);
        free(work->candidates[i].payload);
    }
    free(work->candidates);
    free(work);
    return code;
}
