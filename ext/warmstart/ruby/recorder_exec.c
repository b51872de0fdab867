/* Kernel#exec, Kernel.exec and Process.exec of a process that records: what is replaced never comes to its exit handlers, so
 * what was recorded is written before. rb_f_exec is all that Ruby's own methods call, and makes no frame of its own. */
#include "bindings.h"
#include "patch.h"

/* As long as at the end of a program (Session::FINISH_MILLISECONDS), in turns, so that signals are heard. */
#define WAIT_MILLISECONDS 10000
#define TURN_MILLISECONDS 100

static ws_patch kernel_exec, kernel_singleton_exec, process_exec;
static VALUE before_exec = Qnil;         /* asks for a commit */

static VALUE
writing_exec(int argc, VALUE *argv, VALUE self)
{
    if (ws_main_ractor() && ws_recorder_active() && !NIL_P(before_exec)) {
        rb_funcall(before_exec, rb_intern("call"), 0);
        for (int waited = 0; waited < WAIT_MILLISECONDS; waited += TURN_MILLISECONDS)
            if (ws_recorder_wait(TURN_MILLISECONDS)) break;
    }
    return rb_f_exec(argc, argv);
}

/* call-seq: Native.define_exec(callable) -> nil
 * callable: called without arguments before a program is replaced; what it raises is the program's to see. */
static VALUE
define_exec(VALUE self, VALUE callable)
{
    before_exec = callable;
    ws_patch_install(&kernel_exec, rb_mKernel, "exec", (ws_method_function *)writing_exec, -1);
    ws_patch_install(&kernel_singleton_exec, rb_singleton_class(rb_mKernel), "exec", (ws_method_function *)writing_exec, -1);
    ws_patch_install(&process_exec, rb_singleton_class(rb_mProcess), "exec", (ws_method_function *)writing_exec, -1);
    return Qnil;
}

static VALUE
undefine_exec(VALUE self)
{
    before_exec = Qnil;
    ws_patch_remove(&kernel_exec);
    ws_patch_remove(&kernel_singleton_exec);
    ws_patch_remove(&process_exec);
    return Qnil;
}

void
ws_init_exec(VALUE native)
{
    rb_gc_register_address(&before_exec);
    rb_define_singleton_method(native, "define_exec", define_exec, 1);
    rb_define_singleton_method(native, "undefine_exec", undefine_exec, 0);
}
