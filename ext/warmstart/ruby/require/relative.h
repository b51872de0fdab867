/* Our require and require_relative as methods, and what Ruby's own require_relative does in addition to require: it
 * finds out which file calls it, and leaves the path unfrozen. Who calls: require.c, and the profiler's requires.c,
 * which compiles this file, too. */
#ifndef WARMSTART_RUBY_RELATIVE_H
#define WARMSTART_RUBY_RELATIVE_H

#include <ruby.h>

typedef VALUE ws_require_function(VALUE self, VALUE feature);

/* Returns the folder of the file that calls, or nil if there is none (an eval without a path). It is for C functions
 * that are require_relative to Ruby. */
VALUE ws_caller_folder(void);

/* Calls `function` with a path in the way that require_relative does: see relative.c. */
VALUE ws_require_unfrozen(ws_require_function *function, VALUE self, VALUE path);

/* Defines Native.define_require. Ruby code decides when and where the methods are defined (lib/warmstart/core_ext.rb).
 */
void ws_init_require_methods(VALUE native, ws_require_function *require, ws_require_function *require_relative);

#endif
