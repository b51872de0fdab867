/* The table of calls to be made ahead of time: see validation_ahead_list.h. */
#include "core/validation/validation_ahead_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"
#include "core/bytes/vector.h"

#define PATHS_MAXIMUM 50000u
#define FOLDERS_LOOKED_AT 256u

void
ws_ahead_release(ws_ahead_list *list)
{
    if (__atomic_sub_fetch(&list->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    free(list->paths);
    free(list->jobs);
    ws_table_free(&list->numbers);
    free(list->folders);
    free(list);
}

bool
ws_ahead_change(ahead_job *job, uint8_t from, uint8_t to)
{
    return __atomic_compare_exchange_n(&job->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

uint32_t
ws_ahead_find(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    uint32_t number;
    ws_probe probe = ws_table_probe(&list->numbers, ws_hash64(path, size, kind));
    while ((number = ws_table_next(&probe)) != WS_NO_NUMBER) {
        const ahead_job *job = &list->jobs[number];
        if (job->kind == kind && strncmp(list->paths + job->path_offset, path, size) == 0 &&
            list->paths[job->path_offset + size] == '\0')
            break;
    }
    return number;
}

static bool
reserve(ws_ahead_list *list, size_t size)
{
    return WS_RESERVE(list->jobs, list->capacity, list->count + 1) &&
           WS_RESERVE(list->paths, list->paths_capacity, list->paths_size + size + 1) &&
           ws_table_reserve(&list->numbers, 1);
}

/* ---- Paths that were asked about, kept as hashes: a clash only costs the caller a call of its own ---- */

static ws_table asked;

static bool
was_asked(uint64_t hash)
{
    ws_probe probe = ws_table_probe(&asked, hash);
    return ws_table_next(&probe) != WS_NO_NUMBER;
}

bool
ws_ahead_note_asked(const char *path, size_t size)
{
    uint64_t hash = ws_hash64(path, size, 0);
    if (was_asked(hash) || !ws_table_reserve(&asked, 1)) return false;
    ws_table_add(&asked, hash, 0);
    return true;
}

size_t
ws_ahead_folder_size(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    return size > 1 ? size - 1 : 0;
}

/* Returns the number of the folder whose path has this hash, or WS_NO_NUMBER. Looks at the last one first, and then at
 * the newest ones only. */
static uint32_t
find_folder(const ws_ahead_list *list, uint64_t hash)
{
    if (list->last_folder < list->folder_count && list->folders[list->last_folder].hash == hash)
        return list->last_folder;
    uint32_t oldest = list->folder_count > FOLDERS_LOOKED_AT ? list->folder_count - FOLDERS_LOOKED_AT : 0;
    for (uint32_t number = list->folder_count; number-- > oldest;)
        if (list->folders[number].hash == hash) return number;
    return WS_NO_NUMBER;
}

/* Counts one more file of a folder. Returns the folder's number, or WS_NO_NUMBER if the file is to be looked at alone.
 * Files of one folder that are far apart in the list are taken for files of two folders, and two folders whose paths
 * have the same hash are taken for one. Both only cost calls. */
static uint32_t
add_to_folder(ws_ahead_list *list, const char *path, size_t size)
{
    size_t folder_size = ws_ahead_folder_size(path, size);
    if (folder_size == 0) return WS_NO_NUMBER;
    uint64_t hash = ws_hash64(path, folder_size, 0);
    uint32_t number = find_folder(list, hash);
    if (number == WS_NO_NUMBER) {
        if (!WS_RESERVE(list->folders, list->folder_capacity, list->folder_count + 1)) return WS_NO_NUMBER;
        number = list->folder_count++;
        list->folders[number] = (ahead_folder){ .hash = hash };
    }
    list->folders[number].left++;
    return list->last_folder = number;
}

bool
ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    if (list->count == PATHS_MAXIMUM || !reserve(list, size)) return false;
    if (kind != WS_AHEAD_LINK && was_asked(ws_hash64(path, size, 0))) return true;
    if (ws_ahead_find(list, kind, path, size) != WS_NO_NUMBER) return true;
    uint32_t folder = kind == WS_AHEAD_FILE ? add_to_folder(list, path, size) : WS_NO_NUMBER;
    list->jobs[list->count] = (ahead_job){
        .path_offset = (uint32_t)list->paths_size, .folder = folder, .kind = (uint8_t)kind, .state = WAITING
    };
    memcpy(list->paths + list->paths_size, path, size);
    list->paths[list->paths_size + size] = '\0';
    list->paths_size += size + 1;
    ws_table_add(&list->numbers, ws_hash64(path, size, kind), list->count++);
    return true;
}
