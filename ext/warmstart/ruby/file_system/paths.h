/* Paths for Ruby: what paths.c and its parts paths_patch.c (File.expand_path) and paths_system.c (the working
 * directory, canonical names) share. */
#ifndef WARMSTART_RUBY_PATHS_H
#define WARMSTART_RUBY_PATHS_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/path/path.h"

/* Room for what the system tells. */
typedef struct ws_system_paths {
    ws_path_surroundings surroundings;
    VALUE directory, home, drive; /* Strings that hold the texts: keep them alive */
} ws_system_paths;

/* This process's own surroundings, in UTF-8 on Windows; only what is asked for. */
void ws_system_paths_fill(ws_system_paths *paths, bool directory, bool home);

void ws_init_paths(VALUE native);
void ws_init_paths_patch(VALUE native);
void ws_init_paths_system(VALUE native);

#endif
