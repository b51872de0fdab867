/* The direct way: the load of one file. Who calls: require.c; way.c, loader.c and aliases.c ask what went that way. */
#ifndef WARMSTART_RUBY_DIRECT_H
#define WARMSTART_RUBY_DIRECT_H

#include "loader.h"

/* Loads the file of an entry that was judged to be fresh: evaluates its iseq and provides it; early: provides first;
 * verdict and *reason are for the event. Returns
 * Qtrue, or Qundef when the payload could not be used (*reason) and nothing was done; raises what the file raises. */
VALUE ws_direct_load(ws_found found, bool early, ws_verdict verdict, const char **reason);

extern bool ws_direct_used;      /* it has loaded something */
/* Did the direct way load this entry in this process? */
bool ws_was_loaded_directly(ws_found found);
/* From here on Ruby is to know by itself, and nobody asks us: the direct way is off, another image comes. */
void ws_direct_leave_to_ruby(void);
void ws_direct_forget_image(void);

#endif
