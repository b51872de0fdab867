/* The C function behind one of Ruby's own methods. When a method of ours that lies over Ruby's calls it, it runs in our
 * frame, as if it were the method. So a TracePoint sees no call, a backtrace shows no frame, and what it raises is
 * raised once. UnboundMethod#bind_call would show in all three. */
#ifndef WARMSTART_RUBY_C_FUNCTION_H
#define WARMSTART_RUBY_C_FUNCTION_H

#include <stdbool.h>

#include <ruby.h>

typedef VALUE ws_c_function(VALUE self);

/* Finds the function behind `method`, a Method or an UnboundMethod, for `ours`, which is to lie over it. Returns false
 * if it is no C function of this name and arity, or if this Ruby keeps its methods in another way than those that we
 * know. *place then keeps what was found earlier, because an alias that the program has made of our method still calls
 * that. `method` may also be such an alias, when Warmstart comes back. In this case, too, what was found earlier
 * holds. */
bool ws_find_c_function(VALUE method, const char *name, int arity, ws_c_function *ours, ws_c_function **place);

/* Returns the function of a method that has been defined under this name, or NULL, also if this Ruby keeps its methods
 * in another way. */
ws_c_function *ws_c_function_of(VALUE method, const char *name, int arity);
/* Returns the function of a frame of C (frames.h), or NULL, also if this Ruby keeps its methods in another way. */
ws_c_function *ws_c_function_of_frame(VALUE frame);

void ws_init_c_function(VALUE native);

#endif
