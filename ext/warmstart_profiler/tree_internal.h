/* What the tree's files share: frames.c (frames and accounting), threads.c, tree.c (a node begins and ends), whole.c (a
 * recording begins and ends). Each uses those before it. */
#ifndef WARMSTART_PROFILER_TREE_INTERNAL_H
#define WARMSTART_PROFILER_TREE_INTERNAL_H

#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ws_frame {
    ws_frame *parent;
    struct ws_thread *thread;
    ws_node *node; /* in the arena, or NULL */
    int64_t *self; /* the node's values once there is a node, `own` before */
    int64_t start;
    uint32_t eval_depth; /* the thread's when this frame began */
    uint16_t kind;
    bool over; /* an outer frame ended first (a fiber was abandoned), so ending this one only frees it */
    int64_t own[WS_METRIC_COUNT];
    size_t name_size;
    char name[];
};

typedef struct ws_thread {
    VALUE ruby; /* only ever compared */
    uint32_t id, eval_depth;
    ws_frame *current, *root;
    ws_moment last;
    int64_t nodes_wall; /* time of all nodes that have ended in this thread */
    ws_native_thread native;
    ws_thread_record *record;
    bool gone, named, located;
    struct ws_thread *next;
} ws_thread;

extern bool ws_active;
extern pid_t ws_process;
extern uint32_t ws_next_node;
extern ws_commons ws_common; /* as last read */

/* ---- frames.c ---- */

ws_frame *ws_new_frame(ws_thread *thread, ws_kind kind, const char *name, size_t size);
void ws_add_to(int64_t *self, const int64_t *more);
/* Adds what was used since the last reading to the thread's current frame. */
void ws_account(ws_thread *thread);
void ws_account_moment(ws_thread *thread, const ws_moment *now);

/* ---- threads.c ---- */

ws_thread *ws_first_thread(const char *name, int64_t started); /* forgets all other threads */
ws_thread *ws_current_thread(void);                            /* NULL if there is no memory */
ws_thread *ws_main_thread(void);
/* What this native thread remembers, or NULL. It need not belong to the Ruby thread that runs now. */
ws_thread *ws_known_thread(void);
/* Ends the roots, and reads the clocks of threads that still run. */
void ws_end_threads(int64_t now);
void ws_hook_threads(void);

#endif
