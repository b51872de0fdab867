/* The C function behind one of Ruby's own methods. Called from a method of ours that lies over it, it runs in our
 * frame, as if it were the method: no call is seen by a TracePoint, no frame by a backtrace, and what it raises is
 * raised once. (UnboundMethod#bind_call would show in all three.) */
#ifndef WARMSTART_RUBY_C_FUNCTION_H
#define WARMSTART_RUBY_C_FUNCTION_H

#include <ruby.h>

typedef VALUE ws_c_function(VALUE self);

/* method: a Method or an UnboundMethod. NULL: it is no C function of this name and arity, or this Ruby keeps its
 * methods otherwise than those that we know. */
ws_c_function *ws_c_function_of(VALUE method, const char *name, int arity);

void ws_init_c_function(VALUE native);

#endif
