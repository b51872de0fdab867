/* The copies of $LOADED_FEATURES that Ruby 3.1 leaves behind: see features_copies.c. Who calls: features.c, require.c.
 */
#ifndef WARMSTART_RUBY_FEATURES_COPIES_H
#define WARMSTART_RUBY_FEATURES_COPIES_H

#include <ruby.h>

/* To be called after a file has been provided. On Ruby 3.1 it frees the former copy of $LOADED_FEATURES. */
void ws_free_features_copy(void);

void ws_init_features_copies(VALUE native);

#endif
