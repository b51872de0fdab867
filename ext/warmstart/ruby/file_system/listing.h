/* Warmstart::FileSystem: listing_scan.c runs operations, and listing.c shows their results. They need nothing else of
 * these bindings, so the file system can be used without the accelerator. */
#ifndef WARMSTART_RUBY_LISTING_H
#define WARMSTART_RUBY_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/file_system/file_system_walk.h"

typedef struct ws_ruby_listing {
    ws_walk walk;
    bool running;   /* the operation is running, so its rows may move */
    VALUE root;     /* the folder as given, a String; nil for a list of paths */
    VALUE paths;    /* the list, an Array of Strings; nil for a folder */
    uint32_t *rows; /* for a list: the row of each path */
} ws_ruby_listing;

extern const rb_data_type_t ws_listing_type;

/* Makes an Entry. index: its position in the listing, or UINT32_MAX as long as there are no positions. */
VALUE ws_entry_new(VALUE listing, uint32_t index, ws_walk_place place);
/* The error of a row (UINT32_MAX: of the folder itself), with the text of File.lstat or Dir.children. */
VALUE ws_listing_error(const ws_ruby_listing *listing, ws_walk_place place, int error_number);
/* Returns the WS_FIELD_* for a Symbol, or raises ArgumentError. */
uint32_t ws_field_of(VALUE symbol);

void ws_init_file_system_listing(VALUE file_system);
void ws_init_file_system(VALUE warmstart);

#endif
