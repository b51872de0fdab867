/* Evals of Strings are counted in the node that is current when they begin. Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_EVALS_H
#define WARMSTART_PROFILER_EVALS_H

#include <ruby.h>

void ws_init_evals(VALUE native);

#endif
