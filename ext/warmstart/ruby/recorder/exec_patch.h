/* Replaces Kernel#exec, Kernel.exec and Process.exec by one C function. Ruby's own methods call only rb_f_exec, and
 * have no further frame. Callers are recorder_exec.c and the profiler's exec.c, which compiles this file, too. */
#ifndef WARMSTART_RUBY_EXEC_PATCH_H
#define WARMSTART_RUBY_EXEC_PATCH_H

#include <ruby.h>

#include "ruby/private/patch.h"

typedef VALUE ws_exec_function(int argc, VALUE *argv, VALUE self);

/* An extension has one replacement at a time. */
void ws_exec_patch_install(ws_exec_function *function);
void ws_exec_patch_remove(void);

#endif
