/* Compares a new index with an older one and adds it to a segment; see feature_index_draft.h. Who calls:
 * ws_feature_index_build. */
#include "core/index/feature_index_draft.h"

#include <stdlib.h>
#include <string.h>

/* ---- Comparing ---- */

static bool
same_string(const ws_index_tables *left, uint32_t left_offset, uint32_t left_size, const ws_index_tables *right,
            uint32_t right_offset, uint32_t right_size)
{
    if (left_size != right_size) return false;
    const char *left_bytes = ws_segment_string(left->segment, left_offset, left_size);
    const char *right_bytes = ws_segment_string(right->segment, right_offset, right_size);
    return left_bytes && right_bytes && memcmp(left_bytes, right_bytes, left_size) == 0;
}

static bool
same_entries(const ws_index_tables *left, const ws_index_tables *right)
{
    for (uint32_t i = 0; i < left->entry_count; i++) {
        const ws_load_path_entry *a = &left->entries[i], *b = &right->entries[i];
        if (a->device != b->device || a->inode != b->inode || a->flags != b->flags) return false;
        if (!same_string(left, a->expanded_offset, a->expanded_size, right, b->expanded_offset, b->expanded_size))
            return false;
    }
    for (uint32_t i = 0; i < left->name_count; i++) {
        const ws_load_path_name *a = &left->names[i], *b = &right->names[i];
        if (a->hash != b->hash || a->entry != b->entry) return false;
        if (!same_string(left, a->name_offset, a->name_size, right, b->name_offset, b->name_size)) return false;
    }
    return true;
}

static bool
same_directories(const ws_index_tables *left, const ws_index_tables *right)
{
    for (uint32_t i = 0; i < left->directory_count; i++) {
        const ws_index_directory *a = &left->directories[i], *b = &right->directories[i];
        if (a->parent != b->parent || a->holder_first != b->holder_first || a->holder_count != b->holder_count)
            return false;
        if (!same_string(left, a->name_offset, a->name_size, right, b->name_offset, b->name_size)) return false;
    }
    return left->holder_count == 0 ||
           memcmp(left->holders, right->holders, left->holder_count * sizeof *left->holders) == 0;
}

static bool
same_features(const ws_index_tables *left, const ws_index_tables *right)
{
    for (uint32_t i = 0; i < left->feature_count; i++) {
        const ws_index_feature *a = &left->features[i], *b = &right->features[i];
        if (a->directory != b->directory || a->list_first != b->list_first) return false;
        if (a->rb_count != b->rb_count || a->library_count != b->library_count) return false;
        if (!same_string(left, a->name_offset, a->name_size, right, b->name_offset, b->name_size)) return false;
    }
    return left->list_count == 0 || memcmp(left->lists, right->lists, left->list_count * sizeof *left->lists) == 0;
}

bool
ws_index_tables_equal(const ws_index_tables *left, const ws_index_tables *right)
{
    return left->portable == right->portable && left->entry_count == right->entry_count &&
           left->name_count == right->name_count && left->directory_count == right->directory_count &&
           left->holder_count == right->holder_count && left->feature_count == right->feature_count &&
           left->list_count == right->list_count && same_entries(left, right) && same_directories(left, right) &&
           same_features(left, right);
}

/* ---- Writing ---- */

/* Turns an offset into the layout's strings into one into the writer's. */
static bool
move_string(const ws_index_layout *layout, ws_segment_writer *writer, uint32_t *offset, uint32_t size)
{
    *offset = ws_segment_writer_string(writer, layout->strings.bytes + *offset, size);
    return *offset != UINT32_MAX;
}

static bool
move_strings(ws_index_layout *layout, ws_segment_writer *writer)
{
    const ws_index_tables *tables = &layout->tables;
    bool fine = true;

    for (uint32_t i = 0; fine && i < tables->entry_count; i++) {
        fine = move_string(layout, writer, &layout->entries[i].expanded_offset, layout->entries[i].expanded_size);
    }
    for (uint32_t i = 0; fine && i < tables->name_count; i++) {
        fine = move_string(layout, writer, &layout->names[i].name_offset, layout->names[i].name_size);
    }
    for (uint32_t i = 0; fine && i < tables->directory_count; i++) {
        fine = move_string(layout, writer, &layout->directories[i].name_offset, layout->directories[i].name_size);
    }
    for (uint32_t i = 0; fine && i < tables->feature_count; i++) {
        fine = move_string(layout, writer, &layout->features[i].name_offset, layout->features[i].name_size);
    }
    return fine;
}

static bool
write_table(const ws_index_layout *layout, ws_segment_writer *writer)
{
    uint32_t count = layout->tables.feature_count, size = 0;
    uint64_t *hashes = malloc((count > 0 ? count : 1) * sizeof *hashes);

    if (!hashes) return false;
    for (uint32_t i = 0; i < count; i++) hashes[i] = layout->features[i].hash;
    uint32_t *table = ws_segment_writer_table(hashes, count, &size);
    bool fine = table && ws_segment_writer_section(writer, WS_SECTION_FEATURE_TABLE, table, size * sizeof *table);
    free(hashes);
    free(table);
    return fine;
}

bool
ws_index_layout_write(ws_index_layout *layout, ws_segment_writer *writer)
{
    const ws_index_tables *tables = &layout->tables;

    return move_strings(layout, writer) && write_table(layout, writer) &&
           ws_segment_writer_section(writer, WS_SECTION_LOAD_PATH, layout->entries,
                                     tables->entry_count * sizeof *layout->entries) &&
           ws_segment_writer_section(writer, WS_SECTION_LOAD_PATH_NAMES, layout->names,
                                     tables->name_count * sizeof *layout->names) &&
           ws_segment_writer_section(writer, WS_SECTION_DIRECTORIES, layout->directories,
                                     tables->directory_count * sizeof *layout->directories) &&
           ws_segment_writer_section(writer, WS_SECTION_HOLDERS, layout->holders,
                                     tables->holder_count * sizeof *layout->holders) &&
           ws_segment_writer_section(writer, WS_SECTION_FEATURES, layout->features,
                                     tables->feature_count * sizeof *layout->features) &&
           ws_segment_writer_section(writer, WS_SECTION_FEATURE_LISTS, layout->lists,
                                     tables->list_count * sizeof *layout->lists);
}
