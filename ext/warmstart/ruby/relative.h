/* What Ruby's own require_relative does beside require: finds whose file asks, and leaves the path unfrozen. Who calls: require.c, and
 * the profiler's requires.c, which compiles this file, too. */
#ifndef WARMSTART_RUBY_RELATIVE_H
#define WARMSTART_RUBY_RELATIVE_H

#include <stdbool.h>

#include <ruby.h>

/* nil: there is no such file (an eval without one). */
VALUE ws_caller_file(void);

/* Calls `require` with a path, as require_relative does: see relative.c. */
VALUE ws_require_unfrozen(VALUE (*require)(VALUE self, VALUE path), VALUE self, VALUE path);

#endif
