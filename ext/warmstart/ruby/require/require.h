/* What the load_iseq hook asks about the native require that called it. */
#ifndef WARMSTART_RUBY_REQUIRE_H
#define WARMSTART_RUBY_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include <ruby.h>

/* Is this the first call of the hook in a native require of ours, on this fiber, and for the file of that require? If
 * so, ws_ruby_require_answer(Qfalse) may end the require. To be called once for each call of the hook, because it notes
 * that the hook was called. */
bool ws_native_require_begins(const char *path, size_t size);

void ws_init_require(VALUE native);

#endif
