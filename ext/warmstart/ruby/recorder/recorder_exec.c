/* Kernel#exec, Kernel.exec and Process.exec of a process that records. A process that is replaced never runs its exit
 * handlers, so exec first writes what was recorded. */
#include "ruby/private/ractor.h"
#include "ruby/recorder/exec_patch.h"
#include "ruby/recorder/recorder.h"
#include "ruby/recorder/recorder_internal.h"

static VALUE
writing_exec(int argc, VALUE *argv, VALUE self)
{
    if (ws_main_ractor() && ws_recorder_active() && !NIL_P(ws_the_recorder.before_exec)) {
        rb_funcall(ws_the_recorder.before_exec, rb_intern("call"), 0);
        ws_recorder_wait(WS_FINISH_MILLISECONDS);
    }
    return rb_f_exec(argc, argv);
}

/* call-seq: Native.define_exec(callable) -> nil
 * callable: called without arguments before the program is replaced; asks for a commit. What it raises reaches the
 * program. */
static VALUE
define_exec(VALUE self, VALUE callable)
{
    ws_the_recorder.before_exec = callable;
    ws_exec_patch_install(writing_exec);
    return Qnil;
}

static VALUE
undefine_exec(VALUE self)
{
    ws_the_recorder.before_exec = Qnil;
    ws_exec_patch_remove();
    return Qnil;
}

void
ws_init_exec(VALUE native)
{
    rb_gc_register_address(&ws_the_recorder.before_exec);
    rb_define_singleton_method(native, "define_exec", define_exec, 1);
    rb_define_singleton_method(native, "undefine_exec", undefine_exec, 0);
}
