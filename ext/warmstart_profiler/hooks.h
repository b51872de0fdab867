/* What makes nodes: Kernel#require, require_relative and load (requires.c), methods that are written in Ruby
 * (methods.c), evals of Strings (evals.c), and exec, by which the process becomes another program (exec.c). Who calls:
 * profiler.c. */
#ifndef WARMSTART_PROFILER_HOOKS_H
#define WARMSTART_PROFILER_HOOKS_H

#include <ruby.h>

#include <stdint.h>

void ws_init_requires(VALUE native);
void ws_init_methods(VALUE native);
void ws_init_evals(VALUE native);
void ws_init_exec(VALUE native);

/* Stores where the running method was called from ("/path/of/caller.rb:12") and returns the text's place in the arena,
 * or 0 if there is no such caller. but: the path of a file whose frames are passed over, or nil. */
uint32_t ws_place_of_caller(VALUE but);

#endif
