/* The table of calls to be made before their turn: see validation_ahead_list.h. */
#include "core/validation/validation_ahead_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"

#define PATHS_MAXIMUM 50000u
#define FOLDERS_LOOKED_AT 256u

void
ws_ahead_release(ws_ahead_list *list)
{
    if (__atomic_sub_fetch(&list->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
    free(list->paths);
    free(list->jobs);
    free(list->slots);
    free(list->folders);
    free(list);
}

bool
ws_ahead_change(ahead_job *job, uint8_t from, uint8_t to)
{
    return __atomic_compare_exchange_n(&job->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

uint32_t *
ws_ahead_find_slot(const ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    for (uint64_t at = ws_hash64(path, size, kind);; at++) {
        uint32_t *slot = &list->slots[at & list->slot_mask];
        if (*slot == 0) return slot;
        const ahead_job *job = &list->jobs[*slot - 1];
        if (job->kind == kind && strncmp(list->paths + job->path_offset, path, size) == 0 &&
            list->paths[job->path_offset + size] == '\0')
            return slot;
    }
}

static bool
grow_slots(ws_ahead_list *list)
{
    uint32_t mask = list->slot_mask * 2 + 1, *old = list->slots;

    if (mask < 1023) mask = 1023;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!slots) return false;
    list->slots = slots;
    list->slot_mask = mask;
    for (uint32_t i = 0; i < list->count; i++) {
        const char *path = list->paths + list->jobs[i].path_offset;
        *ws_ahead_find_slot(list, list->jobs[i].kind, path, strlen(path)) = i + 1;
    }
    free(old);
    return true;
}

static bool
reserve(ws_ahead_list *list, size_t size)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity * 2 + 256;
        ahead_job *jobs = realloc(list->jobs, capacity * sizeof *jobs);
        if (!jobs) return false;
        list->jobs = jobs;
        list->capacity = capacity;
    }
    if (list->paths_capacity - list->paths_size < size + 1) {
        size_t capacity = list->paths_capacity * 2 + size + 4096;
        char *paths = realloc(list->paths, capacity);
        if (!paths) return false;
        list->paths = paths;
        list->paths_capacity = capacity;
    }
    return (list->slots && list->count * 2 < list->slot_mask) || grow_slots(list);
}

/* ---- What somebody has asked about: by hashes, for a clash costs no more than a call of one's own ---- */

static struct {
    uint64_t *hashes;
    uint32_t count, mask;
} asked;

static uint64_t *
find_hash(uint64_t hash)
{
    uint64_t at = hash;
    while (asked.hashes[at & asked.mask] != 0 && asked.hashes[at & asked.mask] != hash) at++;
    return &asked.hashes[at & asked.mask];
}

static bool
was_asked(const char *path, size_t size)
{
    return asked.hashes && *find_hash(ws_hash64(path, size, 0) | 1) != 0;
}

bool
ws_ahead_note_asked(const char *path, size_t size)
{
    if (!asked.hashes || asked.count * 2 > asked.mask) {
        uint64_t *old = asked.hashes;
        uint32_t old_mask = asked.mask, mask = old ? old_mask * 2 + 1 : 1023;
        uint64_t *hashes = calloc((size_t)mask + 1, sizeof *hashes);
        if (!hashes) return false;
        asked.hashes = hashes;
        asked.mask = mask;
        for (uint32_t i = 0; old && i <= old_mask; i++)
            if (old[i] != 0) *find_hash(old[i]) = old[i];
        free(old);
    }
    uint64_t hash = ws_hash64(path, size, 0) | 1, *place = find_hash(hash);
    if (*place != 0) return false;
    *place = hash;
    asked.count++;
    return true;
}

size_t
ws_ahead_folder_size(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    return size > 1 ? size - 1 : 0;
}

/* One more file of a folder. Its number; UINT32_MAX where it is to be looked at alone. (Files of a folder that stand
 * far apart in the list, and folders whose paths have one hash, count as what they are not; that costs calls, nothing
 * else.) */
static uint32_t
add_to_folder(ws_ahead_list *list, const char *path, size_t size)
{
    size_t folder_size = ws_ahead_folder_size(path, size);
    uint64_t hash = ws_hash64(path, folder_size, 0);

    if (folder_size == 0) return UINT32_MAX;
    uint32_t number = list->last_folder;
    if (number >= list->folder_count || list->folders[number].hash != hash) {
        number = list->folder_count;
        uint32_t oldest = number > FOLDERS_LOOKED_AT ? number - FOLDERS_LOOKED_AT : 0;
        while (number > oldest && list->folders[number - 1].hash != hash) number--;
        number = number > oldest ? number - 1 : list->folder_count;
    }
    if (number == list->folder_count) {
        if (list->folder_count == list->folder_capacity) {
            uint32_t capacity = list->folder_capacity * 2 + 64;
            ahead_folder *folders = realloc(list->folders, capacity * sizeof *folders);
            if (!folders) return UINT32_MAX;
            list->folders = folders;
            list->folder_capacity = capacity;
        }
        list->folders[list->folder_count++] = (ahead_folder){ .hash = hash };
    }
    list->folders[number].left++;
    return list->last_folder = number;
}

bool
ws_ahead_add(ws_ahead_list *list, ws_ahead_kind kind, const char *path, size_t size)
{
    if (list->count == PATHS_MAXIMUM || !reserve(list, size)) return false;
    if (kind != WS_AHEAD_LINK && was_asked(path, size)) return true;
    uint32_t *slot = ws_ahead_find_slot(list, kind, path, size);
    if (*slot != 0) return true;
    uint32_t folder = kind == WS_AHEAD_FILE ? add_to_folder(list, path, size) : UINT32_MAX;
    list->jobs[list->count] = (ahead_job){
        .path_offset = (uint32_t)list->paths_size, .folder = folder, .kind = (uint8_t)kind, .state = WAITING
    };
    memcpy(list->paths + list->paths_size, path, size);
    list->paths[list->paths_size + size] = '\0';
    list->paths_size += size + 1;
    *slot = ++list->count;
    return true;
}
