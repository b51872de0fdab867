/* Initializes the extension and defines the functions with which Ruby code starts and ends a recording:
 * Warmstart::Profiler::Native. */
#include "hooks.h"
#include "tree.h"

#include <stdlib.h>

#include "ruby/private/c_function.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"

RUBY_FUNC_EXPORTED void Init_profiler(void);

/* call-seq: Native.start(path or nil, started_ns or nil, name, cost_ns) -> true
 * path names the file to be created; nil means memory. started_ns is when the process began; nil means that the
 * recording begins now, in the middle of a program. cost_ns is the CPU time that the profiler has already used. Raises
 * SystemCallError; returns false if a recording is already running. */
static VALUE
start(VALUE self, VALUE path, VALUE started_ns, VALUE name, VALUE cost_ns)
{
    if (ws_arena_is_open() && ws_tree_active()) return Qfalse;
    const char *file = NIL_P(path) ? NULL : StringValueCStr(path);
    if (!ws_tree_start(file, NIL_P(started_ns) ? 0 : NUM2LL(started_ns), StringValueCStr(name))) rb_sys_fail(file);
    int64_t begin = ws_thread_cpu();
    ws_tree_calibrate();
    ws_when_leaving(ws_tree_close);
    ws_arena_head()->cost_start_ns = NUM2LL(cost_ns) + ws_thread_cpu() - begin;
    return Qtrue;
}

/* call-seq: Native.count_calls -> nil
 * Counts file system calls from now on, if counting can begin in a running process. */
static VALUE
count_calls(VALUE self)
{
    ws_count_calls();
    return Qnil;
}

static VALUE
stop(VALUE self)
{
    ws_tree_stop();
    return Qnil;
}

static VALUE
finish(VALUE self)
{
    ws_tree_finish();
    return Qnil;
}

/* call-seq: Native.take -> String
 * Frees the memory of a recording that has been stopped, and returns its bytes. */
static VALUE
take(VALUE self)
{
    if (!ws_arena_is_open()) return Qnil;
    VALUE bytes = rb_str_new((const char *)ws_arena_head(), (long)ws_arena_head()->size);
    ws_arena_close();
    return bytes;
}

void
Init_profiler(void)
{
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(true);
#endif
    VALUE profiler = rb_define_module_under(rb_define_module("Warmstart"), "Profiler");
    VALUE native = rb_define_module_under(profiler, "Native");
    rb_define_const(native, "INTERFACE", ULL2NUM(WS_INTERFACE));
    ws_init_needs(native);
    ws_init_c_function(native);
    ws_init_own_methods(native);
    ws_metrics_init();
    rb_define_singleton_method(native, "count_calls", count_calls, 0);
    rb_define_singleton_method(native, "start", start, 4);
    rb_define_singleton_method(native, "stop", stop, 0);
    rb_define_singleton_method(native, "finish", finish, 0);
    rb_define_singleton_method(native, "take", take, 0);
    ws_init_requires(native);
    ws_init_evals(native);
    ws_init_methods(native);
    ws_init_exec(native);
    atexit(ws_tree_close);
}
