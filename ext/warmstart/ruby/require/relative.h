/* What Ruby's own require_relative does beside require: finds whose file asks, and leaves the path unfrozen. Who calls:
 * require.c, and the profiler's requires.c, which compiles this file, too. */
#ifndef WARMSTART_RUBY_RELATIVE_H
#define WARMSTART_RUBY_RELATIVE_H

#include <stdbool.h>

#include <ruby.h>

/* The folder of the file that asks. nil: there is none (an eval without a path). For C functions that are
 * require_relative to Ruby. */
VALUE ws_caller_folder(void);

void ws_init_relative(void);

/* Calls `require` with a path, as require_relative does: see relative.c. */
VALUE ws_require_unfrozen(VALUE (*require)(VALUE self, VALUE path), VALUE self, VALUE path);

#endif
