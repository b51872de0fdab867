/* Builds a segment in memory: entries with their strings and payloads, the index's sections, and the layout of the
 * file. segment_copy.c copies the index of an older segment. Who calls: the
 * recorder's writer, store.c's compaction, feature_index_builder.c. */
#include "core/image/segment_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bytes/hash.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/mapping.h"
#include "core/bytes/string_pool.h"
#include "core/bytes/vector.h"

#define ENTRIES_MAXIMUM (UINT32_C(1) << 27)
/* macOS refuses to write more than INT_MAX bytes in one call. */
#define PIECE_SIZE_MAXIMUM ((size_t)1 << 24)

/* An entry whose strings have no offsets yet, because in a reproducible segment STRINGS follows the order of the
 * paths. */
typedef struct pending_entry {
    ws_entry entry;
    uint32_t realpath;   /* number in `realpaths` */
    const void *payload; /* NULL: it lies in another segment */
} pending_entry;

typedef struct owned_section {
    void *bytes;
    size_t size;
} owned_section;

struct ws_segment_writer {
    uint32_t flags;
    ws_string_pool strings;
    ws_string_pool paths; /* a path's number is also the number of its pending entry */
    ws_string_pool realpaths;
    pending_entry *pending;
    size_t pending_capacity;
    uint64_t payload_size;
    owned_section sections[WS_SECTION_COUNT];
};

static bool
set_section(ws_segment_writer *writer, ws_section section, const void *bytes, size_t size)
{
    void *copy = NULL;
    if (size > 0) {
        copy = malloc(size);
        if (copy == NULL) return false;
        memcpy(copy, bytes, size);
    }
    free(writer->sections[section].bytes);
    writer->sections[section].bytes = copy;
    writer->sections[section].size = size;
    return true;
}

ws_segment_writer *
ws_segment_writer_new(const char *key, size_t key_size, uint32_t flags)
{
    ws_segment_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    writer->flags = flags & WS_SEGMENT_REPRODUCIBLE ? flags | WS_SEGMENT_PORTABLE : flags;
    if (!set_section(writer, WS_SECTION_KEY, key, key_size)) {
        free(writer);
        return NULL;
    }
    return writer;
}

void
ws_segment_writer_free(ws_segment_writer *writer)
{
    if (writer == NULL) return;
    ws_string_pool_free(&writer->strings);
    ws_string_pool_free(&writer->paths);
    ws_string_pool_free(&writer->realpaths);
    free(writer->pending);
    for (unsigned i = 0; i < WS_SECTION_COUNT; i++) free(writer->sections[i].bytes);
    free(writer);
}

uint32_t
ws_segment_writer_string(ws_segment_writer *writer, const char *bytes, size_t size)
{
    uint32_t number = ws_string_pool_intern(&writer->strings, bytes, size);
    return number == UINT32_MAX ? UINT32_MAX : writer->strings.items[number].offset;
}

bool
ws_segment_writer_section(ws_segment_writer *writer, ws_section section, const void *bytes, size_t size)
{
    bool is_ours = section >= WS_SECTION_LOAD_PATH && section <= WS_SECTION_STATISTICS;
    return is_ours && set_section(writer, section, bytes, size);
}

bool
ws_segment_writer_has(const ws_segment_writer *writer, ws_section section)
{
    return writer->sections[section].size > 0;
}

uint32_t
ws_segment_writer_count(const ws_segment_writer *writer)
{
    return writer->paths.count;
}

uint64_t
ws_segment_writer_payload_size(const ws_segment_writer *writer)
{
    return writer->payload_size;
}

/* ---- entries ---- */

static void
make_portable(ws_entry *entry)
{
    entry->device = entry->inode = 0;
    entry->ctime = 0;
    entry->mtime = ws_whole_second(entry->mtime);
}

bool
ws_segment_writer_add(ws_segment_writer *writer, const ws_entry *entry, const char *path, size_t path_size,
                      const char *realpath, size_t realpath_size, const void *payload, size_t payload_size)
{
    /* This comes first: once a path has its number, there must be an entry with that number. */
    if (writer->paths.count >= ENTRIES_MAXIMUM ||
        !WS_RESERVE(writer->pending, writer->pending_capacity, writer->paths.count + 1))
        return false;
    uint32_t real = ws_string_pool_intern(&writer->realpaths, realpath, realpath_size);
    if (real == UINT32_MAX) return false;
    uint32_t known = writer->paths.count;
    uint32_t number = ws_string_pool_intern(&writer->paths, path, path_size);
    if (number == UINT32_MAX) return false;

    pending_entry *pending = &writer->pending[number];
    uint32_t lasting = 0;
    if (number < known) {
        if (pending->payload != NULL) writer->payload_size -= WS_ALIGN(pending->entry.payload_size);
        bool same =
            pending->entry.content_low == entry->content_low && pending->entry.content_high == entry->content_high;
        lasting = same && !(entry->flags & WS_ENTRY_DOCUMENT) ? pending->entry.flags & WS_ENTRY_LASTING : 0;
    }
    pending->entry = *entry;
    pending->entry.flags |= lasting;
    pending->entry.reserved = 0;
    pending->entry.path_hash = writer->paths.items[number].hash;
    pending->entry.path_size = (uint32_t)path_size;
    pending->entry.realpath_size = (uint32_t)realpath_size;
    pending->realpath = real;
    pending->payload = payload;
    if (payload != NULL) {
        pending->entry.payload_segment = 0;
        pending->entry.payload_size = payload_size;
        writer->payload_size += WS_ALIGN(payload_size);
    }
    if (writer->flags & WS_SEGMENT_PORTABLE) make_portable(&pending->entry);
    return true;
}

/* ---- tables ---- */

uint32_t *
ws_segment_writer_table(const uint64_t *hashes, uint32_t count, uint32_t *table_size)
{
    if (count > UINT32_C(1) << 28) return NULL;
    uint32_t size = 2;
    while (size / 2 < count) size *= 2;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL) return NULL;

    for (uint32_t number = 0; number < count; number++) {
        uint32_t slot = (uint32_t)hashes[number] & (size - 1);
        while (table[slot] != 0) slot = (slot + 1) & (size - 1);
        table[slot] = number + 1;
    }
    *table_size = size;
    return table;
}

/* ---- layout ---- */

/* What is needed for writing in addition to the writer's own sections. layout_free releases it. */
typedef struct layout {
    ws_entry *entries;
    const void **payloads; /* in the order of the entries; NULL: it lies in another segment */
    uint64_t *hashes;
    uint32_t *table;
    uint32_t table_size, count;
} layout;

typedef struct sortable {
    const char *path;
    uint32_t size, number;
} sortable;

static void
layout_free(layout *plan)
{
    free(plan->entries);
    free(plan->payloads);
    free(plan->hashes);
    free(plan->table);
}

static int
compare_paths(const void *left, const void *right)
{
    const sortable *a = left, *b = right;
    int order = memcmp(a->path, b->path, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* The paths with the numbers of their pending entries, in the order in which they are written. The caller frees it. */
static sortable *
ordered_paths(const ws_segment_writer *writer)
{
    uint32_t count = writer->paths.count;
    sortable *order = malloc((count ? count : 1) * sizeof *order);
    if (order == NULL) return NULL;
    for (uint32_t number = 0; number < count; number++) {
        order[number].path = ws_string_pool_get(&writer->paths, number);
        order[number].size = writer->paths.items[number].size;
        order[number].number = number;
    }
    if (writer->flags & WS_SEGMENT_REPRODUCIBLE) qsort(order, count, sizeof *order, compare_paths);
    return order;
}

/* Uses the guarded hash, because in a compaction the payloads lie in mapped segments. */
static ws_code
seal_payload(ws_entry *entry, const void *payload, uint64_t *payload_offset)
{
    if (payload == NULL) return WS_OK;
    entry->payload_offset = entry->payload_size > 0 ? *payload_offset : 0;
    *payload_offset += WS_ALIGN(entry->payload_size);
    return ws_mapping_hash(payload, (size_t)entry->payload_size, WS_SEED_PAYLOAD, &entry->payload_checksum);
}

static ws_code
lay_out_entries(ws_segment_writer *writer, const sortable *order, layout *plan)
{
    uint64_t payload_offset = 0;

    for (uint32_t i = 0; i < plan->count; i++) {
        const pending_entry *pending = &writer->pending[order[i].number];
        ws_entry *entry = &plan->entries[i];
        *entry = pending->entry;
        entry->path_offset = ws_segment_writer_string(writer, order[i].path, order[i].size);
        entry->realpath_offset = ws_segment_writer_string(
            writer, ws_string_pool_get(&writer->realpaths, pending->realpath), entry->realpath_size);
        if (entry->path_offset == UINT32_MAX || entry->realpath_offset == UINT32_MAX) return WS_MEMORY;
        plan->payloads[i] = pending->payload;
        plan->hashes[i] = entry->path_hash;
        ws_code code = seal_payload(entry, pending->payload, &payload_offset);
        if (code != WS_OK) return code;
    }
    return WS_OK;
}

static ws_code
lay_out(ws_segment_writer *writer, layout *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->count = writer->paths.count;
    if (plan->count == 0) return WS_OK;

    sortable *order = ordered_paths(writer);
    plan->entries = calloc(plan->count, sizeof *plan->entries);
    plan->payloads = calloc(plan->count, sizeof *plan->payloads);
    plan->hashes = calloc(plan->count, sizeof *plan->hashes);
    ws_code code = WS_MEMORY;
    if (order != NULL && plan->entries != NULL && plan->payloads != NULL && plan->hashes != NULL)
        code = lay_out_entries(writer, order, plan);
    free(order);
    if (code != WS_OK) return code;
    plan->table = ws_segment_writer_table(plan->hashes, plan->count, &plan->table_size);
    return plan->table == NULL ? WS_MEMORY : WS_OK;
}

/* A section's bytes, from the writer or the layout. For PAYLOADS only the size is set. */
static ws_section_view
section_bytes(const ws_segment_writer *writer, const layout *plan, unsigned section)
{
    ws_section_view view = { writer->sections[section].bytes, writer->sections[section].size };

    switch (section) {
        case WS_SECTION_STRINGS:
            view.bytes = writer->strings.bytes;
            view.size = writer->strings.size;
            break;
        case WS_SECTION_ENTRIES:
            view.bytes = plan->entries;
            view.size = plan->count * sizeof *plan->entries;
            break;
        case WS_SECTION_ENTRY_TABLE:
            view.bytes = plan->table;
            view.size = plan->table_size * sizeof *plan->table;
            break;
        case WS_SECTION_PAYLOADS: view.size = (size_t)writer->payload_size; break;
        default: break;
    }
    return view;
}

static void
fill_header(const ws_segment_writer *writer, const layout *plan, ws_segment_header *header)
{
    uint64_t offset = WS_ALIGN(sizeof *header);

    memset(header, 0, sizeof *header);
    memcpy(header->magic, WS_SEGMENT_MAGIC, sizeof header->magic);
    header->format_version = WS_FORMAT_VERSION;
    header->byte_order = WS_BYTE_ORDER;
    header->key_hash =
        ws_hash64(writer->sections[WS_SECTION_KEY].bytes, writer->sections[WS_SECTION_KEY].size, WS_SEED_KEY);
    header->flags = writer->flags;
    header->entry_count = plan->count;
    for (unsigned number = 0; number < WS_SECTION_COUNT; number++) {
        ws_section_view view = section_bytes(writer, plan, number);
        if (view.size == 0) continue;
        header->sections[number].offset = offset;
        header->sections[number].size = view.size;
        if (view.bytes != NULL) header->sections[number].checksum = ws_hash64(view.bytes, view.size, WS_SEED_SECTION);
        offset += WS_ALIGN(view.size);
    }
    header->file_size = offset;
}

/* The id of a reproducible segment depends on the whole content: the section table has the checksum of ENTRIES, and
 * ENTRIES has the checksums of the payloads. */
static ws_code
seal_header(const ws_segment_writer *writer, ws_segment_header *header)
{
    if (writer->flags & WS_SEGMENT_REPRODUCIBLE) {
        header->segment_id = ws_hash64(header->sections, sizeof header->sections, WS_SEED_SECTION);
        if (header->segment_id == 0) header->segment_id = 1;
    }
    else {
        header->created = (int64_t)time(NULL);
        header->segment_id = ws_random_id();
        if (header->segment_id == 0) return WS_SYSTEM;
    }
    header->header_checksum = ws_hash64(header, offsetof(ws_segment_header, header_checksum), WS_SEED_HEADER);
    return WS_OK;
}

/* ---- output ---- */

/* Pieces of memory that are written together, without copying them. */
typedef struct output {
    int descriptor;
    int error_number; /* errno of the first write that failed; nothing is written after it */
    int count;
    ws_piece pieces[WS_PIECES_MAXIMUM];
} output;

static void
flush(output *out)
{
    if (out->count > 0 && out->error_number == 0)
        out->error_number = ws_file_write_pieces(out->descriptor, out->pieces, out->count);
    out->count = 0;
}

static void
add_piece(output *out, const void *bytes, size_t size)
{
    if (out->count == WS_PIECES_MAXIMUM) flush(out);
    out->pieces[out->count++] = (ws_piece){ bytes, size };
}

/* Adds the bytes, and zeroes up to the next multiple of 16. */
static void
add_padded(output *out, const void *bytes, size_t size)
{
    static const char zeroes[WS_ALIGNMENT] = { 0 };
    const char *at = bytes;
    size_t padding = (size_t)(WS_ALIGN(size) - size);

    for (; size > PIECE_SIZE_MAXIMUM; at += PIECE_SIZE_MAXIMUM, size -= PIECE_SIZE_MAXIMUM)
        add_piece(out, at, PIECE_SIZE_MAXIMUM);
    if (size > 0) add_piece(out, at, size);
    if (padding > 0) add_piece(out, zeroes, padding);
}

/* Returns 0 or errno. */
static int
output_sections(const ws_segment_writer *writer, const layout *plan, const ws_segment_header *header, int descriptor)
{
    output out = { .descriptor = descriptor };

    add_padded(&out, header, sizeof *header);
    for (unsigned number = 0; number < WS_SECTION_COUNT; number++) {
        ws_section_view view = section_bytes(writer, plan, number);
        if (view.bytes != NULL) add_padded(&out, view.bytes, view.size);
    }
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->payloads[i] != NULL) add_padded(&out, plan->payloads[i], (size_t)plan->entries[i].payload_size);
    flush(&out);
    return out.error_number;
}

ws_code
ws_write_failure(int error_number)
{
#ifdef EDQUOT
    if (error_number == EDQUOT) return WS_FULL;
#endif
    return error_number == ENOSPC || error_number == EFBIG ? WS_FULL : WS_SYSTEM;
}

ws_code
ws_segment_writer_write(ws_segment_writer *writer, int descriptor, ws_segment_header *header, const char *path,
                        ws_error *error)
{
    layout plan;
    ws_code code = lay_out(writer, &plan);

    if (code == WS_OK) {
        fill_header(writer, &plan, header);
        code = seal_header(writer, header);
    }
    if (code != WS_OK) {
        layout_free(&plan);
        return ws_error_set(error, code, 0, "build", path);
    }
    int error_number = output_sections(writer, &plan, header, descriptor);
    layout_free(&plan);
    if (error_number != 0) return ws_error_set(error, ws_write_failure(error_number), error_number, "write", path);
    return WS_OK;
}
