/* What a recording boot notes in addition to the iseqs: whether compiling was silent, and the hints for the direct way.
 * recorder.c and autoloads.c call this, and so does Ruby through the methods that are replaced while recording. */
#ifndef WARMSTART_RUBY_RECORDER_HINTS_H
#define WARMSTART_RUBY_RECORDER_HINTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ruby.h>

#include "core/system/file.h"

/* A file that Ruby is compiling at this moment. */
typedef struct ws_compilation {
    struct ws_compilation *next;
    VALUE fiber, path;
    ws_stat stat;   /* as it was before Ruby opened the file */
    uint32_t flags; /* WS_ENTRY_* */
    bool warned;
} ws_compilation;

/* In recorder.c: this fiber's compilation, or NULL. */
ws_compilation *ws_compilation_current(void);

/* Called when the first compilation begins and when the last one ends. In between, we listen to Warning.warn. */
void ws_warnings_begin(void);
bool ws_warnings_were_silent(const ws_compilation *compilation);
void ws_warnings_end(void);

/* From the first file that is compiled on. */
void ws_hints_count_forks(void);

/* Notes that an autoload of this name (a String) was registered (autoloads.c). */
void ws_hints_autoload_registered(VALUE feature);

/* Returns the first hints of a file that is being compiled in this fiber, until more is known about it. */
uint32_t ws_hints_at_first(void);
/* Notes that the innermost require has just compiled this file, which has that number in the recording. */
void ws_hints_compiled(uint32_t number, VALUE path);

/* In recorder.c: sets and removes WS_ENTRY_* on a file that is not written yet. */
void ws_recorder_hint(uint32_t number, uint32_t flags, uint32_t no_longer);
/* In recorder.c: called when a require of this fiber is over, also by an error. */
void ws_recorder_call_ended(void);

void ws_init_hints(VALUE native);

#endif
