/* Creates, finishes and frees an operation. Its work is done in file_system_work.c. */
#include "core/file_system/file_system_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/table.h"
#include "core/bytes/vector.h"

static ws_walk_folder *
new_folder(const ws_walk *walk, const char *parent, size_t parent_size, const char *name, size_t name_size)
{
    ws_walk_folder *folder = calloc(1, sizeof *folder);
    size_t offset = parent_size > 0 ? parent_size + 1 : 0;

    if (!folder) return NULL;
    folder->opened = WS_FOLDER_NONE;
    folder->path_size = offset + name_size;
    folder->path = malloc(folder->path_size + 1);
    if (!folder->path) {
        free(folder);
        return NULL;
    }
    memcpy(folder->path, parent, parent_size);
    if (offset > 0) folder->path[parent_size] = '/';
    memcpy(folder->path + offset, name, name_size);
    folder->path[folder->path_size] = '\0';
    folder->listing.fields = walk->options.fields;
    folder->listing.cancelled = &walk->cancelled;
    return folder;
}

static void
close_folder(ws_walk_folder *folder)
{
    if (folder->opened != WS_FOLDER_CURRENT && folder->opened != WS_FOLDER_NONE) ws_folder_close(folder->opened);
    folder->opened = WS_FOLDER_NONE;
}

static void
free_folder(ws_walk_folder *folder)
{
    close_folder(folder);
    ws_listing_free(&folder->listing);
    free(folder->path);
    free(folder);
}

static bool
add_folder(ws_walk *walk, ws_walk_folder *folder)
{
    if (!folder) return false;
    if (!WS_RESERVE(walk->folders, walk->folder_capacity, walk->folder_count + 1)) {
        free_folder(folder);
        return false;
    }
    walk->folders[walk->folder_count++] = folder;
    return true;
}

bool
ws_walk_enter(ws_walk *walk, uint32_t number, uint32_t row)
{
    ws_walk_folder *folder = walk->folders[number];
    const ws_row *entry = &folder->listing.rows[row];

    if (entry->child != 0) return true;
    if (!add_folder(walk, new_folder(walk, folder->path, folder->path_size, ws_listing_name(&folder->listing, row),
                                     entry->name_size)))
        return false;
    folder->listing.rows[row].child = walk->folder_count - 1;
    return true;
}

static void
init(ws_walk *walk, const ws_walk_options *options)
{
    *walk = (ws_walk){ .options = *options, .root_folder = WS_FOLDER_NONE, .thread_count = 1 };
    walk->options.fields |= WS_FIELD_TYPE;
    ws_mutex_init(&walk->lock);
    ws_condition_init(&walk->changed);
}

int
ws_walk_init(ws_walk *walk, const char *root, const ws_walk_options *options)
{
    init(walk, options);
    walk->root = strdup(root);
    return walk->root && add_folder(walk, new_folder(walk, "", 0, "", 0)) ? 0 : ENOMEM;
}

/* ---- A list of paths: it is one folder that is never opened ---- */

/* The row of the path, or WS_NO_NUMBER. */
static uint32_t
find_row(const ws_table *rows, const ws_listing *listing, const char *path, size_t size, uint64_t hash)
{
    uint32_t number;
    for (ws_probe probe = ws_table_probe(rows, hash); (number = ws_table_next(&probe)) != WS_NO_NUMBER;) {
        const ws_row *row = &listing->rows[number];
        if (row->name_size == size && memcmp(listing->names + row->name_offset, path, size) == 0) break;
    }
    return number;
}

int
ws_walk_init_paths(ws_walk *walk, const char *const *paths, const size_t *sizes, uint32_t count,
                   const ws_walk_options *options, uint32_t *rows)
{
    ws_table known = { 0 };

    init(walk, options);
    if (!add_folder(walk, new_folder(walk, "", 0, "", 0))) return ENOMEM;
    ws_walk_folder *folder = walk->folders[0];
    folder->opened = walk->root_folder = WS_FOLDER_CURRENT;
    folder->listed = true;
    bool enough = ws_table_reserve(&known, count);
    for (uint32_t i = 0; enough && i < count; i++) {
        uint64_t hash = ws_hash64(paths[i], sizes[i], 0);
        rows[i] = find_row(&known, &folder->listing, paths[i], sizes[i], hash);
        if (rows[i] != WS_NO_NUMBER) continue;
        enough = ws_listing_add(&folder->listing, paths[i], sizes[i], WS_LISTED_UNKNOWN);
        if (!enough) break;
        rows[i] = folder->listing.count - 1;
        ws_table_add(&known, hash, rows[i]);
    }
    ws_table_free(&known);
    return enough ? 0 : ENOMEM;
}

void
ws_walk_close(ws_walk *walk)
{
    for (uint32_t i = 0; i < walk->folder_count; i++) close_folder(walk->folders[i]);
    walk->root_folder = WS_FOLDER_NONE;
}

void
ws_walk_free(ws_walk *walk)
{
    for (uint32_t i = 0; i < walk->folder_count; i++) free_folder(walk->folders[i]);
    free(walk->root);
    free(walk->folders);
    free(walk->row_queue);
    free(walk->places);
    *walk = (ws_walk){ .root_folder = WS_FOLDER_NONE };
}

void
ws_walk_cancel(ws_walk *walk)
{
    __atomic_store_n(&walk->cancelled, true, __ATOMIC_RELAXED);
}

void
ws_walk_continue(ws_walk *walk)
{
    __atomic_store_n(&walk->cancelled, false, __ATOMIC_RELAXED);
}

bool
ws_walk_is_vanished(int error_number)
{
    return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
}

/* ---- The order ---- */

static bool
is_kept(const ws_walk *walk, const ws_row *row)
{
    return walk->options.keep_vanished || row->error_number != ENOENT;
}

/* Puts the folders in order: the root, then the sub-folders of each folder in the order of its rows. */
static uint32_t
order_folders(const ws_walk *walk, uint32_t *order)
{
    uint32_t count = 1;

    order[0] = 0;
    for (uint32_t at = 0; at < count; at++) {
        const ws_listing *listing = &walk->folders[order[at]]->listing;
        for (uint32_t row = 0; row < listing->count; row++) {
            if (listing->rows[row].child != 0 && is_kept(walk, &listing->rows[row]))
                order[count++] = listing->rows[row].child;
        }
    }
    return count;
}

bool
ws_walk_finish(ws_walk *walk)
{
    ws_walk_close(walk);
    uint64_t total = 0;
    uint32_t *order = malloc(walk->folder_count * sizeof *order);

    for (uint32_t i = 0; i < walk->folder_count; i++) total += walk->folders[i]->listing.count;
    free(walk->places);
    walk->place_count = 0;
    walk->places = total < UINT32_MAX ? malloc((size_t)(total > 0 ? total : 1) * sizeof *walk->places) : NULL;
    if (order && walk->places) {
        uint32_t count = order_folders(walk, order);
        for (uint32_t at = 0; at < count; at++) {
            const ws_listing *listing = &walk->folders[order[at]]->listing;
            for (uint32_t row = 0; row < listing->count; row++) {
                if (is_kept(walk, &listing->rows[row]))
                    walk->places[walk->place_count++] = (ws_walk_place){ order[at], row };
            }
        }
    }
    free(order);
    return order && walk->places;
}

char *
ws_walk_path(const ws_walk *walk, const ws_walk_folder *folder, uint32_t row)
{
    const char *parts[3] = { walk->root ? walk->root : "", folder->path,
                             row == UINT32_MAX ? "" : ws_listing_name(&folder->listing, row) };
    size_t size = 0;
    char *path = malloc(strlen(parts[0]) + folder->path_size + strlen(parts[2]) + 3);

    for (int i = 0; path && i < 3; i++) {
        size_t part = strlen(parts[i]);
        if (part == 0) continue;
        if (size > 0 && path[size - 1] != '/') path[size++] = '/';
        memcpy(path + size, parts[i], part);
        size += part;
    }
    if (path) path[size] = '\0';
    return path;
}
