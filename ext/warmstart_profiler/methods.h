/* Makes nodes of calls of methods that are written in Ruby: those that read YAML and JSON files, Bundler's steps,
 * Rails' initializers. Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_METHODS_H
#define WARMSTART_PROFILER_METHODS_H

#include <ruby.h>

void ws_init_methods(VALUE native);

#endif
