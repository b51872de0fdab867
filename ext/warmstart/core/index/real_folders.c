/* Knows which folders are not links; see real_folders.h. */
#include "core/index/real_folders.h"

#include <stdint.h>
#include <string.h>

#include "core/bytes/string_pool.h"
#include "core/bytes/vector.h"
#include "core/validation/validation_ahead.h"

#define PATH_MAXIMUM 4096u

/* What is known about a path. Each field holds the round (see `round_number`) in which it was found out. folder: it is
 * a folder and not a link. other: it is something else. whole: it and everything above it are folders and not links. */
typedef struct folder_fact {
    uint32_t folder, other, whole;
} folder_fact;

static struct {
    ws_string_pool paths;
    folder_fact *facts; /* of the paths */
    size_t capacity;
    uint32_t round_number;
} real = { .round_number = 1 };

void
ws_real_folders_forget(void)
{
    real.round_number++;
}

/* Returns NULL when memory is short. */
static folder_fact *
fact_of(const char *path, size_t size)
{
    uint32_t number = ws_string_pool_intern(&real.paths, path, size);

    if (number == UINT32_MAX) return NULL;
    size_t before = real.capacity;
    if (!WS_RESERVE(real.facts, real.capacity, number + 1)) return NULL;
    if (real.capacity > before) memset(real.facts + before, 0, (real.capacity - before) * sizeof *real.facts);
    return &real.facts[number];
}

void
ws_real_folder_note(const char *path, size_t size, bool is_folder)
{
    folder_fact *fact = fact_of(path, size);

    if (!fact) return;
    fact->folder = is_folder ? real.round_number : 0;
    fact->other = is_folder ? 0 : real.round_number;
}

bool
ws_real_folder_is_known(const char *path, size_t size)
{
    const folder_fact *fact = fact_of(path, size);

    return fact && fact->folder == real.round_number;
}

static void
look_at(char *path, size_t size)
{
    char kept = path[size];
    ws_stat stat;

    path[size] = '\0';
    bool is_folder =
        ws_ahead_stat(path, WS_AHEAD_FOLDER, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY && !stat.is_link;
    ws_real_folder_note(path, size, is_folder);
    path[size] = kept;
}

/* The place of the first component: after "/", "C:/" or "//server/share/". */
static size_t
root_size(const char *path, size_t size)
{
    size_t at = 0;

#ifdef _WIN32
    int separators = size > 1 && path[0] == '/' && path[1] == '/' ? 4 : 1;
    for (; at < size && separators > 0; at++) separators -= path[at] == '/';
#else
    if (size > 0 && path[0] == '/') at = 1;
#endif
    return at;
}

bool
ws_is_real_folder(const char *path, size_t size)
{
    char copy[PATH_MAXIMUM];
    const folder_fact *fact = fact_of(path, size);
    size_t root = root_size(path, size), known = size;

    if (fact && fact->whole == real.round_number) return true;
    if (size >= sizeof copy || root == 0) return false;
    memcpy(copy, path, size);
    copy[size] = '\0';
    for (size_t end = root; end <= size; end++) {
        if (end < size && path[end] != '/') continue;
        if (end > root && !ws_real_folder_is_known(copy, end)) {
            fact = fact_of(copy, end);
            if (!fact) return false;
            if (fact->other != real.round_number) look_at(copy, end);
            if (!ws_real_folder_is_known(copy, end)) return false;
        }
        known = end;
    }
    folder_fact *whole = known == size ? fact_of(path, size) : NULL;
    if (whole) whole->whole = real.round_number;
    return whole != NULL;
}
