/* Frames and accounting.
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
