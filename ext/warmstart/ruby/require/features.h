/* $LOADED_FEATURES, for the direct way. Who calls: loading.c, direct.c, way.c, hook.c, hook_owner.c, realpaths.c. */
#ifndef WARMSTART_RUBY_FEATURES_H
#define WARMSTART_RUBY_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Is something with this path or name provided? *loading: natively being loaded. May let other threads run. */
bool ws_is_provided(const char *feature, bool *loading);
/* Puts a path, which has to live for ever, at the end, as Ruby does for a file that it has loaded. May raise (frozen).
 */
void ws_provide(const char *path);
/* Is this element of an Array that path? */
bool ws_is_path(VALUE element, const char *path, size_t size);
bool ws_is_last_feature(const char *path);
void ws_remove_feature(const char *path);

/* A file has been provided: on Ruby 3.1 frees what Ruby has left of $LOADED_FEATURES as it was before
 * (features_copies.c). */
void ws_free_features_copy(void);

void ws_init_features(VALUE native);
void ws_init_features_copies(VALUE native);

#endif
