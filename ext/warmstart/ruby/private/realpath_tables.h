/* Files under two names: Ruby's own tables of realpaths, which the direct way shares with Ruby. */
#ifndef WARMSTART_RUBY_REALPATH_TABLES_H
#define WARMSTART_RUBY_REALPATH_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <ruby.h>

/* Is what Ruby keeps in an Array or a table a String that equals the path? */
static inline bool
ws_is_path(VALUE element, const char *path, size_t size)
{
    return RB_TYPE_P(element, T_STRING) && (size_t)RSTRING_LEN(element) == size &&
           memcmp(RSTRING_PTR(element), path, size) == 0;
}

/* The path is its own realpath now. Would Ruby not load it, because the file was loaded under another name? Or would
 * Ruby take it for another file, because the path led elsewhere when Ruby first met it? */
bool ws_realpath_is_known_otherwise(const char *path);
/* Such a path is about to be loaded. Records it as Ruby does when it asks for the realpath. */
void ws_realpath_note_asked(const char *path);
/* The file has been loaded and provided. Records its realpath as Ruby does. */
void ws_realpath_note_loaded(const char *path);

/* Looks for the tables. If they are not as this version of Ruby should have them, the direct way is off. */
void ws_init_realpath_tables(void);

#endif
