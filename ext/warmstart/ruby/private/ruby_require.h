/* Ruby's own require, called from C. */
#ifndef WARMSTART_RUBY_PRIVATE_RUBY_REQUIRE_H
#define WARMSTART_RUBY_PRIVATE_RUBY_REQUIRE_H

#include <ruby.h>

void ws_init_ruby_require(void);

/* Does what Kernel#require does when Ruby code calls it, without a frame of its own. */
VALUE ws_ruby_require(VALUE self, VALUE feature);

/* Leaves the innermost ws_ruby_require of this fiber, which returns the answer. */
NORETURN(void ws_ruby_require_answer(VALUE answer));

#endif
