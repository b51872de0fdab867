/* Frames and accounting; see tree.h.
 *
 * A frame is a node that has begun. It becomes a record in the arena once there is something to keep: a child, or an
 * end that matters. Most requires find their file already loaded, and only add to a count. Frames live on the heap,
 * because a fiber may be abandoned in the middle of a file. */
#include "tree_internal.h"

bool ws_active;
pid_t ws_process;
uint32_t ws_next_node;
ws_commons ws_common;

/* ---- accounting ---- */

static void
account_commons(int64_t *self, const ws_commons *now, bool memory_read)
{
#define ADD(field, metric)                            \
    if (now->field > ws_common.field) {               \
        self[metric] += now->field - ws_common.field; \
        ws_common.field = now->field;                 \
    }
    ADD(gc_ns, WS_GC_NS)
    ADD(gc_count, WS_GC_COUNT)
    ADD(objects, WS_OBJECTS)
    ADD(malloc_bytes, WS_MALLOC_BYTES)
#undef ADD
    if (now->gc_read_at > ws_common.gc_read_at) ws_common.gc_read_at = now->gc_read_at;
    if (!memory_read) return;
    self[WS_RESIDENT] += now->memory - ws_common.memory;
    ws_common.memory = now->memory;
    ws_common.memory_read_at = now->memory_read_at;
    ws_arena_head()->memory_readings++;
}

void
ws_account_moment(ws_thread *thread, const ws_moment *now)
{
    int64_t *self = thread->current->self;
    self[WS_WALL] += now->wall - thread->last.wall;
    self[WS_CPU] += now->cpu - thread->last.cpu;
    for (int i = 0; i < WS_CALL_COUNT; i++) self[WS_FIRST_CALL + i] += (int64_t)(now->calls[i] - thread->last.calls[i]);
    thread->last = *now;
    ws_arena_head()->now_ns = now->wall;
}

void
ws_account(ws_thread *thread)
{
    ws_moment now;
    ws_commons common;
    bool memory_read;
    ws_read_moment(&now);
    /* This may switch threads, and another thread may end the recording. */
    ws_read_commons(&common, &ws_common, now.wall, &memory_read);
    if (!ws_active) return;
    ws_account_moment(thread, &now);
    account_commons(thread->current->self, &common, memory_read);
}

/* ---- frames ---- */

ws_frame *
ws_new_frame(ws_thread *thread, ws_kind kind, const char *name, size_t size)
{
    ws_frame *frame = malloc(sizeof *frame + size);
    if (!frame) return NULL;
    *frame = (ws_frame){ .parent = thread->current,
                         .thread = thread,
                         .self = frame->own,
                         .start = thread->last.wall,
                         .eval_depth = thread->eval_depth,
                         .kind = (uint16_t)kind,
                         .name_size = size };
    memcpy(frame->name, name, size);
    return frame;
}

void
ws_add_to(int64_t *self, const int64_t *more)
{
    for (int i = 0; i < WS_METRIC_COUNT; i++) self[i] += more[i];
}

ws_node *
ws_keep(ws_frame *frame)
{
    if (!frame || !ws_active || frame->over) return NULL;
    if (frame->node) return frame->node;
    ws_node *parent = frame->parent ? ws_keep(frame->parent) : NULL;
    if (frame->parent && !parent) return NULL;
    uint32_t name = ws_arena_text(frame->name, frame->name_size);
    ws_node *node = ws_arena_add(WS_RECORD_NODE, sizeof *node);
    if (!node) return NULL;
    node->id = ws_next_node++;
    node->parent = parent ? (int32_t)parent->id : -1;
    node->thread = frame->thread->id;
    node->kind = frame->kind;
    node->name = name;
    node->start = frame->start;
    memcpy(node->self, frame->own, sizeof frame->own);
    frame->self = node->self;
    frame->node = node;
    return node;
}

bool
ws_is_kept(const ws_frame *frame)
{
    return frame && frame->node;
}

/* ---- begin and end ---- */

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
