/* A set of names; see feature_names.h. It is a hash table by the base name without ".rb", which is the same in a name
 * and in all files that it may mean. */
#include "core/index/feature_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes/hash.h"

typedef struct ws_name {
    struct ws_name *next;
    size_t size; /* without ".rb" */
    char bytes[];
} ws_name;

struct ws_feature_names {
    ws_name **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
};

#define FIRST_BUCKET_COUNT 1024u

static size_t
without_extension(const char *bytes, size_t size)
{
    return size > 3 && memcmp(bytes + size - 3, ".rb", 3) == 0 ? size - 3 : size;
}

static const char *
base_of(const char *bytes, size_t size)
{
    const char *at = bytes + size;
    while (at > bytes && at[-1] != '/') at--;
    return at;
}

static size_t
bucket_of(const ws_feature_names *names, const char *bytes, size_t size)
{
    const char *base = base_of(bytes, size);
    return (size_t)ws_hash64(base, (size_t)(bytes + size - base), 0) & (names->bucket_count - 1);
}

ws_feature_names *
ws_feature_names_new(void)
{
    ws_feature_names *names = calloc(1, sizeof *names);
    if (!names) return NULL;
    names->bucket_count = FIRST_BUCKET_COUNT;
    names->buckets = calloc(names->bucket_count, sizeof *names->buckets);
    if (names->buckets) return names;
    free(names);
    return NULL;
}

void
ws_feature_names_free(ws_feature_names *names)
{
    if (!names) return;
    for (size_t i = 0; i < names->bucket_count; i++) {
        ws_name *next;
        for (ws_name *name = names->buckets[i]; name; name = next) {
            next = name->next;
            free(name);
        }
    }
    free(names->buckets);
    free(names);
}

/* If memory is short, the table stays as it is and its lists become longer. */
static void
grow(ws_feature_names *names)
{
    ws_feature_names larger = { .bucket_count = names->bucket_count * 4 };
    larger.buckets = calloc(larger.bucket_count, sizeof *larger.buckets);
    if (!larger.buckets) return;
    for (size_t i = 0; i < names->bucket_count; i++) {
        ws_name *next;
        for (ws_name *name = names->buckets[i]; name; name = next) {
            next = name->next;
            size_t bucket = bucket_of(&larger, name->bytes, name->size);
            name->next = larger.buckets[bucket];
            larger.buckets[bucket] = name;
        }
    }
    free(names->buckets);
    names->buckets = larger.buckets;
    names->bucket_count = larger.bucket_count;
}

bool
ws_feature_names_add(ws_feature_names *names, const char *bytes, size_t size)
{
    size = without_extension(bytes, size);
    size_t bucket = bucket_of(names, bytes, size);
    for (ws_name *name = names->buckets[bucket]; name; name = name->next)
        if (name->size == size && memcmp(name->bytes, bytes, size) == 0) return true;

    ws_name *name = malloc(sizeof *name + size);
    if (!name) return false;
    name->size = size;
    memcpy(name->bytes, bytes, size);
    name->next = names->buckets[bucket];
    names->buckets[bucket] = name;
    if (++names->count > names->bucket_count) grow(names);
    return true;
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
    size = without_extension(path, size);
    for (ws_name *name = names->buckets[bucket_of(names, path, size)]; name; name = name->next)
        if (may_mean(name->bytes, name->size, path, size)) return true;
    return false;
}

bool
ws_feature_name_may_mean(const char *name, size_t name_size, const char *path, size_t path_size)
{
    return may_mean(name, without_extension(name, name_size), path, without_extension(path, path_size));
}
