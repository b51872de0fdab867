/* What Ruby's own require_relative does in addition to require: it finds out which file calls it, and leaves the path
 * unfrozen. Who calls: require.c, and the profiler's requires.c, which compiles this file, too. */
#ifndef WARMSTART_RUBY_RELATIVE_H
#define WARMSTART_RUBY_RELATIVE_H

#include <stdbool.h>

#include <ruby.h>

/* Returns the folder of the file that calls, or nil if there is none (an eval without a path). It is for C functions
 * that are require_relative to Ruby. */
VALUE ws_caller_folder(void);

void ws_init_relative(void);

/* Calls `require` with a path in the way that require_relative does: see relative.c. */
VALUE ws_require_unfrozen(VALUE (*require)(VALUE self, VALUE path), VALUE self, VALUE path);

#endif
