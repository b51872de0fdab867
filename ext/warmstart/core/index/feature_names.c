/* A set of names; see feature_names.h. */
#include "core/index/feature_names.h"

#include <string.h>

#include "core/bytes/hash.h"
#include "core/path/path.h"

static size_t
without_extension(const char *bytes, size_t size)
{
    return ws_path_ends_in_rb(bytes, size) ? size - 3 : size;
}

static const char *
base_of(const char *bytes, size_t size)
{
    const char *at = bytes + size;
    while (at > bytes && at[-1] != '/') at--;
    return at;
}

static uint64_t
hash_of_base(const char *bytes, size_t size)
{
    const char *base = base_of(bytes, size);
    return ws_hash64(base, (size_t)(bytes + size - base), 0);
}

bool
ws_feature_names_add(ws_feature_names *names, const char *name, size_t size)
{
    uint32_t known = names->names.count;
    size = without_extension(name, size);
    if (!ws_table_reserve(&names->by_base, 1)) return false;
    uint32_t number = ws_string_pool_intern(&names->names, name, size);
    if (number == known) ws_table_add(&names->by_base, hash_of_base(name, size), number);
    return number != UINT32_MAX;
}

/* Both are given without ".rb". */
static bool
may_mean(const char *name, size_t name_size, const char *path, size_t path_size)
{
    if (name_size == 0) return false;
    const char *base = base_of(name, name_size);
    bool canonical = *name != '.' && *name != '~' && !memchr(name, '\\', name_size);
    for (const char *at = name; canonical && at + 1 < name + name_size; at++)
        if (at[0] == '/' && (at[1] == '.' || at[1] == '/')) canonical = false; /* not canonical: "x/../y" */
    /* The name is an absolute path, which on Windows begins with a drive. */
    if (canonical && (*name == '/' || name_size == path_size))
        return name_size == path_size && memcmp(name, path, name_size) == 0;
    size_t tail = canonical ? name_size : (size_t)(name + name_size - base);
    return tail < path_size && path[path_size - tail - 1] == '/' &&
           memcmp(path + path_size - tail, name + name_size - tail, tail) == 0;
}

bool
ws_feature_names_may_mean(const ws_feature_names *names, const char *path, size_t size)
{
    uint32_t number;
    size = without_extension(path, size);
    ws_probe probe = ws_table_probe(&names->by_base, hash_of_base(path, size));
    while ((number = ws_table_next(&probe)) != WS_NO_NUMBER)
        if (may_mean(ws_string_pool_get(&names->names, number), names->names.items[number].size, path, size))
            return true;
    return false;
}

bool
ws_feature_name_may_mean(const char *name, size_t name_size, const char *path, size_t path_size)
{
    return may_mean(name, without_extension(name, name_size), path, without_extension(path, path_size));
}
