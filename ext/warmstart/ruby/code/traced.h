/* Who is watching: traced.c. Who asks: way.c, document_call.c. */
#ifndef WARMSTART_RUBY_TRACED_H
#define WARMSTART_RUBY_TRACED_H

#include <stdbool.h>

#include <ruby.h>
#include <ruby/debug.h>

/* Is a TracePoint enabled that may want one of these events? (Whoever cannot tell says yes.) */
bool ws_is_traced(rb_event_flag_t events);

void ws_init_traced(VALUE native);

#endif
