/* Which events does somebody watch? Up to Ruby 3.1, and on Windows, Ruby's library exports the flags. Elsewhere
 * TracePoint.stat tells how many hooks there are, but not which events they want.
 *
 * Compiled code tells more. When a hook for one of the events that live in code (lines, calls, blocks, classes) is
 * enabled for the first time, Ruby goes over all compiled code, and each piece of it keeps which such events have been
 * wanted so far (iseq.c: rb_iseq_trace_set, vm_trace.c: update_global_event_hook). So a piece of code of our own, the
 * canary, tells of most events that nobody has ever wanted them. This separates a debugger that waits for breakpoints,
 * and watches only which files are loaded, from one that follows every line.
 *
 * The canary's words lie as they do in Ruby 3.1 to 4.0. Behind its wrapper and its body come its own hooks (up to 3.4 a
 * pointer, since then a count of 32 bits), and right behind these the events. To find out which of the two it is, we
 * enable a TracePoint for the canary alone, which fills the canary's hooks, and disable it, which empties them. If
 * neither behaves so, nothing is believed, and every event counts as wanted.
 *
 * A TracePoint that is enabled for one piece of code alone (`target:`) is in none of these. So each piece of code that
 * matters is looked at, whose own hooks lie as the canary's do. (ruby_vm_event_local_num, which some Rubies export,
 * counts those of Warmstart's Moments, too.) */
#include "ruby/private/traced.h"

#include <string.h>

#include "ruby/private/jobs.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/private_api.h"

#ifdef WS_HAVE_DIRECT_WAY
/* struct rb_iseq_struct, after its code has been made. */
typedef struct canary_words {
    VALUE flags, wrapper;
    void *body;
    union {
        struct {
            void *list;
            rb_event_flag_t events;
        } pointed; /* local_hooks, global_trace_events */
        struct {
            uint32_t count;
            rb_event_flag_t events;
        } counted; /* local_hooks_cnt, global_trace_events */
    } hooks;
} canary_words;
#endif

#ifndef HAVE_RUBY_VM_EVENT_FLAGS

/* Events that live in code (vm_core.h: ISEQ_TRACE_EVENTS). */
#define EVENTS_IN_CODE                                                                                               \
    (RUBY_EVENT_LINE | RUBY_EVENT_CLASS | RUBY_EVENT_END | RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_C_CALL | \
     RUBY_EVENT_C_RETURN | RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN)

static struct {
    VALUE code; /* nil: it is not compiled yet */
    enum { HOOKS_UNTRIED, HOOKS_UNKNOWN, HOOKS_POINTED, HOOKS_COUNTED } hooks;
} canary = { .code = Qnil };

static int
count_others(VALUE key, VALUE counts, VALUE others)
{
    if (rb_ary_entry(counts, 0) != INT2FIX(ws_job_hooks())) *(bool *)others = true;
    return ST_CONTINUE;
}

/* Does anybody watch anything? TracePoint.stat ({vm => [active, deleted]}) does not tell which events are wanted. So
 * any hook counts, except our own, which wants none of these. */
static bool
is_watched(void)
{
    /* (It asks the key, an instance of RubyVM, for its hash, which a method of the program's could see.) */
    if (!rb_method_basic_definition_p(ws_vm, rb_intern("hash"))) return true;
    VALUE stat = ws_own0(WS_OWN_TRACEPOINTS_STAT, Qnil);
    if (!RB_TYPE_P(stat, T_HASH)) return true;
    bool others = false;
    rb_hash_foreach(stat, count_others, (VALUE)&others);
    return others;
}

#ifdef WS_HAVE_DIRECT_WAY

/* The canary is compiled only when somebody watches. New code, too, knows what was wanted before it was compiled. */
static const volatile canary_words *
words(void)
{
    if (NIL_P(canary.code)) canary.code = ws_own1(WS_OWN_ISEQS_COMPILE, ws_iseq_class, rb_str_new_cstr("self"));
    return (const volatile canary_words *)rb_iseqw_to_iseq(canary.code);
}

static void
see_nothing(VALUE tracepoint, void *nothing)
{
}

static VALUE
try_words(VALUE nothing)
{
    VALUE tracepoint = rb_tracepoint_new(Qnil, RUBY_EVENT_LINE, see_nothing, NULL), target = rb_hash_new();
    const canary_words before = *words();
    rb_hash_aset(target, ID2SYM(rb_intern("target")), canary.code);
    rb_funcallv_kw(tracepoint, rb_intern("enable"), 1, &target, RB_PASS_KEYWORDS);
    const canary_words filled = *words();
    rb_funcallv(tracepoint, rb_intern("disable"), 0, NULL);
    const canary_words after = *words();

    if (before.wrapper != canary.code || filled.wrapper != canary.code) return Qnil;
    /* A list of hooks is aligned, so its address never ends in 1. */
    if (filled.hooks.counted.count == 1) {
        if (before.hooks.counted.count != 0 || after.hooks.counted.count != 0) return Qnil;
        if (filled.hooks.counted.events == before.hooks.counted.events) canary.hooks = HOOKS_COUNTED;
    }
    else if (filled.hooks.pointed.list && (uintptr_t)filled.hooks.pointed.list % sizeof(void *) == 0) {
        if (before.hooks.pointed.list || after.hooks.pointed.list) return Qnil;
        if (filled.hooks.pointed.events == before.hooks.pointed.events) canary.hooks = HOOKS_POINTED;
    }
    return Qnil;
}

static VALUE
say_nothing(VALUE nothing, VALUE error)
{
    return Qnil;
}

static bool
was_wanted(rb_event_flag_t events)
{
    if (events & ~EVENTS_IN_CODE) return true;
    if (canary.hooks == HOOKS_UNTRIED) { /* once a process, when somebody watches */
        canary.hooks = HOOKS_UNKNOWN;
        rb_rescue(try_words, Qnil, say_nothing, Qnil);
    }
    switch (canary.hooks) {
        case HOOKS_POINTED: return (words()->hooks.pointed.events & events) != 0;
        case HOOKS_COUNTED: return (words()->hooks.counted.events & events) != 0;
        default: return true;
    }
}

#else

static bool
was_wanted(rb_event_flag_t events)
{
    return true;
}

#endif
#endif

bool
ws_is_traced(rb_event_flag_t events)
{
#ifdef HAVE_RUBY_VM_EVENT_FLAGS
    return (ruby_vm_event_flags & events) != 0;
#else
    return is_watched() && was_wanted(events);
#endif
}

/* ---- one piece of code ---- */

static VALUE
add_child(RB_BLOCK_CALL_FUNC_ARGLIST(sequence, list))
{
    ws_add_watchable(list, sequence);
    return Qnil;
}

void
ws_add_watchable_blocks(VALUE list, VALUE sequence)
{
    if (!rb_method_basic_definition_p(ws_iseq_class, rb_intern("each_child"))) rb_ary_push(list, Qnil);
    else rb_block_call(sequence, rb_intern("each_child"), 0, NULL, add_child, list);
}

void
ws_add_watchable(VALUE list, VALUE sequence)
{
    rb_ary_push(list, sequence);
    ws_add_watchable_blocks(list, sequence);
}

/* Such a TracePoint is in the hooks of the code itself (iseq.c: rb_iseq_add_local_tracepoint_recursively). */
static bool
has_hooks(VALUE sequence)
{
    if (NIL_P(sequence)) return true; /* its blocks are not known */
#ifdef WS_HAVE_DIRECT_WAY
    const volatile canary_words *code = (const volatile canary_words *)rb_iseqw_to_iseq(sequence);
    if (code->wrapper != sequence) return true; /* it does not lie as we know it */
#if RUBY_API_VERSION_CODE >= 40000
    return code->hooks.counted.count != 0;
#else
    return code->hooks.pointed.list != NULL;
#endif
#else
    return true;
#endif
}

bool
ws_is_one_watched(VALUE list)
{
    for (long i = 0; i < RARRAY_LEN(list); i++)
        if (has_hooks(RARRAY_AREF(list, i))) return true;
    return false;
}

/* Nothing that we leave out begins or ends a thread. On Ruby 3.1 the profiler has a hook for these two. */
#define WITHOUT_THREADS (RUBY_EVENT_TRACEPOINT_ALL & ~(RUBY_EVENT_THREAD_BEGIN | RUBY_EVENT_THREAD_END))

/* call-seq: Native.traced?(*events) -> true or false
 * May somebody want one of these events ("line", "call", "c_call", "raise", "class")? Without arguments: any event that
 * a TracePoint can have, but for threads. */
static VALUE
is_traced(int argc, VALUE *argv, VALUE self)
{
    static const struct {
        const char *name;
        rb_event_flag_t event;
    } known[] = {
        { "line", RUBY_EVENT_LINE },   { "call", RUBY_EVENT_CALL },   { "c_call", RUBY_EVENT_C_CALL },
        { "raise", RUBY_EVENT_RAISE }, { "class", RUBY_EVENT_CLASS },
    };
    rb_event_flag_t events = argc == 0 ? WITHOUT_THREADS : 0;
    for (int i = 0; i < argc; i++)
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (strcmp(StringValueCStr(argv[i]), known[j].name) == 0) events |= known[j].event;
    return ws_is_traced(events) ? Qtrue : Qfalse;
}

void
ws_init_traced(VALUE native)
{
#ifndef HAVE_RUBY_VM_EVENT_FLAGS
    rb_gc_register_address(&canary.code);
#endif
    rb_define_singleton_method(native, "traced?", is_traced, -1);
}
