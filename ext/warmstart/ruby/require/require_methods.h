/* Our require and require_relative as methods. Ruby code decides when and where they are defined
 * (lib/warmstart/core_ext.rb). Who calls: require.c, and the profiler's requires.c, which compiles this file, too. */
#ifndef WARMSTART_RUBY_REQUIRE_METHODS_H
#define WARMSTART_RUBY_REQUIRE_METHODS_H

#include <ruby.h>

typedef VALUE ws_require_function(VALUE self, VALUE feature);

/* Defines Native.define_require, define_singleton_require, define_require_relative and
 * define_singleton_require_relative. Each of them makes the one method of Kernel. */
void ws_init_require_methods(VALUE native, ws_require_function *require, ws_require_function *require_relative);

#endif
