/* The C function behind one of Ruby's own methods. Called from a method of ours that lies over it, it runs in our
 * frame, as if it were the method: no call is seen by a TracePoint, no frame by a backtrace, and what it raises is
 * raised once. (UnboundMethod#bind_call would show in all three.) */
#ifndef WARMSTART_RUBY_C_FUNCTION_H
#define WARMSTART_RUBY_C_FUNCTION_H

#include <stdbool.h>

#include <ruby.h>

typedef VALUE ws_c_function(VALUE self);

/* Finds the one behind `method`, a Method or an UnboundMethod, for `ours`, which is to lie over it. false: it is no C
 * function of this name and arity, or this Ruby keeps its methods otherwise than those that we know. *place then keeps
 * what was found earlier, because an alias of ours that the program has made goes on calling that. Such an alias may
 * also be what is given here, when Warmstart comes back: then what was found earlier holds. */
bool ws_find_c_function(VALUE method, const char *name, int arity, ws_c_function *ours, ws_c_function **place);

void ws_init_c_function(VALUE native);

#endif
