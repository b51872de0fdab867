/* Our require and require_relative as methods, for Ruby code that knows when and where (core_ext/c_method.rb). Who
 * calls: require.c, and the profiler's requires.c, which compiles this, too. */
#ifndef WARMSTART_RUBY_REQUIRE_METHODS_H
#define WARMSTART_RUBY_REQUIRE_METHODS_H

#include <ruby.h>

typedef VALUE ws_require_function(VALUE self, VALUE feature);

/* Native.define_require, define_singleton_require, define_require_relative, define_singleton_require_relative: each
 * makes the one method of Kernel. */
void ws_init_require_methods(VALUE native, ws_require_function *require, ws_require_function *require_relative);

#endif
