/* Warmstart::FileSystem: listing_scan.c runs operations, listing.c and listing_entry.c show what they found. None needs
 * anything else of these bindings: the file system can be used without the accelerator. */
#ifndef WARMSTART_RUBY_LISTING_H
#define WARMSTART_RUBY_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/file_system/file_system_walk.h"

/* What a Listing holds. */
typedef struct ws_ruby_listing {
    ws_walk walk;
    bool running;   /* its rows may move */
    VALUE root;     /* String as given; nil for a list of paths */
    VALUE paths;    /* Array of Strings, the list; nil for a folder */
    uint32_t *rows; /* of the list: which row each path has */
} ws_ruby_listing;

extern const rb_data_type_t ws_listing_type;

/* The listing; raises ThreadError while it is being made. */
ws_ruby_listing *ws_listing_of(VALUE self);
/* An Entry; index: its position in the listing, or UINT32_MAX while there are none. */
VALUE ws_entry_new(VALUE listing, uint32_t index, ws_walk_place place);
/* The error of a row (UINT32_MAX: of the folder itself), with the words of File.lstat or Dir.children. */
VALUE ws_listing_error(const ws_ruby_listing *listing, ws_walk_place place, int error_number);
/* One fact, by its number in listing.c's table; ArgumentError where it was not asked for. */
VALUE ws_listing_fact(const ws_ruby_listing *listing, ws_walk_place place, int field);
/* index: as ws_entry_new's. */
VALUE ws_listing_name_at(const ws_ruby_listing *listing, uint32_t index, ws_walk_place place);
/* row UINT32_MAX: the folder's own. */
VALUE ws_listing_path(const ws_ruby_listing *listing, uint32_t folder, uint32_t row);
/* WS_FIELD_* of a Symbol, or ArgumentError. */
uint32_t ws_field_of(VALUE symbol);

void ws_init_file_system_listing(VALUE file_system);
void ws_init_file_system_entry(VALUE file_system);
void ws_init_file_system(VALUE warmstart);

#endif
