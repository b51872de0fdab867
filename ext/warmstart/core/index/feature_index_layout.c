/* Numbers and sorts an index and lays it out; see feature_index_draft.h. Who calls: ws_feature_index_build. Everything
 * is sorted by name or number, so the bytes do not depend on the order in which a file system lists its folders. */
#include "core/index/feature_index_draft.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"

/* Allocates at least one element, because calloc may return NULL for a size of 0. */
static void *
allocate(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

/* ---- Sorting ---- */

/* Skips empty arrays, which may be NULL: qsort must not get NULL. */
static void
sort(void *rows, size_t count, size_t row_size, int (*compare)(const void *, const void *))
{
    if (count > 0) qsort(rows, count, row_size, compare);
}

typedef struct ranked_string {
    const char *bytes;
    uint32_t size, number;
} ranked_string;

static int
compare_strings(const void *left_pointer, const void *right_pointer)
{
    const ranked_string *left = left_pointer, *right = right_pointer;
    size_t shorter = left->size < right->size ? left->size : right->size;
    int order = memcmp(left->bytes, right->bytes, shorter);
    return order != 0 ? order : (left->size > right->size) - (left->size < right->size);
}

/* The strings of a pool in the order of their bytes, without those whose `used` is 0. used[number] becomes the rank.
 * Returns NULL when memory is short. */
static ranked_string *
rank(const ws_string_pool *pool, uint32_t *used, uint32_t *count)
{
    ranked_string *ranked = allocate(pool->count, sizeof *ranked);

    *count = 0;
    if (!ranked) return NULL;
    for (uint32_t number = 0; number < pool->count; number++) {
        if (used[number] == 0) continue;
        ranked[(*count)++] = (ranked_string){ ws_string_pool_get(pool, number), pool->items[number].size, number };
    }
    sort(ranked, *count, sizeof *ranked, compare_strings);
    for (uint32_t i = 0; i < *count; i++) used[ranked[i].number] = i;
    return ranked;
}

static int
compare_holders(const void *left_pointer, const void *right_pointer)
{
    const ws_draft_holder *left = left_pointer, *right = right_pointer;
    if (left->directory != right->directory) return left->directory < right->directory ? -1 : 1;
    return (left->row.load_path_entry > right->row.load_path_entry) -
           (left->row.load_path_entry < right->row.load_path_entry);
}

static int
compare_presences(const void *left_pointer, const void *right_pointer)
{
    const ws_draft_presence *left = left_pointer, *right = right_pointer;
    if (left->stem != right->stem) return left->stem < right->stem ? -1 : 1;
    if (left->library != right->library) return left->library ? 1 : -1;
    return (left->entry > right->entry) - (left->entry < right->entry);
}

static int
compare_names(const void *left_pointer, const void *right_pointer)
{
    const ws_load_path_name *left = left_pointer, *right = right_pointer;
    if (left->hash != right->hash) return left->hash < right->hash ? -1 : 1;
    return (left->name_offset > right->name_offset) - (left->name_offset < right->name_offset);
}

/* ---- Laying out ---- */

static bool
place_string(ws_index_layout *layout, const char *bytes, size_t size, uint32_t *offset, uint32_t *size_field)
{
    uint32_t number = ws_string_pool_intern(&layout->strings, bytes, size);

    if (number == UINT32_MAX) return false;
    *offset = layout->strings.items[number].offset;
    *size_field = (uint32_t)size;
    return true;
}

static bool
lay_out_entries(ws_index_layout *layout, const ws_index_draft *draft)
{
    layout->entries = allocate(draft->final_count, sizeof *layout->entries);
    if (!layout->entries) return false;
    for (uint32_t i = 0; i < draft->final_count; i++) {
        const ws_draft_entry *from = &draft->entries[draft->order[i]];
        ws_load_path_entry *to = &layout->entries[i];
        const ws_string_item *item = &draft->expanded.items[draft->order[i]];
        if (!place_string(layout, draft->expanded.bytes + item->offset, item->size, &to->expanded_offset,
                          &to->expanded_size))
            return false;
        to->device = draft->portable ? 0 : from->device;
        to->inode = draft->portable ? 0 : from->inode;
        to->flags = from->flags;
    }
    layout->tables.entries = layout->entries;
    layout->tables.entry_count = draft->final_count;
    return true;
}

/* Strings are placed in the order of their bytes before the rows are sorted by hash, so that rows with equal hashes
 * have a fixed order too. */
static bool
lay_out_names(ws_index_layout *layout, const ws_index_draft *draft)
{
    uint32_t *used = allocate(draft->givens.count, sizeof *used),
             *entry_of = allocate(draft->givens.count, sizeof *entry_of), count = 0;
    ranked_string *ranked = NULL;
    bool fine = used && entry_of;

    for (uint32_t i = 0; fine && i < draft->name_count; i++) {
        entry_of[draft->names[i].given] = draft->entries[draft->names[i].entry].final;
        used[draft->names[i].given] = entry_of[draft->names[i].given] != WS_DRAFT_DROPPED;
    }
    fine = fine && (ranked = rank(&draft->givens, used, &count)) != NULL;
    fine = fine && (layout->names = allocate(count, sizeof *layout->names)) != NULL;
    for (uint32_t i = 0; fine && i < count; i++) {
        ws_load_path_name *name = &layout->names[i];
        name->hash = ws_hash64(ranked[i].bytes, ranked[i].size, WS_SEED_NAME);
        name->entry = entry_of[ranked[i].number];
        fine = place_string(layout, ranked[i].bytes, ranked[i].size, &name->name_offset, &name->name_size);
    }
    if (fine) sort(layout->names, count, sizeof *layout->names, compare_names);
    layout->tables.names = layout->names;
    layout->tables.name_count = count;
    free(used);
    free(entry_of);
    free(ranked);
    return fine;
}

/* rank_of: number in draft->directories -> row. A folder's name begins with its parent's, so it is sorted after it. */
static bool
lay_out_directories(ws_index_layout *layout, ws_index_draft *draft, uint32_t *rank_of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < draft->holder_count; i++) rank_of[draft->holders[i].directory] = 1;
    /* The root folder always has a row, even when all entries are missing. */
    if (draft->final_count > 0) rank_of[ws_string_pool_intern(&draft->directories, "", 0)] = 1;
    ranked_string *ranked = rank(&draft->directories, rank_of, &count);
    bool fine = ranked && (layout->directories = allocate(count, sizeof *layout->directories)) != NULL;

    for (uint32_t i = 0; fine && i < count; i++) {
        ws_index_directory *directory = &layout->directories[i];
        uint32_t parent = ws_string_pool_intern(&draft->directories, ranked[i].bytes,
                                                ws_index_parent_size(ranked[i].bytes, ranked[i].size));
        directory->parent = rank_of[parent];
        fine = place_string(layout, ranked[i].bytes, ranked[i].size, &directory->name_offset, &directory->name_size);
    }
    layout->tables.directories = layout->directories;
    layout->tables.directory_count = count;
    free(ranked);
    return fine;
}

static bool
lay_out_holders(ws_index_layout *layout, ws_index_draft *draft, const uint32_t *rank_of)
{
    layout->holders = allocate(draft->holder_count, sizeof *layout->holders);
    if (!layout->holders) return false;
    for (uint32_t i = 0; i < draft->holder_count; i++)
        draft->holders[i].directory = rank_of[draft->holders[i].directory];
    sort(draft->holders, draft->holder_count, sizeof *draft->holders, compare_holders);
    for (uint32_t i = 0; i < draft->holder_count; i++) {
        ws_index_directory *directory = &layout->directories[draft->holders[i].directory];
        if (directory->holder_count++ == 0) directory->holder_first = i;
        layout->holders[i] = draft->holders[i].row;
    }
    layout->tables.holders = layout->holders;
    layout->tables.holder_count = draft->holder_count;
    return true;
}

static bool
lay_out_feature(ws_index_layout *layout, ws_index_draft *draft, const uint32_t *rank_of, const ranked_string *stem,
                ws_index_feature *feature)
{
    size_t size = ws_index_parent_size(stem->bytes, stem->size);
    uint32_t directory = ws_string_pool_intern(&draft->directories, stem->bytes, size);

    /* A missing name may lie in a folder that does not exist. Then its directory is the deepest folder that exists,
     * which would change if the name came into being. Only the root folder, which always exists, has the rank 0. */
    for (; rank_of[directory] == 0 && size > 0;
         directory = ws_string_pool_intern(&draft->directories, stem->bytes, size)) {
        size = ws_index_parent_size(stem->bytes, size);
    }
    feature->hash = ws_hash64(stem->bytes, stem->size, WS_SEED_NAME);
    feature->directory = rank_of[directory];
    return place_string(layout, stem->bytes, stem->size, &feature->name_offset, &feature->name_size);
}

static void
lay_out_lists(ws_index_layout *layout, ws_index_draft *draft, const uint32_t *stem_rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < draft->presence_count; i++) draft->presences[i].stem = stem_rank[draft->presences[i].stem];
    sort(draft->presences, draft->presence_count, sizeof *draft->presences, compare_presences);
    for (uint32_t i = 0; i < draft->presence_count; i++) {
        const ws_draft_presence *presence = &draft->presences[i];
        /* A file system may list a name twice when the folder changes during the listing. */
        if (i > 0 && compare_presences(presence, presence - 1) == 0) continue;
        ws_index_feature *feature = &layout->features[presence->stem];
        if (feature->rb_count + feature->library_count == 0) feature->list_first = count;
        if (presence->library) feature->library_count++;
        else feature->rb_count++;
        layout->lists[count++] = presence->entry;
    }
    layout->tables.lists = layout->lists;
    layout->tables.list_count = count;
}

static bool
lay_out_features(ws_index_layout *layout, ws_index_draft *draft, const uint32_t *rank_of)
{
    uint32_t *used = allocate(draft->stems.count, sizeof *used), count = 0;
    ranked_string *ranked = NULL;

    for (uint32_t i = 0; used && i < draft->presence_count; i++) used[draft->presences[i].stem] = 1;
    for (uint32_t i = 0; used && i < draft->missing_count; i++) used[draft->missing[i]] = 1;
    bool fine = used && (ranked = rank(&draft->stems, used, &count)) != NULL &&
                (layout->features = allocate(count, sizeof *layout->features)) != NULL &&
                (layout->lists = allocate(draft->presence_count, sizeof *layout->lists)) != NULL;
    for (uint32_t i = 0; fine && i < count; i++)
        fine = lay_out_feature(layout, draft, rank_of, &ranked[i], &layout->features[i]);
    if (fine) lay_out_lists(layout, draft, used);
    layout->tables.features = layout->features;
    layout->tables.feature_count = count;
    free(used);
    free(ranked);
    return fine;
}

bool
ws_index_layout_make(ws_index_layout *layout, ws_index_draft *draft)
{
    memset(layout, 0, sizeof *layout);
    uint32_t *rank_of = allocate(draft->directories.count, sizeof *rank_of);
    bool fine = rank_of && lay_out_entries(layout, draft) && lay_out_names(layout, draft) &&
                lay_out_directories(layout, draft, rank_of) && lay_out_holders(layout, draft, rank_of) &&
                lay_out_features(layout, draft, rank_of);

    free(rank_of);
    layout->segment.strings = layout->strings.bytes;
    layout->segment.strings_size = layout->strings.size;
    layout->tables.segment = &layout->segment;
    layout->tables.portable = draft->portable;
    return fine;
}

void
ws_index_layout_free(ws_index_layout *layout)
{
    ws_string_pool_free(&layout->strings);
    free(layout->entries);
    free(layout->names);
    free(layout->directories);
    free(layout->holders);
    free(layout->features);
    free(layout->lists);
}
