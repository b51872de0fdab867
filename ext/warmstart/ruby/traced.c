/* Which events does somebody watch? Up to Ruby 3.1, and on Windows, Ruby's library exports the flags. Elsewhere TracePoint.stat tells how many hooks there
 * are, and not what for. But when a hook for one of the events that live in code (lines, calls, blocks, classes) is enabled for the
 * first time, Ruby goes over all compiled code, and each piece of it keeps which such events have been wanted so far (iseq.c:
 * rb_iseq_trace_set, vm_trace.c: update_global_event_hook). So a piece of ours, a canary, tells of most events that nobody has ever wanted.
 * A debugger that waits for breakpoints, and watches only which files are loaded, is told from one that follows every line.
 *
 * The canary's words lie where they do in Ruby 3.1 to 3.4. Before they are believed, two of them must behave as they should: the
 * wrapper, and the list of the canary's own hooks, which a TracePoint for it alone fills and empties. */
#include "traced.h"

#include "private_api.h"

#ifndef HAVE_RUBY_VM_EVENT_FLAGS

/* Events that live in code (vm_core.h: ISEQ_TRACE_EVENTS). */
#define EVENTS_IN_CODE (RUBY_EVENT_LINE | RUBY_EVENT_CLASS | RUBY_EVENT_END | RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_C_CALL | \
                        RUBY_EVENT_C_RETURN | RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN)

static VALUE tracepoint_stat, canary = Qnil;

/* Which events are wanted is not told: any hook counts. {vm => [active, deleted]} */
static bool
is_watched(void)
{
    VALUE stat = rb_method_call(0, NULL, tracepoint_stat);
    if (!RB_TYPE_P(stat, T_HASH)) return true;
    VALUE counts = rb_funcall(stat, rb_intern("values"), 0);
    for (long i = 0; i < RARRAY_LEN(counts); i++)
        if (rb_ary_entry(RARRAY_AREF(counts, i), 0) != INT2FIX(0)) return true;
    return false;
}

#if defined WS_HAVE_DIRECT_WAY && RUBY_API_VERSION_CODE < 30500

/* struct rb_iseq_struct, once its code is made. */
typedef struct canary_words {
    VALUE flags, wrapper;
    void *body, *local_hooks;
    rb_event_flag_t global_trace_events;
} canary_words;

/* (Compiled when somebody watches: new code knows what was wanted before it, too.) */
static const volatile canary_words *
words(void)
{
    if (NIL_P(canary)) canary = rb_funcall(rb_path2class("RubyVM::InstructionSequence"), rb_intern("compile"), 1, rb_str_new_cstr("self"));
    return (const volatile canary_words *)rb_iseqw_to_iseq(canary);
}

static void
see_nothing(VALUE tracepoint, void *nothing)
{
}

static VALUE
try_words(VALUE nothing)
{
    VALUE tracepoint = rb_tracepoint_new(Qnil, RUBY_EVENT_LINE, see_nothing, NULL), target = rb_hash_new();
    if (words()->wrapper != canary || words()->local_hooks) return Qfalse;
    rb_hash_aset(target, ID2SYM(rb_intern("target")), canary);
    rb_funcallv_kw(tracepoint, rb_intern("enable"), 1, &target, RB_PASS_KEYWORDS);
    bool filled = words()->local_hooks != NULL;
    rb_funcallv(tracepoint, rb_intern("disable"), 0, NULL);
    return filled && !words()->local_hooks ? Qtrue : Qfalse;
}

static VALUE
say_no(VALUE nothing, VALUE error)
{
    return Qfalse;
}

/* Once a process, when somebody watches. */
static bool
are_words_believed(void)
{
    static enum { UNKNOWN, YES, NO } believed;
    if (believed == UNKNOWN) believed = RTEST(rb_rescue(try_words, Qnil, say_no, Qnil)) ? YES : NO;
    return believed == YES;
}

static bool
was_wanted(rb_event_flag_t events)
{
    return (events & ~EVENTS_IN_CODE) || !are_words_believed() || (words()->global_trace_events & events);
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

/* call-seq: Native.traced?(*events) -> true or false
 * May somebody want one of these events ("line", "call", "c_call", "raise", "script_compiled")? For tests. */
static VALUE
is_traced(int argc, VALUE *argv, VALUE self)
{
    static const struct { const char *name; rb_event_flag_t event; } known[] = {
        { "line", RUBY_EVENT_LINE }, { "call", RUBY_EVENT_CALL }, { "c_call", RUBY_EVENT_C_CALL }, { "raise", RUBY_EVENT_RAISE }, { "class", RUBY_EVENT_CLASS },
    };
    rb_event_flag_t events = 0;
    for (int i = 0; i < argc; i++)
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (strcmp(StringValueCStr(argv[i]), known[j].name) == 0) events |= known[j].event;
    return ws_is_traced(events) ? Qtrue : Qfalse;
}

void
ws_init_traced(VALUE native)
{
#ifndef HAVE_RUBY_VM_EVENT_FLAGS
    rb_gc_register_address(&tracepoint_stat);
    rb_gc_register_address(&canary);
    tracepoint_stat = rb_obj_method(rb_const_get(rb_cObject, rb_intern("TracePoint")), ID2SYM(rb_intern("stat")));
#endif
    rb_define_singleton_method(native, "traced?", is_traced, -1);
}
