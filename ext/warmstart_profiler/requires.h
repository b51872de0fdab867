/* Kernel#require, require_relative and load as nodes. Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_REQUIRES_H
#define WARMSTART_PROFILER_REQUIRES_H

#include <ruby.h>

#include <stdint.h>

/* "/path/of/caller.rb:12" of who calls the method that runs, as its place in the arena; 0: nobody. but: a file that
 * does not count, or nil. */
uint32_t ws_place_of_caller(VALUE but);

void ws_init_requires(VALUE native);

#endif
