/* $LOADED_FEATURES, for the direct way. Who calls: loading.c, direct.c, way.c, hook.c, realpaths.c. */
#ifndef WARMSTART_RUBY_FEATURES_H
#define WARMSTART_RUBY_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Is a feature with this path or name provided? If Ruby is still loading it natively, returns false and sets *loading.
 * Other threads may run during the call. */
bool ws_is_provided(const char *feature, bool *loading);
/* Appends a path to $LOADED_FEATURES, as Ruby does for a file that it has loaded. The path's text must live for ever.
 * Raises if the Array is frozen. */
void ws_provide(const char *path);
/* Is this element of an Array a String that equals the path? */
bool ws_is_path(VALUE element, const char *path, size_t size);
bool ws_is_last_feature(const char *path);
void ws_remove_feature(const char *path);

void ws_init_features(VALUE native);

#endif
