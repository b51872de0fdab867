/* Paths for Ruby. This is shared by paths.c and its parts paths_patch.c (File.expand_path) and paths_system.c (the
 * working directory, canonical names). */
#ifndef WARMSTART_RUBY_PATHS_H
#define WARMSTART_RUBY_PATHS_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/path/path.h"

/* What the system says about this process, and the Strings that hold it. */
typedef struct ws_system_paths {
    ws_path_surroundings surroundings;
    VALUE directory, home, drive; /* Strings that hold the texts and must be kept alive */
} ws_system_paths;

/* Fills in this process's own directory and home, if they are asked for. The texts are UTF-8 on Windows. */
void ws_system_paths_fill(ws_system_paths *paths, bool directory, bool home);

/* The bytes of a String. The String must stay alive while they are used. */
static inline ws_text
ws_text_of(VALUE string)
{
    return (ws_text){ RSTRING_PTR(string), (size_t)RSTRING_LEN(string) };
}

/* The same, or nothing for nil. */
static inline ws_text
ws_text_or_nothing(VALUE string)
{
    return NIL_P(string) ? (ws_text){ NULL, 0 } : ws_text_of(string);
}

void ws_init_paths(VALUE native);
void ws_init_paths_patch(VALUE native);
void ws_init_paths_system(VALUE native);

#endif
