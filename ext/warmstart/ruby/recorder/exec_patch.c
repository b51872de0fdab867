/* Replaces the three methods named exec; see exec_patch.h. */
#include "ruby/recorder/exec_patch.h"

static ws_patch kernel_exec, kernel_singleton_exec, process_exec;

void
ws_exec_patch_install(ws_exec_function *function)
{
    ws_patch_install(&kernel_exec, rb_mKernel, "exec", (ws_method_function *)function, -1);
    ws_patch_install(&kernel_singleton_exec, rb_singleton_class(rb_mKernel), "exec", (ws_method_function *)function,
                     -1);
    ws_patch_install(&process_exec, rb_singleton_class(rb_mProcess), "exec", (ws_method_function *)function, -1);
}

void
ws_exec_patch_remove(void)
{
    ws_patch_remove(&kernel_exec);
    ws_patch_remove(&kernel_singleton_exec);
    ws_patch_remove(&process_exec);
}
