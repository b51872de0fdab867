/* Methods written in Ruby as nodes: YAML and JSON files, Bundler's phases, Rails' initializers. Who calls: profiler.c.
 */
#ifndef WARMSTART_PROFILER_METHODS_H
#define WARMSTART_PROFILER_METHODS_H

#include <ruby.h>

void ws_init_methods(VALUE native);

#endif
