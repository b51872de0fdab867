/* Which autoload Ruby is performing in this fiber: see autoloads_in_progress.c. Who calls: autoloads.c. */
#ifndef WARMSTART_RUBY_AUTOLOADS_IN_PROGRESS_H
#define WARMSTART_RUBY_AUTOLOADS_IN_PROGRESS_H

#include <ruby.h>

/* Returns the String under which Ruby is autoloading that feature now, in this fiber (before 3.2: in this thread), or
 * nil. */
VALUE ws_autoload_in_progress(VALUE feature);

void ws_init_autoloads_in_progress(void);

#endif
