/* Replaces the three methods named exec; see exec_patch.h. */
#include "ruby/recorder/exec_patch.h"

static struct {
    ws_patch kernel, kernel_singleton, process;
} execs;

void
ws_exec_patch_install(ws_exec_function *function)
{
    ws_patch_install(&execs.kernel, rb_mKernel, "exec", (ws_method_function *)function, -1);
    ws_patch_install(&execs.kernel_singleton, rb_singleton_class(rb_mKernel), "exec", (ws_method_function *)function,
                     -1);
    ws_patch_install(&execs.process, rb_singleton_class(rb_mProcess), "exec", (ws_method_function *)function, -1);
}

void
ws_exec_patch_remove(void)
{
    ws_patch_remove(&execs.kernel);
    ws_patch_remove(&execs.kernel_singleton);
    ws_patch_remove(&execs.process);
}
