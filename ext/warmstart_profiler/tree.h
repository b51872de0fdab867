/* The tree of nodes while it grows. At the begin and the end of each node, what was used since the last reading is
 * added to the current node. So the self values always add up to the total, whatever happens. Who calls: the hooks
 * (requires.c, methods.c, evals.c). */
#ifndef WARMSTART_PROFILER_TREE_H
#define WARMSTART_PROFILER_TREE_H

#include <ruby.h>

#include "arena.h"
#include "metrics.h"

#include <string.h>

typedef enum ws_kind {
    WS_PROGRAM,
    WS_THREAD,
    WS_RUBY,
    WS_REQUIRE,
    WS_REQUIRE_RELATIVE,
    WS_LOAD,
    WS_YAML,
    WS_JSON,
    WS_BUNDLER,
    WS_INITIALIZER,
    WS_FINISH,
    WS_KIND_COUNT
} ws_kind;
#define WS_KIND_NAMES                                                                                                 \
    {                                                                                                                 \
        "program", "thread", "ruby", "require", "require_relative", "load", "yaml", "json", "bundler", "initializer", \
            "finish"                                                                                                  \
    }

typedef enum ws_result { WS_OPEN, WS_LOADED, WS_ALREADY, WS_FAILED } ws_result;

enum { WS_MAY_BE_AUTOLOAD = 1 };

/* A node's record in the arena. */
typedef struct ws_node {
    uint32_t id;
    int32_t parent;
    uint32_t thread;
    uint16_t kind, result;
    uint32_t flags, name, path, from, error, reserved;
    int64_t start, end; /* CLOCK_MONOTONIC; end is 0 while the node is open */
    int64_t self[WS_METRIC_COUNT];
} ws_node;

typedef struct ws_thread_record {
    uint32_t id, root, name, reserved;
} ws_thread_record;

typedef struct ws_frame ws_frame;

/* Returns the last occurrence of a byte, or NULL. Not every system has memrchr. */
static inline const char *
ws_last(const char *text, char byte, size_t size)
{
    while (size > 0)
        if (text[--size] == byte) return text + size;
    return NULL;
}

static inline bool
ws_ends_with(VALUE string, const char *end)
{
    size_t size = (size_t)RSTRING_LEN(string), end_size = strlen(end);
    return size >= end_size && memcmp(RSTRING_PTR(string) + size - end_size, end, end_size) == 0;
}

/* started_ns is when the process began (CLOCK_MONOTONIC); 0 means that the recording begins now, in the middle of a
 * program. name is the program's. */
bool ws_tree_start(const char *path, int64_t started_ns, const char *name);
void ws_tree_stop(void);
bool ws_tree_active(void); /* true only in the main Ractor */

/* Begins a node; the name is copied. Returns NULL if nothing is recorded or memory is short; the functions below then
 * do nothing. */
ws_frame *ws_begin(ws_kind kind, const char *name, size_t size);
void ws_end(ws_frame *frame, ws_result result);
/* Ends a node that is not worth keeping, such as a require of a loaded file. Its time goes to the parent. */
void ws_drop(ws_frame *frame);
/* Like ws_end, but a node without children that took less than `least` ns is neither kept nor counted. */
void ws_end_or_fold(ws_frame *frame, int64_t least);
/* Returns the node of a frame and makes it if necessary; NULL if there is no room. */
ws_node *ws_keep(ws_frame *frame);
bool ws_is_kept(const ws_frame *frame);

/* An eval of a String begins (size in bytes) or ends. */
typedef struct ws_eval {
    ws_frame *frame;
    int64_t start, inside;
} ws_eval;
ws_eval ws_eval_begin(size_t size);
void ws_eval_end(ws_eval eval);

/* Begins the last node, which stays open until the process ends. */
void ws_tree_finish(void);

/* Accounts for what is left, at exit(3) or _exit. */
void ws_tree_close(void);

/* The process is about to become another program (exec), or exec has failed. */
void ws_tree_leaves(bool leaves);

/* Measures on this machine what a node, a repeated require and a reading of memory cost. */
void ws_tree_calibrate(void);

#endif
