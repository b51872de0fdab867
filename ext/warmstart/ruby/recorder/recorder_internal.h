/* What the files of this room offer to one another. compilations.c lists what Ruby is compiling at this moment,
 * warnings.c listens meanwhile, recorder_hints.c follows the requires in progress, and recorder.c keeps the code. Each
 * uses those before it. */
#ifndef WARMSTART_RUBY_RECORDER_INTERNAL_H
#define WARMSTART_RUBY_RECORDER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <ruby.h>
#include <ruby/st.h>

#include "core/recording/recording.h"
#include "core/system/file.h"

/* A file that Ruby is compiling at this moment. */
typedef struct ws_compilation {
    struct ws_compilation *next;
    VALUE fiber, path;
    ws_stat stat;   /* as it was before Ruby opened the file */
    uint32_t flags; /* WS_ENTRY_* */
    bool warned;
} ws_compilation;

typedef struct ws_recorder {
    ws_recording *recording; /* NULL: this process does not record */
    pid_t owner;             /* the process that began to record */
    VALUE script_compiled;   /* the TracePoint, which is on while files are being compiled: while `tracing` is set */
    bool tracing;
    bool hooks_installed; /* what is called after a fork, and at the end of Ruby */
    bool wait_was_left;   /* an exception has left the last wait */
    bool awaits_index;    /* of a first boot: see ws_recorder_brings_index */
    VALUE stable_roots;
    size_t recorded_size; /* bytes of payloads that this process has recorded */
    st_table *useless;    /* entries of the image that turned out to be useless: hash of the path -> the segment's id */
    /* At most one in each fiber. There may be several, because threads take turns while they read files. The list
     * rarely has more than one element, so a linear search is fastest. */
    ws_compilation *compilations;
    VALUE before_exec; /* define_exec's callable */
} ws_recorder;

extern ws_recorder ws_the_recorder;

/* ---- compilations.c ---- */

/* Notes that Ruby is about to compile `path` in this fiber. What the fiber had announced before is given up: an error
 * has left it, or a Warning.warn that requires has interrupted it, and then it waits for the next boot. Does nothing if
 * memory is short. */
void ws_compilation_begin(VALUE path, const ws_stat *stat, uint32_t flags);
/* This fiber's, or NULL. */
ws_compilation *ws_compilation_current(void);
/* Does nothing if it has ended already, or if it is NULL. */
void ws_compilation_end(ws_compilation *compilation);
void ws_compilations_end_dead(void); /* those of fibers that have ended */
void ws_compilations_end_all(void);
bool ws_compilations_any(void);
void ws_init_compilations(void);

/* ---- warnings.c ---- */

/* Called when a compilation begins: we listen to Warning.warn until the last one has ended. */
void ws_warnings_begin(void);
bool ws_warnings_were_silent(const ws_compilation *compilation);
/* If nothing is being compiled any more, the TracePoint is off, and Warning is as it was. */
void ws_stop_listening_when_done(void);
void ws_init_warnings(void);

/* ---- recorder_hints.c ---- */

/* From the first file that is compiled on. */
void ws_hints_count_forks(void);
/* Returns the first hints of a file that is being compiled in this fiber, until more is known about it. */
uint32_t ws_hints_at_first(void);
/* Notes that the innermost require has just compiled this file, which has that number in the recording. */
void ws_hints_compiled(uint32_t number, VALUE path);
void ws_init_hints(void);

#endif
