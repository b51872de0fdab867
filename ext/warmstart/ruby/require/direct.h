/* The direct way: the load of one file. Who calls: require.c; way.c and hook.c ask whether it is in use. */
#ifndef WARMSTART_RUBY_DIRECT_H
#define WARMSTART_RUBY_DIRECT_H

#include <stdbool.h>

#include <ruby.h>

#include "core/image/image.h"
#include "ruby/code/judgement.h"

/* Loads the file of an entry that was judged to be fresh: evaluates its iseq and provides it; early: provides first;
 * verdict and *reason are for the event. Returns
 * Qtrue, or Qundef when the payload could not be used (*reason) and nothing was done; raises what the file raises. */
VALUE ws_direct_load(ws_found found, bool early, ws_verdict verdict, const char **reason);

extern bool ws_direct_used; /* it has loaded something */

#endif
