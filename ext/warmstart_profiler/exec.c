/* Kernel#exec, Kernel.exec and Process.exec. Before the program is replaced, the recording is brought up to date. If
 * the next program is a Ruby program, it is told to continue the recording (lib/warmstart/profiler/following.rb). */
#include "hooks.h"
#include "tree.h"

#include "ruby/recorder/exec_patch.h"

static VALUE observer = Qnil;

typedef struct ws_exec {
    int argc;
    VALUE *argv;
} ws_exec;

static VALUE
run(VALUE argument)
{
    ws_exec *exec = (ws_exec *)argument;
    return rb_f_exec(exec->argc, exec->argv);
}

static VALUE
profiled_exec(int argc, VALUE *argv, VALUE self)
{
    if (!ws_tree_active() || NIL_P(observer)) return rb_f_exec(argc, argv);
    ws_exec exec = { argc, argv };
    int state = 0;
    rb_funcall(observer, rb_intern("call"), 1, rb_ary_new_from_values(argc, argv));
    ws_tree_leaves(true);
    VALUE result = rb_protect(run, (VALUE)&exec, &state);
    ws_tree_leaves(false);
    rb_funcall(observer, rb_intern("call"), 1, Qnil);
    if (state) rb_jump_tag(state);
    return result;
}

/* call-seq: Native.define_exec(callable) -> nil
 * callable is called with exec's arguments before exec, and with nil when exec has failed. */
static VALUE
define_exec(VALUE self, VALUE callable)
{
    observer = callable;
    ws_exec_patch_install(profiled_exec);
    return Qnil;
}

void
ws_init_exec(VALUE native)
{
    rb_gc_register_address(&observer);
    rb_define_singleton_method(native, "define_exec", define_exec, 1);
}
