/* Reads the index's sections and checks their bounds; see feature_index_tables.h. The checks run at every start over
 * tables of tens of thousands of rows. So each is a plain loop over one table that ORs its findings together and does
 * not stop at the first bad row. Compilers can vectorise such loops, and the checks of a healthy image take a few dozen
 * microseconds. */
#include "core/index/feature_index_tables.h"

#include <string.h>

#include "core/bytes/hash.h"
#include "core/system/clock.h"

static ws_code
refuse(ws_error *error, ws_code code, const char *table)
{
    return ws_error_set(error, code, 0, table, NULL);
}

/* Returns a section as an array of rows. *whole becomes false when the section's size is not a multiple of a row's. */
static const void *
rows(const ws_segment *segment, ws_section section, size_t row_size, uint32_t *count, bool *whole)
{
    ws_section_view view = ws_segment_section(segment, section);
    *count = (uint32_t)(view.size / row_size);
    if (view.size % row_size != 0 || view.size / row_size >= UINT32_MAX) *whole = false;
    return view.size > 0 ? view.bytes : NULL;
}

static bool
read_sections(ws_index_tables *tables, const ws_segment *segment)
{
    bool whole = true;
    uint32_t table_size;

#define READ(field, count, section) tables->field = rows(segment, section, sizeof *tables->field, count, &whole)
    READ(entries, &tables->entry_count, WS_SECTION_LOAD_PATH);
    READ(names, &tables->name_count, WS_SECTION_LOAD_PATH_NAMES);
    READ(directories, &tables->directory_count, WS_SECTION_DIRECTORIES);
    READ(holders, &tables->holder_count, WS_SECTION_HOLDERS);
    READ(features, &tables->feature_count, WS_SECTION_FEATURES);
    READ(lists, &tables->list_count, WS_SECTION_FEATURE_LISTS);
    READ(table, &table_size, WS_SECTION_FEATURE_TABLE);
#undef READ
    tables->table_mask = table_size - 1;
    return whole && (table_size & (table_size - 1)) == 0 && (tables->feature_count == 0 || table_size > 0);
}

static bool
check_entries(const ws_index_tables *tables)
{
    for (uint32_t i = 0; i < tables->entry_count; i++) {
        const ws_load_path_entry *entry = &tables->entries[i];
        if (entry->expanded_size == 0) return false;
        if (!ws_segment_string(tables->segment, entry->expanded_offset, entry->expanded_size)) return false;
    }
    for (uint32_t i = 0; i < tables->name_count; i++) {
        const ws_load_path_name *name = &tables->names[i];
        if (name->entry >= tables->entry_count) return false;
        if (i > 0 && name->hash < tables->names[i - 1].hash) return false;
        if (!ws_segment_string(tables->segment, name->name_offset, name->name_size)) return false;
    }
    return true;
}

static bool
check_directories(const ws_index_tables *tables)
{
    const ws_index_directory *directories = tables->directories;
    if (tables->directory_count == 0) return false;
    bool bad = directories[0].name_size != 0 || directories[0].parent != 0;
    for (uint32_t i = 0; i < tables->directory_count; i++) {
        bad |= (uint64_t)directories[i].holder_first + directories[i].holder_count > tables->holder_count;
        if (i == 0) continue;
        /* A parent comes before its folder and has a shorter name. This guarantees that a walk to the root ends. */
        if (directories[i].parent >= i) return false;
        bad |= directories[directories[i].parent].name_size >= directories[i].name_size;
        bad |= directories[i].name_size > WS_INDEX_NAME_MAXIMUM;
    }
    for (uint32_t i = 0; i < tables->holder_count; i++)
        bad |= tables->holders[i].load_path_entry >= tables->entry_count;
    return !bad;
}

static bool
check_features(const ws_index_tables *tables)
{
    bool bad = false;
    for (uint32_t i = 0; i < tables->feature_count; i++) {
        const ws_index_feature *feature = &tables->features[i];
        bad |= feature->directory >= tables->directory_count;
        bad |= (uint64_t)feature->list_first + feature->rb_count + feature->library_count > tables->list_count;
    }
    uint32_t highest_entry = 0, highest_slot = 0, free_slots = 0;
    for (uint32_t i = 0; i < tables->list_count; i++)
        highest_entry = tables->lists[i] > highest_entry ? tables->lists[i] : highest_entry;
    if (tables->table) {
        for (uint32_t i = 0; i <= tables->table_mask; i++) {
            highest_slot = tables->table[i] > highest_slot ? tables->table[i] : highest_slot;
            free_slots += tables->table[i] == 0;
        }
        bad |= free_slots == 0; /* a probe for an unknown stem would never end */
    }
    bad |= tables->list_count > 0 && highest_entry >= tables->entry_count;
    return !bad && highest_slot <= tables->feature_count;
}

ws_code
ws_index_tables_load(ws_index_tables *tables, const ws_segment *segment, ws_error *error)
{
    memset(tables, 0, sizeof *tables);
    tables->segment = segment;
    tables->portable = (segment->header->flags & WS_SEGMENT_PORTABLE) != 0;
    if (ws_segment_section(segment, WS_SECTION_LOAD_PATH).size == 0)
        return refuse(error, WS_MISSING, "load path index");
    if (!read_sections(tables, segment)) return refuse(error, WS_BOUNDS, "load path index");
    if (!check_entries(tables)) return refuse(error, WS_BOUNDS, "load path entries");
    if (!check_directories(tables)) return refuse(error, WS_BOUNDS, "load path folders");
    if (!check_features(tables)) return refuse(error, WS_BOUNDS, "features");
    return WS_OK;
}

uint32_t
ws_index_tables_name(const ws_index_tables *tables, const char *given, size_t size)
{
    uint64_t hash = ws_hash64(given, size, WS_SEED_NAME);
    uint32_t low = 0, high = tables->name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tables->names[middle].hash < hash) low = middle + 1;
        else high = middle;
    }
    for (; low < tables->name_count && tables->names[low].hash == hash; low++) {
        const ws_load_path_name *name = &tables->names[low];
        if (name->name_size == size && memcmp(tables->segment->strings + name->name_offset, given, size) == 0)
            return low;
    }
    return UINT32_MAX;
}

const char *
ws_index_fold(const ws_path_rules *rules, const char *name, size_t size, char buffer[WS_INDEX_NAME_MAXIMUM + 1])
{
    if (!rules->windows || size > WS_INDEX_NAME_MAXIMUM) return name;
    for (size_t i = 0; i < size; i++) buffer[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
    buffer[size] = '\0';
    return buffer;
}

uint32_t
ws_index_tables_feature(const ws_index_tables *tables, const char *stem, size_t size)
{
    if (!tables->table) return UINT32_MAX;
    uint64_t hash = ws_hash64(stem, size, WS_SEED_NAME);
    uint32_t number, step = 0;
    while ((number = ws_fixed_table_next(tables->table, tables->table_mask, hash, &step)) != WS_NO_NUMBER) {
        const ws_index_feature *feature = &tables->features[number];
        if (feature->hash != hash || feature->name_size != size) continue;
        const char *name = ws_segment_string(tables->segment, feature->name_offset, feature->name_size);
        if (name && memcmp(name, stem, size) == 0) return number;
    }
    return UINT32_MAX;
}

bool
ws_index_holder_is_same(const ws_index_tables *tables, const ws_index_holder *holder, const ws_stat *stat)
{
    if (stat->type != WS_TYPE_DIRECTORY) return false;
    if (tables->portable) return ws_whole_second(stat->mtime) == holder->mtime;
    return stat->mtime == holder->mtime && stat->ctime == holder->ctime &&
           ws_stat_is_same_inode(stat->inode, holder->inode);
}

size_t
ws_index_path(char *buffer, size_t capacity, const char *directory, size_t directory_size, const char *stem,
              size_t stem_size, const char *suffix, size_t suffix_size)
{
    bool separated = directory_size > 0 && directory[directory_size - 1] == '/';
    if (directory_size + stem_size + suffix_size + 2 > capacity) return 0;
    char *end = buffer;
    memcpy(end, directory, directory_size);
    end += directory_size;
    if (!separated) *end++ = '/';
    memcpy(end, stem, stem_size);
    end += stem_size;
    memcpy(end, suffix, suffix_size);
    end += suffix_size;
    *end = '\0';
    return (size_t)(end - buffer);
}
