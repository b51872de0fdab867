/* Watches $LOAD_PATH: see load_path.c. */
#ifndef WARMSTART_RUBY_LOAD_PATH_H
#define WARMSTART_RUBY_LOAD_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

#include "ruby/boot/boot.h"

/* Is the feature a String (and no object like one), in an encoding in which our paths' bytes mean the same? */
bool ws_is_plain_feature(VALUE feature);
/* Does the index know that Ruby found nothing under this name? */
bool ws_load_path_knows_missing(VALUE feature);
/* Is there anything but Strings on $LOAD_PATH? Then every search is left to Ruby. */
bool ws_load_path_has_objects(void);
/* Tells the index the present $LOAD_PATH if it has changed. Returns false if the index cannot answer: memory is short.
 * Ruby must have expanded the load path just before (rb_provided), which freezes its Strings. */
bool ws_load_path_tell_index(void);

void ws_init_load_path(VALUE native);

#endif
