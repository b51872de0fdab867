/* Nodes and threads; see tree.h.
 *
 * A frame is a node that has begun. It becomes a record in the arena when it has something to tell: a child, or an end that is
 * worth keeping; most requires find their file loaded and leave nothing but a count. Frames live on the heap, for a fiber may
 * be dropped in the middle of a file. */
#include "tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ruby/ractor.h>

struct ws_frame {
    ws_frame *parent, *next_free;
    struct ws_thread *thread;
    ws_node *node;                   /* in the arena, or NULL */
    int64_t *self;                   /* the node's, or own */
    int64_t start;
    uint32_t eval_depth;             /* of the thread, around it */
    uint16_t kind;
    bool over;                       /* an outer one ended first (a fiber was left in the middle): its owner only frees it */
    size_t name_size;
    char name[232];
    char *long_name;
    int64_t own[WS_METRIC_COUNT];
};

typedef struct ws_thread {
    VALUE ruby;                      /* compared only */
    uint32_t id, eval_depth;
    ws_frame *current, *root;
    ws_moment last;
    int64_t nodes_wall;              /* of all nodes that ended in it */
    pthread_t native;
    struct ws_thread *next;
} ws_thread;

static bool active;
static pid_t process;
static uint32_t next_node, next_thread;
static ws_thread *threads, *main_thread;
static ws_frame *free_frames;
static ws_commons commons;
static __thread ws_thread *here;
static rb_ractor_local_key_t main_ractor;
static const struct rb_ractor_local_storage_type no_free = { NULL, NULL };

bool
ws_tree_active(void)
{
    return active && rb_ractor_local_storage_ptr(main_ractor) == &process;
}

/* ---- accounting ---- */

static void
account_commons(int64_t *self, const ws_commons *now, bool memory_read)
{
#define ADD(field, metric) if (now->field > commons.field) { self[metric] += now->field - commons.field; commons.field = now->field; }
    ADD(gc_ns, WS_GC_NS)
    ADD(gc_count, WS_GC_COUNT)
    ADD(objects, WS_OBJECTS)
    ADD(malloc_bytes, WS_MALLOC_BYTES)
#undef ADD
    if (now->gc_read_at > commons.gc_read_at) commons.gc_read_at = now->gc_read_at;
    if (!memory_read) return;
    self[WS_RESIDENT] += now->memory - commons.memory;
    commons.memory = now->memory;
    commons.memory_read_at = now->memory_read_at;
    ws_arena_head()->memory_readings++;
}

static void
account_moment(ws_thread *thread, const ws_moment *now)
{
    int64_t *self = thread->current->self;
    self[WS_WALL] += now->wall - thread->last.wall;
    self[WS_CPU] += now->cpu - thread->last.cpu;
    for (int i = 0; i < WS_CALL_COUNT; i++) self[WS_FIRST_CALL + i] += (int64_t)(now->calls[i] - thread->last.calls[i]);
    thread->last = *now;
    ws_arena_head()->now_ns = now->wall;
}

static void
account(ws_thread *thread)
{
    ws_moment now;
    ws_commons common;
    bool memory_read;
    ws_read_moment(&now);
    ws_read_commons(&common, &commons, now.wall, &memory_read);      /* (may switch threads, and end the recording) */
    if (!active) return;
    account_moment(thread, &now);
    account_commons(thread->current->self, &common, memory_read);
}

/* ---- frames ---- */

static ws_frame *
new_frame(ws_thread *thread, ws_kind kind, const char *name, size_t size)
{
    ws_frame *frame = free_frames;
    if (frame) free_frames = frame->next_free;
    else if (!(frame = malloc(sizeof *frame))) return NULL;
    memset(frame->own, 0, sizeof frame->own);
    frame->parent = thread->current;
    frame->thread = thread;
    frame->over = false;
    frame->node = NULL;
    frame->self = frame->own;
    frame->eval_depth = thread->eval_depth;
    frame->kind = (uint16_t)kind;
    frame->long_name = size > sizeof frame->name ? malloc(size) : NULL;
    frame->name_size = frame->long_name || size <= sizeof frame->name ? size : sizeof frame->name;
    memcpy(frame->long_name ? frame->long_name : frame->name, name, frame->name_size);
    frame->start = thread->last.wall;
    return frame;
}

static void
free_frame(ws_frame *frame)
{
    free(frame->long_name);
    frame->long_name = NULL;
    frame->next_free = free_frames;
    free_frames = frame;
}

static void
add_to(int64_t *self, const int64_t *more)
{
    for (int i = 0; i < WS_METRIC_COUNT; i++) self[i] += more[i];
}

ws_node *
ws_keep(ws_frame *frame)
{
    if (!frame || !active || frame->over) return NULL;
    if (frame->node) return frame->node;
    ws_node *parent = frame->parent ? ws_keep(frame->parent) : NULL;
    if (frame->parent && !parent) return NULL;
    uint32_t name = ws_arena_text(frame->long_name ? frame->long_name : frame->name, frame->name_size);
    ws_node *node = ws_arena_add(WS_RECORD_NODE, sizeof *node);
    if (!node) return NULL;
    node->id = next_node++;
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

/* ---- threads ---- */

static ws_thread *
new_thread(VALUE ruby, ws_kind kind, const char *name)
{
    ws_thread *thread = calloc(1, sizeof *thread);
    if (!thread) return NULL;
    thread->ruby = ruby;
    thread->id = next_thread++;
    thread->native = pthread_self();
    ws_read_moment(&thread->last);
    thread->root = new_frame(thread, kind, name, strlen(name));
    if (!thread->root) return NULL;
    thread->current = thread->root;
    thread->next = threads;
    return threads = thread;
}

static bool
record_thread(ws_thread *thread)
{
    ws_node *root = ws_keep(thread->root);
    ws_thread_record *record = root ? ws_arena_add(WS_RECORD_THREAD, sizeof *record) : NULL;
    if (!record) return false;
    *record = (ws_thread_record){ thread->id, root->id, root->name, 0 };
    return true;
}

static ws_thread *
current_thread(void)
{
    VALUE ruby = rb_thread_current();
    if (here && here->ruby == ruby) return here;
    for (ws_thread *thread = threads; thread; thread = thread->next)
        if (thread->ruby == ruby && pthread_equal(thread->native, pthread_self())) return here = thread;
    VALUE name = rb_funcall(ruby, rb_intern("name"), 0);
    ws_thread *thread = new_thread(ruby, WS_THREAD, RB_TYPE_P(name, T_STRING) ? StringValueCStr(name) : "thread");
    if (!thread) return NULL;
    record_thread(thread);
    return here = thread;
}

/* ---- begin and end ---- */

ws_frame *
ws_begin(ws_kind kind, const char *name, size_t size)
{
    ws_thread *thread = active ? current_thread() : NULL;
    if (!thread) return NULL;
    account(thread);
    ws_frame *frame = active ? new_frame(thread, kind, name, size) : NULL;
    if (!frame) return NULL;
    thread->current = frame;
    thread->eval_depth = 0;
    return frame;
}

/* Is it on the way from the current frame to the root? What lies between is over. */
static bool
close_inner(ws_thread *thread, const ws_frame *frame)
{
    ws_frame *at = thread->current;
    while (at && at != frame) at = at->parent;
    if (!at) return false;
    for (at = thread->current; at != frame; at = at->parent) {
        at->over = true;
        if (at->node) at->node->end = thread->last.wall;
        else add_to(at->parent->self, at->own);
    }
    thread->current = at;
    return true;
}

static void
leave(ws_frame *frame)
{
    ws_thread *thread = frame->thread;
    if (!close_inner(thread, frame)) return;         /* (kept: others may still point to it) */
    thread->current = frame->parent;
    thread->eval_depth = frame->eval_depth;
    free_frame(frame);
}

static bool
is_over(ws_frame *frame)
{
    if (!frame->over) return false;
    free_frame(frame);
    return true;
}

void
ws_end(ws_frame *frame, ws_result result)
{
    if (!frame || !active || is_over(frame)) return;
    ws_thread *thread = frame->thread;
    account(thread);
    close_inner(thread, frame);
    ws_node *node = ws_keep(frame);
    if (!active) return;
    thread->nodes_wall += thread->last.wall - frame->start;
    if (node) {
        node->end = thread->last.wall;
        node->result = (uint16_t)result;
    }
    else add_to(frame->parent->self, frame->own);
    leave(frame);
}

static void
fold(ws_frame *frame)
{
    close_inner(frame->thread, frame);
    add_to(frame->parent->self, frame->own);
    ws_arena_head()->repeated++;
    leave(frame);
}

void
ws_drop(ws_frame *frame)
{
    if (!frame || !active || is_over(frame)) return;
    frame->parent->self[WS_REPEATED_REQUIRES]++;
    fold(frame);
}

void
ws_end_or_fold(ws_frame *frame, int64_t least)
{
    if (!frame || !active) return;
    if (!frame->over && !frame->node && ws_now() - frame->start < least) fold(frame);
    else ws_end(frame, WS_LOADED);
}

ws_eval
ws_eval_begin(size_t size)
{
    ws_thread *thread = active ? current_thread() : NULL;
    if (!thread || !thread->current) return (ws_eval){ NULL, 0, 0 };
    int64_t *self = thread->current->self;
    self[WS_EVALS]++;
    self[WS_EVAL_BYTES] += (int64_t)size;
    ws_arena_head()->evals++;
    return (ws_eval){ thread->current, thread->eval_depth++ == 0 ? ws_now() : 0, thread->nodes_wall };
}

/* (An eval inside another counts as a part of it.) */
void
ws_eval_end(ws_eval eval)
{
    if (!eval.frame || !active) return;
    ws_thread *thread = eval.frame->thread;
    if (thread->current != eval.frame) return;       /* a fiber was left in the middle */
    if (thread->eval_depth > 0) thread->eval_depth--;
    if (eval.start == 0) return;
    int64_t time = ws_now() - eval.start - (thread->nodes_wall - eval.inside);
    if (time > 0) eval.frame->self[WS_EVAL_NS] += time;
}

/* ---- the whole ---- */

/* A child has what the parent knew, and nothing of it is the child's to tell. */
static void
in_child(void)
{
    active = false;
    ws_arena_close();
}

/* What Ruby did before: all counters are still those of the process. */
static void
add_ruby(int64_t started_ns)
{
    ws_frame *frame = new_frame(main_thread, WS_RUBY, "ruby", 4);
    if (!frame) return;
    frame->start = started_ns;
    main_thread->current = frame;
    memset(&main_thread->last, 0, sizeof main_thread->last);
    memset(&commons, 0, sizeof commons);
    main_thread->last.wall = started_ns;
    main_thread->last.cpu = ws_thread_cpu() - ws_process_cpu();
    if (main_thread->last.cpu > 0) main_thread->last.cpu = 0;
    commons.gc_read_at = commons.memory_read_at = started_ns - 1000000000;
    ws_end(frame, WS_LOADED);
}

/* The first two records: whoever reads needs to know nothing of our enumerations. */
static void
describe(void)
{
    static const char *const metrics[] = WS_METRIC_NAMES, *const calls[] = WS_CALL_NAMES, *const kinds[] = WS_KIND_NAMES;
    char text[2048] = "";
    for (int i = 0; i < WS_FIRST_CALL; i++) strcat(strcat(text, metrics[i]), " ");
    for (int i = 0; i < WS_CALL_COUNT; i++) strcat(strcat(text, calls[i]), " ");
    ws_arena_text(text, strlen(text));
    text[0] = 0;
    for (int i = 0; i < WS_KIND_COUNT; i++) strcat(strcat(text, kinds[i]), " ");
    ws_arena_text(text, strlen(text));
}

bool
ws_tree_start(const char *path, int64_t started_ns, const char *name)
{
    static bool prepared;
    if (active || !ws_arena_open(path)) return false;
    if (!prepared) {
        pthread_atfork(NULL, NULL, in_child);
        main_ractor = rb_ractor_local_storage_ptr_newkey(&no_free);
        prepared = true;
    }
    rb_ractor_local_storage_ptr_set(main_ractor, &process);
    process = getpid();
    threads = here = NULL;
    next_node = next_thread = 0;
    describe();
    int64_t now = ws_now();
    ws_arena_header *head = ws_arena_head();
    head->metric_count = WS_METRIC_COUNT;
    head->started_ns = head->now_ns = started_ns ? started_ns : now;
    head->calls_known = ws_calls() != NULL;
    commons = (ws_commons){ .memory = ws_resident_memory(), .memory_read_at = now };
    bool memory_read;
    ws_commons common;
    ws_read_commons(&common, &commons, now, &memory_read);
    commons = common;
    active = true;
    main_thread = here = new_thread(rb_thread_current(), WS_PROGRAM, name);
    if (!main_thread) {
        active = false;
        return false;
    }
    main_thread->root->start = head->started_ns;
    record_thread(main_thread);
    if (started_ns) add_ruby(started_ns);
    return true;
}

void
ws_tree_stop(void)
{
    if (!active) return;
    account(current_thread());
    for (ws_thread *thread = threads; thread; thread = thread->next)
        if (thread->root->node && !thread->root->node->end) thread->root->node->end = ws_arena_head()->now_ns;
    ws_arena_head()->ended = 1;
    active = false;
}

void
ws_tree_finish(void)
{
    if (!active || getpid() != process) return;
    ws_frame *frame = ws_begin(WS_FINISH, "finish", 6);
    ws_keep(frame);
}

/* Ruby is gone, or about to be: only clocks and the interposer's counters can be asked. */
void
ws_tree_close(void)
{
    if (!active || getpid() != process) return;
    active = false;
    ws_arena_header *head = ws_arena_head();
    ws_moment now;
    ws_read_moment(&now);
    if (here) account_moment(here, &now);
    head->process_cpu_ns = ws_process_cpu();
    head->ended = 1;
    head->now_ns = now.wall;
}

/* ---- calibration ---- */

enum { ROUNDS = 200 };

void
ws_tree_calibrate(void)
{
    if (!active) return;
    ws_arena_header *head = ws_arena_head();
    uint64_t used = head->size;
    uint32_t nodes = next_node;
    int64_t begin = ws_now();
    for (int i = 0; i < ROUNDS; i++) ws_end(ws_begin(WS_REQUIRE, "calibration", 11), WS_LOADED);
    int64_t middle = ws_now();
    for (int i = 0; i < ROUNDS; i++) ws_drop(ws_begin(WS_REQUIRE, "calibration", 11));
    int64_t after = ws_now();
    for (int i = 0; i < ROUNDS / 10; i++) ws_resident_memory();
    int64_t end = ws_now();
    /* (their records go, and what they used is their parent's) */
    for (char *at = (char *)head + used; at < (char *)head + head->size; at += ((ws_record *)at)->size)
        if (((ws_record *)at)->type == WS_RECORD_NODE) add_to(main_thread->current->self, ((ws_node *)((ws_record *)at + 1))->self);
    memset((char *)head + used, 0, head->size - used);
    head->size = used;
    next_node = nodes;
    head->repeated = 0;
    main_thread->current->self[WS_REPEATED_REQUIRES] = 0;
    head->cost_node_ns = (middle - begin) / ROUNDS;
    head->cost_repeated_ns = (after - middle) / ROUNDS;
    head->cost_memory_ns = (end - after) / (ROUNDS / 10);
}
