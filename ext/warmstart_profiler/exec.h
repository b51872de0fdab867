/* What happens when a profiled process becomes another program (exec). Who calls: profiler.c. */
#ifndef WARMSTART_PROFILER_EXEC_H
#define WARMSTART_PROFILER_EXEC_H

#include <ruby.h>

void ws_init_exec(VALUE native);

#endif
