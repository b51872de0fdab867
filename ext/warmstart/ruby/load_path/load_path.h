/* Watches $LOAD_PATH and says what a feature means: see load_path.c. */
#ifndef WARMSTART_RUBY_LOAD_PATH_H
#define WARMSTART_RUBY_LOAD_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

#include "core/system/file.h"
#include "ruby/boot/boot.h"

typedef enum ws_resolution_kind {
    WS_RESOLVED_SEARCH,   /* let Ruby search; reason says why */
    WS_RESOLVED_FILE,     /* path is the absolute path of the file that Ruby's own search would find */
    WS_RESOLVED_PROVIDED, /* the name is provided, and Ruby's search would find nothing else: false */
    /* The name is provided. Only Ruby's own search can tell whether it would find something else: by a library, but a
     * .rb of that name may come first. */
    WS_RESOLVED_PROVIDED_PERHAPS,
    WS_RESOLVED_MISSING /* Ruby's search would find nothing at all: LoadError */
} ws_resolution_kind;

typedef struct ws_resolution {
    const char *reason;
    bool library;   /* the file is not a .rb */
    bool have_stat; /* checked mode: stat is the file's */
    ws_stat stat;
    size_t size;
    char path[WS_PATH_MAXIMUM];
} ws_resolution;

/* Returns WS_RESOLVED_SEARCH, for this reason. */
ws_resolution_kind ws_left_to_ruby(ws_resolution *resolution, const char *reason);
/* Is the feature a String (and no object like one), in an encoding in which our paths' bytes mean the same? */
bool ws_is_plain_feature(VALUE feature);
/* Says what a feature that is no path means under the present $LOAD_PATH. Other threads may run during the call. */
ws_resolution_kind ws_load_path_resolve(VALUE feature, ws_resolution *resolution);
/* Does the index know that Ruby found nothing under this name? */
bool ws_load_path_knows_missing(VALUE feature);
/* Is there anything but Strings on $LOAD_PATH? Then every search is left to Ruby. */
bool ws_load_path_has_objects(void);
/* Would Ruby load the file at resolution->path, as far as its metadata tell? Fills stat, unless the image is sealed and
 * the file is believed. */
bool ws_load_path_check_file(ws_resolution *resolution);

void ws_init_load_path(VALUE native);

#endif
