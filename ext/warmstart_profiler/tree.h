/* The tree of nodes while it grows. At each begin and end of a node what was used since the last one goes to the node
 * that is current: so the sum of all selves is the whole, whatever happens. Who calls: the hooks (requires.c,
 * methods.c, evals.c). */
#ifndef WARMSTART_PROFILER_TREE_H
#define WARMSTART_PROFILER_TREE_H

#include <ruby.h>

#include "arena.h"
#include "metrics.h"

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

/* As it lies in the arena. */
typedef struct ws_node {
    uint32_t id;
    int32_t parent;
    uint32_t thread;
    uint16_t kind, result;
    uint32_t flags, name, path, from, error, reserved;
    int64_t start, end; /* CLOCK_MONOTONIC; end 0: not over */
    int64_t self[WS_METRIC_COUNT];
} ws_node;

typedef struct ws_thread_record {
    uint32_t id, root, name, reserved;
} ws_thread_record;

typedef struct ws_frame ws_frame;

/* The last place of a byte, or NULL (memrchr is not everywhere). */
static inline const char *
ws_last(const char *text, char byte, size_t size)
{
    while (size > 0)
        if (text[--size] == byte) return text + size;
    return NULL;
}

/* started_ns: when the process began (CLOCK_MONOTONIC), or 0: now, in the middle of a program; its name. */
bool ws_tree_start(const char *path, int64_t started_ns, const char *name);
void ws_tree_stop(void);
bool ws_tree_active(void); /* and is this the main Ractor? */

/* The name is copied. NULL: not active, or no memory; the others then do nothing. */
ws_frame *ws_begin(ws_kind kind, const char *name, size_t size);
void ws_end(ws_frame *frame, ws_result result);
/* The node is not worth keeping (a require of what is there): its time goes to the parent. */
void ws_drop(ws_frame *frame);
/* As ws_end, but what has no child and took less than so many ns is not kept, nor counted. */
void ws_end_or_fold(ws_frame *frame, int64_t least);
/* The node of a frame, made now; NULL where there is no room. */
ws_node *ws_keep(ws_frame *frame);
bool ws_is_kept(const ws_frame *frame);

/* An eval of a String has begun (its size in bytes) or ended. */
typedef struct ws_eval {
    ws_frame *frame;
    int64_t start, inside;
} ws_eval;
ws_eval ws_eval_begin(size_t size);
void ws_eval_end(ws_eval eval);

/* The last node, open until the process ends. */
void ws_tree_finish(void);

/* What is left is accounted for: at exit(3), or _exit. */
void ws_tree_close(void);

/* The process becomes another program (exec), or does not after all. */
void ws_tree_leaves(bool leaves);

/* What a node, a repeated require, and a reading of memory cost, on this machine. */
void ws_tree_calibrate(void);

#endif
