/* What the load_iseq hook asks about the native require that called it. */
#ifndef WARMSTART_RUBY_REQUIRE_H
#define WARMSTART_RUBY_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Is this the first call of the hook in a native require of ours, on this fiber, and for its file? Then
 * ws_native_require_answer_false may end it. Asked once for each call of the hook. */
bool ws_native_require_begins(const char *path, size_t size);
NORETURN(void ws_native_require_answer_false(void));

void ws_init_require(VALUE native);

#endif
