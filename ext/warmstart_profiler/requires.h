/* Makes nodes of calls of Kernel#require, require_relative and load. Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_REQUIRES_H
#define WARMSTART_PROFILER_REQUIRES_H

#include <ruby.h>

#include <stdint.h>

/* Stores where the running method was called from ("/path/of/caller.rb:12") and returns the text's place in the arena,
 * or 0 if there is no such caller. but: the path of a file whose frames are passed over, or nil. */
uint32_t ws_place_of_caller(VALUE but);

void ws_init_requires(VALUE native);

#endif
