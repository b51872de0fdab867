/* Lists the metadata calls that this boot may make in advance where calls are slow
 * (core/validation/validation_ahead.h). These are the calls for files and folders under Ruby's own root or in a gem, at
 * their first use, until the boot is complete or pauses. All other files are always checked at their use, because a
 * program may write a file and then require it. docs/loading.md */
#include "ruby/boot/boot.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/string_pool.h"
#include "core/file_system/file_system.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/validation/content_ahead.h"
#include "core/validation/listing_validation.h"

static bool enabled = true;

/* feature: the part of the path below its load-path entry */
typedef struct ordered_file {
    uint32_t order, size;
    const char *path, *feature;
    const ws_entry *entry;
} ordered_file;

static int
compare_order(const void *left, const void *right)
{
    uint32_t a = ((const ordered_file *)left)->order, b = ((const ordered_file *)right)->order;
    return a < b ? -1 : a > b;
}

/* Returns the part of the path below the longest stable load-path entry that holds it, or NULL if there is none. Stable
 * entries are the pool's first `count` strings. The look-ups themselves add the other folders behind them. */
static const char *
below_stable(ws_string_pool *stable, uint32_t count, const char *path, uint32_t size)
{
    while (size > 1) {
        while (size > 1 && path[size - 1] != '/') size--;
        size--;
        if (size > 0 && ws_string_pool_intern(stable, path, size) < count) return path + size + 1;
    }
    return NULL;
}

static uint32_t
stable_folders(ws_string_pool *pool)
{
    const ws_feature_index *index = ws_the_boot.index;
    for (uint32_t i = 0; i < ws_feature_index_entry_count(index); i++) {
        const char *expanded;
        size_t size;
        if (ws_feature_index_is_stable(index, i, &expanded, &size)) ws_string_pool_intern(pool, expanded, size);
    }
    return pool->count;
}

/* The files that recorded boots loaded, in the order of loading. Files that were only compiled are left out, because
 * they may never be required. stable: only files below such an entry, and no documents. */
static ordered_file *
recorded_files(bool stable, uint32_t *count)
{
    const ws_image *image = &ws_the_boot.image;
    ws_string_pool pool = { .count = 0 };
    uint32_t total = 0, folders = stable ? stable_folders(&pool) : 0;
    uint32_t unwanted = WS_ENTRY_COMPILED_ONLY | (stable ? WS_ENTRY_DOCUMENT : 0);
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) total += image->segments[i].entry_count;
    ordered_file *files = malloc((total > 0 ? total : 1) * sizeof *files);
    *count = 0;
    for (uint32_t i = 0; files && i < image->manifest.segment_count; i++) {
        const ws_segment *segment = &image->segments[i];
        for (uint32_t j = 0; j < segment->entry_count; j++) {
            const ws_entry *entry = &segment->entries[j];
            const char *path = ws_segment_string(segment, entry->path_offset, entry->path_size);
            if (!path || (entry->flags & unwanted) || !ws_image_is_newest(image, segment, entry)) continue;
            const char *feature = stable ? below_stable(&pool, folders, path, entry->path_size) : path;
            if (feature) files[(*count)++] = (ordered_file){ entry->order, entry->path_size, path, feature, entry };
        }
    }
    ws_string_pool_free(&pool);
    if (files) qsort(files, *count, sizeof *files, compare_order);
    return files;
}

/* Lists each file after the folders that its look-up validates. */
static bool
list_file(const ordered_file *file, uint8_t *seen, ws_ahead_list *list)
{
    size_t size = (size_t)(file->path + file->size - file->feature);
    if (ws_path_ends_in_rb(file->feature, size)) size -= 3;
    return ws_feature_index_ahead_folders(ws_the_boot.index, file->feature, size, seen, list) &&
           ws_ahead_add(list, WS_AHEAD_FILE, file->path, file->size);
}

static void
list_calls(ws_ahead_list *list)
{
    uint32_t count;
    ordered_file *files = recorded_files(true, &count);
    uint8_t *seen = calloc(ws_feature_index_folder_count(ws_the_boot.index), 1);
    bool room = files && seen && ws_feature_index_ahead_entries(ws_the_boot.index, list);
    for (uint32_t i = 0; room && i < count; i++) room = list_file(&files[i], seen, list);
    free(files);
    free(seen);
}

/* A portable image knows less about times than a listing tells, so a listing cannot confirm its files. */
static void
expect_files(ws_expectations *expectations)
{
    uint32_t count;
    ordered_file *files = ws_the_boot.portable ? NULL : recorded_files(true, &count);
    bool room = files != NULL;
    for (uint32_t i = 0; room && i < count; i++) {
        const ws_entry *entry = files[i].entry;
        ws_stat stat = { .size = entry->size, .mtime = entry->mtime, .ctime = entry->ctime };
        if (!(entry->flags & WS_ENTRY_ONE_NAME)) continue;
        room = ws_expect_file(expectations, files[i].path, files[i].size, &stat);
    }
    free(files);
}

/* All files of the image that a boot may compare: nothing is believed but what their metadata prove at their use, so
 * the application's own are among them. (A document's path ends with a NUL and its call.) */
static void
list_contents(ws_content_list *list)
{
    uint32_t count;
    ordered_file *files = recorded_files(false, &count);
    bool room = files != NULL;
    for (uint32_t i = 0; room && i < count; i++) {
        const ws_entry *entry = files[i].entry;
        ws_stat known = { .device = entry->device,
                          .inode = entry->inode,
                          .size = entry->size,
                          .mtime = entry->mtime,
                          .ctime = entry->ctime,
                          .type = WS_TYPE_REGULAR };
        room = ws_content_ahead_add(list, files[i].path, &known, ws_the_boot.portable);
    }
    free(files);
}

void
ws_offer_ahead(void)
{
    ws_content_ahead_end();
    if (!enabled || !ws_the_boot.index || ws_the_boot.sealed) return;
    ws_content_ahead_offer(list_contents);
    ws_ahead_offer(list_calls);
    if (ws_listings_tell_metadata) ws_listings_offer(expect_files);
}

/* call-seq: Native.ahead_enabled = on
 * Takes effect when the next image is opened. */
static VALUE
set_ahead_enabled(VALUE self, VALUE on)
{
    enabled = RTEST(on);
    return on;
}

/* call-seq: Native.ahead_counts -> {paths: 0, threads: 0, used: 0, listings: 0, names: 0, listed: 0, read: 0, same: 0}
 * paths and threads: the paths that were checked in advance, and the threads that did it. used: how many of these
 * answers were used. listings: the folders that were listed for their files' metadata, by threads or where listings
 * bring metadata along. names: the names that the latter listings told. listed: the files for which a listing replaced
 * a call. read: the files whose contents threads have read. same: how many of these were used. */
static VALUE
ahead_counts(VALUE self)
{
    ws_ahead_counts counts = ws_ahead_counts_get();
    ws_listings_counts listings = ws_listings_counts_get();
    ws_content_counts contents = ws_content_ahead_counts();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        { "paths", counts.paths },   { "threads", counts.threads },
        { "used", counts.used },     { "listings", counts.listings + listings.listings },
        { "names", listings.names }, { "listed", listings.answers },
        { "read", contents.read },   { "same", contents.used },
    };
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rb_hash_aset(hash, ID2SYM(rb_intern(numbers[i].name)), ULL2NUM(numbers[i].value));
    return hash;
}

void
ws_init_ahead(VALUE native)
{
    rb_define_singleton_method(native, "ahead_enabled=", set_ahead_enabled, 1);
    rb_define_singleton_method(native, "ahead_counts", ahead_counts, 0);
}
