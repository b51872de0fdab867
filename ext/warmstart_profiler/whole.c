/* Begin and end of a recording; see tree.h. */
#include "hooks.h"
#include "tree_internal.h"

#include <ruby/ractor.h>

static rb_ractor_local_key_t main_ractor;
static const struct rb_ractor_local_storage_type no_free = { NULL, NULL };

bool
ws_tree_active(void)
{
    return ws_active && rb_ractor_local_storage_ptr(main_ractor) == &ws_process;
}

#ifndef _WIN32
/* A forked child has a copy of the parent's state, and must record nothing. */
static void
in_child(void)
{
    ws_active = false;
    ws_arena_close();
}
#endif

/* Adds a node for what Ruby did before. The counters still hold what the process has used from its start. */
static void
add_ruby(int64_t started_ns)
{
    ws_thread *main_thread = ws_main_thread();
    ws_frame *frame = ws_new_frame(main_thread, WS_RUBY, "ruby", 4);
    if (!frame) return;
    frame->start = started_ns;
    main_thread->current = frame;
    memset(&main_thread->last, 0, sizeof main_thread->last);
    memset(&ws_common, 0, sizeof ws_common);
    main_thread->last.wall = started_ns;
    main_thread->last.cpu = ws_thread_cpu() - ws_process_cpu();
    if (main_thread->last.cpu > 0) main_thread->last.cpu = 0;
    ws_common.gc_read_at = ws_common.memory_read_at = started_ns - 1000000000;
    ws_end(frame, WS_LOADED);
}

/* Writes the first two records: the names of the metrics and of the kinds, so that a reader need not know these
 * enumerations. */
static void
describe(void)
{
    static const char *const metrics[] = WS_METRIC_NAMES, *const calls[] = WS_CALL_NAMES,
                             *const kinds[] = WS_KIND_NAMES;
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
    if (ws_active || !ws_arena_open(path)) return false;
    if (!prepared) {
#ifndef _WIN32
        pthread_atfork(NULL, NULL, in_child);
#endif
        main_ractor = rb_ractor_local_storage_ptr_newkey(&no_free);
        prepared = true;
    }
    rb_ractor_local_storage_ptr_set(main_ractor, &ws_process);
    ws_process = getpid();
    ws_metrics_begin();
    ws_next_node = 0;
    describe();
    int64_t now = ws_now();
    ws_arena_header *head = ws_arena_head();
    head->metric_count = WS_METRIC_COUNT;
    head->started_ns = head->now_ns = started_ns ? started_ns : now;
    head->calls_known = ws_calls() != NULL;
    ws_common = (ws_commons){ .memory = ws_resident_memory(), .memory_read_at = now };
    bool memory_read;
    ws_commons common;
    ws_read_commons(&common, &ws_common, now, &memory_read);
    ws_common = common;
    ws_active = true;
    if (!ws_first_thread(name, head->started_ns)) {
        ws_active = false;
        return false;
    }
    if (started_ns) add_ruby(started_ns);
    ws_hook_threads();
    return true;
}

void
ws_tree_stop(void)
{
    ws_thread *thread = ws_active ? ws_current_thread() : NULL;
    if (!thread) return;
    ws_account(thread);
    ws_end_threads(ws_arena_head()->now_ns);
    ws_arena_head()->ended = WS_ENDED;
    ws_active = false;
}

void
ws_tree_finish(void)
{
    if (!ws_active || getpid() != ws_process) return;
    ws_frame *frame = ws_begin(WS_FINISH, "finish", 6);
    ws_keep(frame);
}

/* Ruby has shut down or is about to, so only the clocks and the interposer's counters can be read. */
void
ws_tree_close(void)
{
    if (!ws_active || getpid() != ws_process) return;
    ws_arena_header *head = ws_arena_head();
    /* On Windows, exec starts another process, and this one has waited for it. */
    if (head->ended == WS_BECAME_ANOTHER) return;
    ws_moment now;
    ws_read_moment(&now);
    if (ws_known_thread()) ws_account_moment(ws_known_thread(), &now);
    ws_end_threads(now.wall);
    ws_active = false;
    head->process_cpu_ns = ws_process_cpu();
    head->ended = WS_ENDED;
    head->now_ns = now.wall;
}

void
ws_tree_leaves(bool leaves)
{
    ws_thread *thread = ws_active ? ws_current_thread() : NULL;
    if (!thread) return;
    if (leaves) ws_account(thread);
    ws_arena_head()->ended = leaves ? WS_BECAME_ANOTHER : 0;
}

/* ---- calibration ---- */

/* CALL_NS is what the interposer adds to a call: a load, an add and a jump. */
enum { ROUNDS = 200, CALL_NS = 4 };

void
ws_tree_calibrate(void)
{
    if (!ws_active) return;
    ws_arena_header *head = ws_arena_head();
    uint64_t used = head->size;
    uint32_t nodes = ws_next_node;
    int64_t *self = ws_main_thread()->current->self;
    int64_t begin = ws_thread_cpu();
    for (int i = 0; i < ROUNDS; i++) {
        static const char path[] =
            "/as/long/as/a/path/is/usually/in/a/folder/of/gems/calibration-1.0.0/lib/calibration.rb";
        ws_frame *frame = ws_begin(WS_REQUIRE, "calibration", 11);
        ws_node *node = ws_keep(frame);
        if (node) node->from = ws_place_of_caller(Qnil);
        if (node) node->path = ws_arena_text(path, sizeof path - 1);
        ws_end(frame, WS_LOADED);
    }
    int64_t middle = ws_thread_cpu();
    for (int i = 0; i < ROUNDS; i++) ws_drop(ws_begin(WS_REQUIRE, "calibration", 11));
    int64_t after = ws_thread_cpu();
    for (int i = 0; i < ROUNDS / 10; i++) ws_resident_memory();
    int64_t end = ws_thread_cpu();
    /* Removes the records, and adds what they used to the parent. */
    for (char *at = (char *)head + used; at < (char *)head + head->size; at += ((ws_record *)at)->size)
        if (((ws_record *)at)->type == WS_RECORD_NODE) ws_add_to(self, ((ws_node *)((ws_record *)at + 1))->self);
    memset((char *)head + used, 0, head->size - used);
    head->size = used;
    ws_next_node = nodes;
    head->repeated = 0;
    self[WS_REPEATED_REQUIRES] = 0;
    head->cost_node_ns = (middle - begin) / ROUNDS;
    head->cost_repeated_ns = (after - middle) / ROUNDS;
    head->cost_call_ns = CALL_NS;
    head->cost_memory_ns = (end - after) / (ROUNDS / 10);
}
