/* Where nodes begin and end; see tree.h. */
#include "tree_internal.h"

ws_frame *
ws_begin(ws_kind kind, const char *name, size_t size)
{
    ws_thread *thread = ws_active ? ws_current_thread() : NULL;
    if (!thread) return NULL;
    ws_account(thread);
    ws_frame *frame = ws_active ? ws_new_frame(thread, kind, name, size) : NULL;
    if (!frame) return NULL;
    thread->current = frame;
    thread->eval_depth = 0;
    return frame;
}

/* Ends all frames inside `frame`. Returns false if `frame` is not among the thread's current frames. */
static bool
close_inner(ws_thread *thread, const ws_frame *frame)
{
    ws_frame *at = thread->current;
    while (at && at != frame) at = at->parent;
    if (!at) return false;
    for (at = thread->current; at != frame; at = at->parent) {
        at->over = true;
        if (at->node) at->node->end = thread->last.wall;
        else ws_add_to(at->parent->self, at->own);
    }
    thread->current = at;
    return true;
}

static void
leave(ws_frame *frame)
{
    ws_thread *thread = frame->thread;
    if (!close_inner(thread, frame)) return; /* not freed, because other frames may still point to it */
    thread->current = frame->parent;
    thread->eval_depth = frame->eval_depth;
    free(frame);
}

static bool
is_over(ws_frame *frame)
{
    if (!frame->over) return false;
    free(frame);
    return true;
}

void
ws_end(ws_frame *frame, ws_result result)
{
    if (!frame || !ws_active || is_over(frame)) return;
    ws_thread *thread = frame->thread;
    ws_account(thread);
    close_inner(thread, frame);
    ws_node *node = ws_keep(frame);
    if (!ws_active) return;
    thread->nodes_wall += thread->last.wall - frame->start;
    if (node) {
        node->end = thread->last.wall;
        node->result = (uint16_t)result;
    }
    else ws_add_to(frame->parent->self, frame->own);
    leave(frame);
}

static void
fold(ws_frame *frame)
{
    close_inner(frame->thread, frame);
    ws_add_to(frame->parent->self, frame->own);
    ws_arena_head()->repeated++;
    leave(frame);
}

void
ws_drop(ws_frame *frame)
{
    if (!frame || !ws_active || is_over(frame)) return;
    frame->parent->self[WS_REPEATED_REQUIRES]++;
    fold(frame);
}

void
ws_end_or_fold(ws_frame *frame, int64_t least)
{
    if (!frame || !ws_active) return;
    if (!frame->over && !frame->node && ws_now() - frame->start < least) fold(frame);
    else ws_end(frame, WS_LOADED);
}

ws_eval
ws_eval_begin(size_t size)
{
    ws_thread *thread = ws_active ? ws_current_thread() : NULL;
    if (!thread || !thread->current) return (ws_eval){ NULL, 0, 0 };
    int64_t *self = thread->current->self;
    self[WS_EVALS]++;
    self[WS_EVAL_BYTES] += (int64_t)size;
    ws_arena_head()->evals++;
    return (ws_eval){ thread->current, thread->eval_depth++ == 0 ? ws_now() : 0, thread->nodes_wall };
}

/* The time of an eval inside another is part of the outer eval's. */
void
ws_eval_end(ws_eval eval)
{
    if (!eval.frame || !ws_active) return;
    ws_thread *thread = eval.frame->thread;
    if (thread->current != eval.frame) return; /* a fiber was abandoned in the middle */
    if (thread->eval_depth > 0) thread->eval_depth--;
    if (eval.start == 0) return;
    int64_t time = ws_now() - eval.start - (thread->nodes_wall - eval.inside);
    if (time > 0) eval.frame->self[WS_EVAL_NS] += time;
}
