/* Kernel#exec, Kernel.exec and Process.exec: one C function in their places. rb_f_exec is all that Ruby's own methods
 * call, and makes no frame of its own. Who calls: recorder_exec.c, and the profiler's exec.c, which compiles this, too.
 */
#ifndef WARMSTART_RUBY_EXEC_PATCH_H
#define WARMSTART_RUBY_EXEC_PATCH_H

#include <ruby.h>

#include "ruby/private/patch.h"

typedef VALUE ws_exec_function(int argc, VALUE *argv, VALUE self);

/* There is one of them at a time in an extension. */
void ws_exec_patch_install(ws_exec_function *function);
void ws_exec_patch_remove(void);

#endif
