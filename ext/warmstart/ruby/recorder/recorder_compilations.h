/* The files that Ruby is compiling at this moment, one a fiber: threads take turns while they read files. Only
 * recorder.c and recorder_hints.c call. */
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

/* Ruby is about to compile `path` in this fiber. What the fiber had announced before is given up: it was left (by an
 * error), or it is interrupted (by a Warning.warn that requires) and waits for the next boot. NULL: memory is short. */
ws_compilation *ws_compilation_begin(VALUE path, const ws_stat *stat, uint32_t flags);

/* This fiber's, or NULL. */
ws_compilation *ws_compilation_current(void);

/* Each gives up what it names: one (NULL: none), those of fibers that have ended, all. */
void ws_compilation_end(ws_compilation *compilation);
void ws_compilations_end_of_dead(void);
void ws_compilations_end_all(void);

bool ws_compilations_any(void);

void ws_init_compilations(void);

#endif
