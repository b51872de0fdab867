/* Kernel#require, require_relative and load as nodes. Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_REQUIRES_H
#define WARMSTART_PROFILER_REQUIRES_H

#include <ruby.h>

void ws_init_requires(VALUE native);

#endif
