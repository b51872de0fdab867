/* The direct way: the load of one file. Who calls: require.c; way.c and hook.c ask whether it is in use. */
#ifndef WARMSTART_RUBY_DIRECT_H
#define WARMSTART_RUBY_DIRECT_H

#include <stdbool.h>

#include <ruby.h>

#include "core/image/image.h"
#include "ruby/code/judgement.h"

/* Loads the file of an entry that was judged to be fresh: evaluates its iseq and then provides the file. verdict and
 * *reason are reported in the event.
 *
 * Returns Qtrue. If the payload could not be used, nothing has been done: returns Qundef and sets *reason. Raises what
 * the file raises. */
VALUE ws_direct_load(ws_found found, ws_verdict verdict, const char **reason);

extern bool ws_direct_used; /* the direct way has loaded at least one file */

#endif
