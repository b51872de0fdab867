/* The file of who calls a C method, as Ruby's own require_relative sees it. Who calls: require.c, and the profiler's requires.c,
 * which compiles this file, too. */
#ifndef WARMSTART_RUBY_CALLER_FILE_H
#define WARMSTART_RUBY_CALLER_FILE_H

#include <stdbool.h>

#include <ruby.h>

/* nil: there is no such file (an eval without one). */
VALUE ws_caller_file(void);

#endif
