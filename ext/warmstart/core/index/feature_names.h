/* A set of names that were given to `autoload`. The set answers whether one of them may mean a given file. In doubt the
 * answer is yes: a relative name means every file whose path ends with it, and "./x" means every file of that base
 * name. Not thread-safe: called with the GVL. */
#ifndef WARMSTART_CORE_FEATURE_NAMES_H
#define WARMSTART_CORE_FEATURE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes/string_pool.h"

/* An empty set is all zeroes. The base name without ".rb" is the same in a name and in all files that it may mean. */
typedef struct ws_feature_names {
    ws_string_pool names; /* without ".rb" */
    ws_table by_base;     /* numbers of the names by the hash of the base name */
} ws_feature_names;

/* Adds a name, once. false: memory is short. */
bool ws_feature_names_add(ws_feature_names *names, const char *name, size_t size);

/* May one of the names mean the file with this absolute path? */
bool ws_feature_names_may_mean(const ws_feature_names *names, const char *path, size_t size);

/* May this one name mean the file? */
bool ws_feature_name_may_mean(const char *name, size_t name_size, const char *path, size_t path_size);

#endif
