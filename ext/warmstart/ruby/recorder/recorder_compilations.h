/* The files that Ruby is compiling at this moment, at most one in each fiber. There may be several, because threads
 * take turns while they read files. Only recorder.c and recorder_hints.c call this. */
#ifndef WARMSTART_RUBY_RECORDER_COMPILATIONS_H
#define WARMSTART_RUBY_RECORDER_COMPILATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>

#include "core/system/file.h"

typedef struct ws_compilation {
    struct ws_compilation *next;
    VALUE fiber, path;
    ws_stat stat;   /* as it was before Ruby opened the file */
    uint32_t flags; /* WS_ENTRY_* */
    bool warned;
} ws_compilation;

/* Notes that Ruby is about to compile `path` in this fiber. What the fiber had announced before is given up: an error
 * has left it, or a Warning.warn that requires has interrupted it, and then it waits for the next boot. Returns NULL if
 * memory is short. */
ws_compilation *ws_compilation_begin(VALUE path, const ws_stat *stat, uint32_t flags);

/* This fiber's compilation, or NULL. */
ws_compilation *ws_compilation_current(void);

/* These give up one compilation (NULL: none), those of fibers that have ended, and all. */
void ws_compilation_end(ws_compilation *compilation);
void ws_compilations_end_of_dead(void);
void ws_compilations_end_all(void);

bool ws_compilations_any(void);

void ws_init_compilations(void);

#endif
