/* Compaction merges several segments into one, which holds the newest version of every entry that is worth keeping.
 * This file reads the image and fills a writer; store.c writes and publishes. Who calls: store.c after a
 * publication. */
#include "core/image/compaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"

/* Each delta makes every look-up slower; with more deltas than this, that costs more than one compaction. */
enum { DELTAS_MAXIMUM = 6 };

/* Only from so many bytes in deltas on, in parts of the largest segment, are files looked for: an edited file adds
 * little, and must not cost a call for each of all the others. */
enum { GROWTH_PART = 4 };

/* An upper bound of what an entry adds to a segment: its row, its share of a hash table that is at most half full, its
 * strings and its payload, wherever that lies. */
static uint64_t
cost(const ws_entry *entry)
{
    return sizeof *entry + 4 * sizeof(uint32_t) + (uint64_t)entry->path_size + entry->realpath_size + 2 +
           WS_ALIGN(entry->payload_size);
}

/* The bytes that a merged segment has beside its entries: the key, the newest statistics and the newest index, which
 * are always kept. */
static uint64_t
fixed_size(const ws_image *image)
{
    const ws_segment *index = ws_image_newest_with(image, WS_SECTION_LOAD_PATH);
    const ws_segment *statistics = ws_image_newest_with(image, WS_SECTION_STATISTICS);
    const ws_segment *newest = &image->segments[image->manifest.segment_count - 1];
    uint64_t fixed = WS_ALIGN(sizeof(ws_segment_header)) + WS_SECTION_COUNT * WS_ALIGNMENT + 2 * sizeof(uint32_t);

    fixed += ws_segment_section(newest, WS_SECTION_KEY).size;
    if (statistics != NULL) fixed += ws_segment_section(statistics, WS_SECTION_STATISTICS).size;
    if (index != NULL) {
        fixed += index->strings_size;
        for (unsigned section = WS_SECTION_LOAD_PATH; section <= WS_SECTION_FEATURE_LISTS; section++)
            fixed += ws_segment_section(index, (ws_section)section).size;
    }
    return fixed;
}

static bool
is_gone(const char *path)
{
    ws_stat stat;
    int error_number = ws_file_stat_path(path, false, &stat);
    return error_number == ENOENT || error_number == ENOTDIR;
}

/* Are files to be looked for that are gone, such as those of a release that was removed? */
static bool
has_grown(const ws_image *image)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < image->manifest.segment_count; i++)
        if (image->segments[i].mapping.size > largest) largest = image->segments[i].mapping.size;
    return image->mapped_size - largest >= largest / GROWTH_PART;
}

/* Are two of three bytes used? It is asked from the newest segment on, and no further than necessary. What stands in
 * the newest one was there a moment ago, as what else this boot has written. */
static bool
is_mostly_used(const ws_image *image, bool looks, int64_t began)
{
    uint64_t used = fixed_size(image), enough = image->mapped_size - image->mapped_size / 3;

    for (uint32_t i = image->manifest.segment_count; i-- > 0;) {
        const ws_segment *segment = &image->segments[i];
        bool is_fresh = i == image->manifest.segment_count - 1 || (began != 0 && segment->header->created > began);
        for (uint32_t row = 0; row < segment->entry_count && used < enough; row++) {
            const ws_entry *entry = &segment->entries[row];
            if (!ws_image_is_newest(image, segment, entry)) continue;
            if (looks && !is_fresh && is_gone(ws_segment_string(segment, entry->path_offset, entry->path_size)))
                continue;
            used += cost(entry);
        }
    }
    return used >= enough;
}

/* Segments of which most is in use are left alone, however large: a first boot that publishes in two parts would write
 * everything a second time. */
bool
ws_compaction_due(const ws_image *image, bool keep_gone, int64_t began, uint64_t maximum_size)
{
    uint32_t count = image->manifest.segment_count;
    if (image->mapped_size > maximum_size) return true;
    if (count < 2) return false;
    if (count - 1 > DELTAS_MAXIMUM) return true;
    return !is_mostly_used(image, !keep_gone && has_grown(image), began);
}

/* An entry that may go into the new segment. */
typedef struct candidate {
    ws_found found;
    const char *path, *realpath;
    const uint8_t *payload; /* NULL: the entry is left out */
} candidate;

typedef struct selection {
    candidate *rows;
    uint32_t count;
    uint64_t size;
} selection;

static bool
is_in_older(const ws_image *image, uint32_t segment, const char *path, uint32_t path_size)
{
    uint64_t hash = ws_hash64(path, path_size, WS_SEED_NAME);
    for (uint32_t i = 0; i < segment; i++)
        if (ws_segment_find(&image->segments[i], path, path_size, hash) != NULL) return true;
    return false;
}

/* Adds a path's newest entry to the selection. An entry whose payload is proven to be damaged is left out. A payload
 * that cannot be read at the moment may be intact, so then the compaction fails. */
static ws_code
consider(selection *chosen, const ws_image *image, const char *path, uint32_t path_size, bool keep_gone)
{
    candidate *row = &chosen->rows[chosen->count];

    row->found = ws_image_find(image, path, path_size);
    if (row->found.entry == NULL) return WS_OK;
    const ws_entry *entry = row->found.entry;
    row->path = ws_segment_string(row->found.segment, entry->path_offset, entry->path_size);
    row->realpath = ws_segment_string(row->found.segment, entry->realpath_offset, entry->realpath_size);
    if (row->path == NULL || row->realpath == NULL || (!keep_gone && is_gone(row->path))) return WS_OK;
    ws_code code = ws_image_payload(image, row->found, &row->payload, NULL);
    if (code != WS_OK) return ws_error_failure(code) == WS_FAILURE_DAMAGED ? WS_OK : code;
    chosen->size += cost(entry);
    chosen->count++;
    return WS_OK;
}

/* Each path keeps the place where it first occurred, so that entries stay in the order of a boot. */
static ws_code
select_entries(selection *chosen, const ws_image *image, bool keep_gone)
{
    uint64_t total = 0;
    ws_code code = WS_OK;

    memset(chosen, 0, sizeof *chosen);
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) total += image->segments[i].entry_count;
    chosen->rows = calloc(total + 1, sizeof *chosen->rows);
    if (chosen->rows == NULL) return WS_MEMORY;
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) {
        const ws_segment *segment = &image->segments[i];
        for (uint32_t j = 0; j < segment->entry_count && code == WS_OK; j++) {
            const ws_entry *entry = &segment->entries[j];
            const char *path = ws_segment_string(segment, entry->path_offset, entry->path_size);
            if (path != NULL && !is_in_older(image, i, path, entry->path_size))
                code = consider(chosen, image, path, entry->path_size, keep_gone);
        }
    }
    return code;
}

/* Drops old entries until the rest fits. It begins with the oldest segment and, in a segment, with what a boot loads
 * last: a boot whose first files are in the image stays warm for longest. */
static void
drop_oldest(selection *chosen, const ws_image *image, uint64_t budget)
{
    for (uint32_t i = 0; i < image->manifest.segment_count && chosen->size > budget; i++) {
        for (uint32_t j = chosen->count; j-- > 0 && chosen->size > budget;) {
            candidate *row = &chosen->rows[j];
            if (row->found.segment != &image->segments[i] || row->payload == NULL) continue;
            chosen->size -= cost(row->found.entry);
            row->payload = NULL;
        }
    }
}

static bool
add_entries(ws_segment_writer *writer, const selection *chosen)
{
    for (uint32_t i = 0; i < chosen->count; i++) {
        const candidate *row = &chosen->rows[i];
        const ws_entry *entry = row->found.entry;
        if (row->payload == NULL) continue;
        if (!ws_segment_writer_add(writer, entry, row->path, entry->path_size, row->realpath, entry->realpath_size,
                                   row->payload, (size_t)entry->payload_size))
            return false;
    }
    return true;
}

/* The new segment has a flag only if all segments have it. Otherwise it would claim too much: portable entries, for
 * example, are compared less strictly. */
static uint32_t
common_flags(const ws_image *image)
{
    uint32_t flags = UINT32_MAX;
    for (uint32_t i = 0; i < image->manifest.segment_count; i++) flags &= image->segments[i].header->flags;
    return flags & (WS_SEGMENT_PORTABLE | WS_SEGMENT_REPRODUCIBLE);
}

static bool
fill(ws_segment_writer *writer, const selection *chosen, const ws_segment *index, const ws_segment *statistics)
{
    if (index != NULL && !ws_segment_writer_copy_index(writer, index)) return false;
    if (statistics != NULL) {
        ws_section_view view = ws_segment_section(statistics, WS_SECTION_STATISTICS);
        if (!ws_segment_writer_section(writer, WS_SECTION_STATISTICS, view.bytes, view.size)) return false;
    }
    return add_entries(writer, chosen);
}

ws_code
ws_compaction_writer(const ws_image *image, bool keep_gone, uint64_t maximum_size, ws_segment_writer **result)
{
    const ws_segment *newest = &image->segments[image->manifest.segment_count - 1];
    const ws_segment *index = ws_image_newest_with(image, WS_SECTION_LOAD_PATH);
    const ws_segment *statistics = ws_image_newest_with(image, WS_SECTION_STATISTICS);
    ws_section_view key = ws_segment_section(newest, WS_SECTION_KEY);
    selection chosen;

    *result = NULL;
    ws_segment_writer *writer = ws_segment_writer_new(key.bytes, key.size, common_flags(image));
    ws_code code = select_entries(&chosen, image, keep_gone);
    if (code == WS_OK && writer == NULL) code = WS_MEMORY;
    if (code == WS_OK) {
        uint64_t fixed = fixed_size(image);
        drop_oldest(&chosen, image, fixed < maximum_size ? maximum_size - fixed : 0);
        if (!fill(writer, &chosen, index, statistics)) code = WS_MEMORY;
    }
    free(chosen.rows);
    if (code == WS_OK) *result = writer;
    else ws_segment_writer_free(writer);
    return code;
}
